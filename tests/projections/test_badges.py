"""Badges: awarded by the first match that reaches a threshold, and the way to the next."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leagues import PLAYERS, adopt, announced, at, catch_up, domino, official, played, revised, send

from league.application.bootstrap import League
from league.domain.league import CloseMonth
from league.domain.match import CorrectHand, ForfeitMatch, VoidMatch
from league.domain.rating import formula_of
from league.domain.result import Achievements
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.rules import Rulebook
from league.infra.database import engine
from league.projections.folds import careers, league_fold
from league.projections.folds.badges import CountedBadge, measures_of
from league.projections.folds.careers import AwardedBadge, Careers
from league.projections.folds.league_fold import RatingState
from league.projections.folds.match_fold import DecidedMatch
from league.projections.queries.badges import (
    MeasuredValues,
    MeasureProgress,
    UpToMatch,
    badges_by_player,
    counted,
    measured_by_player,
    progress_of,
    rules_by_edition,
)
from league.projections.queries.snapshot import Snapshot, take_snapshot
from league.projections.replays.replay import ReplayPeriod, replay
from league.rulebook import shipped_edition
from league.wording.rulebook import badge_in_words

DUEL = ("ana", "bea")

# ---------------------------------------------------------------- the fold


def match(number: int, winner: int, *, pollona: bool = False) -> DecidedMatch:
    """A match of Ana against Bea."""
    return DecidedMatch(
        match=f"m{number:02}",
        ruleset="cuban-150",
        mode="1v1",
        competition="competitive",
        began_at=at(number),
        decided_at=at(number + 1),
        sides=(("ana",), ("bea",)),
        winner=winner,
        difference=50,
        status="completed",
        achievements=Achievements(pollona=pollona),
        edition="any",
        position=100 + number,
    )


def folded(matches: Sequence[DecidedMatch], rulebook: Rulebook) -> tuple[Careers, list[AwardedBadge]]:
    """The careers after some matches, and the badges in the order in which they were earned."""
    rated, known, earned = RatingState(), Careers(), list[AwardedBadge]()
    for one in matches:
        earned += careers.evolve(known, one, league_fold.evolve(rated, one, formula_of(rulebook.rating)), rulebook)
    return known, earned


season = st.lists(st.tuples(st.integers(0, 1), st.booleans()), max_size=25).map(
    lambda played: [match(number, winner, pollona=pollona) for number, (winner, pollona) in enumerate(played)]
)


@pytest.mark.heavy
@settings(max_examples=40)
@given(season)
def test_a_badge_is_earned_by_the_first_match_that_reaches_its_threshold(matches: list[DecidedMatch]) -> None:
    """Each badge is earned by the match that reaches its threshold, counted here over the whole history."""
    rules = revised("[badges]\nstreak = [2, 4]\nwins = [1, 5]\npollonas = [2]\nmatches = [3]")
    known, badges = folded(matches, rules)
    for side, player in enumerate(DUEL):
        won = [one.winner == side for one in matches]
        values = {
            "streak": list(accumulate(won, lambda row, wins: (row + 1) * wins, initial=0))[1:],
            "wins": list(accumulate(won)),
            "pollonas": list(accumulate(w and one.achievements.pollona for w, one in zip(won, matches, strict=True))),
            "matches": list(range(1, len(matches) + 1)),
        }
        expected = set()
        for measure, reached in values.items():
            for threshold in getattr(rules.badges, measure):
                first = next((one for one, value in zip(matches, reached, strict=True) if value >= threshold), None)
                if first is not None:
                    expected.add((f"{measure}-{threshold}", first.match, first.position, first.decided_at))
        counted = [badge for badge in badges if badge.player == player and badge.measure in values]
        assert {(b.badge, b.match, b.position, b.earned_at) for b in counted} == expected
        if matches:
            assert known[player].streak == values["streak"][-1]
            assert known[player].best.get("streak", 0) == max(values["streak"])


@pytest.mark.heavy
@settings(max_examples=25)
@given(season, st.sets(st.integers(1, 12), max_size=4))
def test_more_thresholds_take_no_badge_away(matches: list[DecidedMatch], thresholds: set[int]) -> None:
    """A revision that adds some awards those over the same history, and leaves the others where they were."""
    before = shipped_edition(1)
    after = revised(f"[badges]\nstreak = {sorted({*before.badges.streak, *thresholds})}")
    had, has = folded(matches, before)[1], folded(matches, after)[1]
    assert set(had) <= set(has)
    assert {badge.threshold for badge in set(has) - set(had)} <= thresholds
    best = {player: career.best.get("streak", 0) for player, career in folded(matches, after)[0].items()}
    assert {(b.player, b.threshold) for b in has if b.measure == "streak"} == {
        (player, threshold)
        for player, reached in best.items()
        for threshold in after.badges.streak
        if threshold <= reached
    }


# ---------------------------------------------------------------- the way to the next


def way(progress: list[MeasureProgress], measure: str) -> tuple[int, int, int | None]:
    """A player's progress, best value and next threshold in a measure."""
    return next((one.reached, one.best, one.next) for one in progress if one.measure == measure)


def test_who_has_done_nothing_is_on_the_way_to_the_first_badge_of_each_measure() -> None:
    """Every measure of the edition is there, at 0."""
    rules = shipped_edition(1).badges
    progress = progress_of(MeasuredValues(), (), rules)
    assert [(one.measure, one.reached, one.next) for one in progress] == [
        (measure.key, 0, min(measure.thresholds)) for measure in measures_of(rules)
    ]


def test_the_way_to_the_next_streak_begins_again_with_every_loss() -> None:
    """The best streak stays, the current one counts; other measures never go back."""
    rules = shipped_edition(1).badges
    progress = progress_of(MeasuredValues(1, {"streak": 4, "wins": 12}), ("streak-3", "wins-10"), rules)
    assert way(progress, "streak") == (1, 4, 5)
    assert way(progress, "wins") == (12, 12, 100)


def test_after_the_last_threshold_there_is_no_next() -> None:
    """The value goes on."""
    rules = shipped_edition(1).badges
    held = [f"pollonas-{threshold}" for threshold in rules.pollonas]
    assert way(progress_of(MeasuredValues(0, {"pollonas": 77}), held, rules), "pollonas") == (77, 77, None)


def test_every_badge_of_an_edition_has_words_of_its_own() -> None:
    """Each badge has its own words, with the numbers of the edition in them."""
    rules = revised("[badges]\nupset = { gap = 250, thresholds = [1, 7] }").badges
    badges = [(measure.key, threshold) for measure in measures_of(rules) for threshold in measure.thresholds]
    words = {badge: badge_in_words(*badge, rules) for badge in badges}
    assert len(set(words.values())) == len(badges)
    assert words["streak", 5] == "5 matches won in a row"
    assert words["pollonas", 1] == "a pollona"
    assert words["recoveries_100", 10] == "10 matches won after trailing by 100 points or more"
    assert words["upset", 7] == "7 wins against a side rated 250 or more higher"


# ---------------------------------------------------------------- rows


def read(league: League, run: int | None = None) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The badges of each player with match and position, and Ana's measured values."""
    pool = engine(league.database.url, pool_size=1)
    shown = take_snapshot(pool)
    snapshot = Snapshot(shown.conn, run or shown.run, shown.position)
    try:
        rows = badges_by_player(snapshot, DUEL)
        badges = {player: {row.badge: (row.match_id, row.position) for row in rows[player]} for player in DUEL}
        measured = measured_by_player(snapshot, ["ana"])["ana"]
        # Every badge of a match names an edition whose rules it was earned under.
        editions = {row.edition for player in DUEL for row in rows[player] if row.match_id is not None}
        assert set(rules_by_edition(snapshot, list(editions))) == editions
        return badges, {"streak": measured.streak, **{f"best {name}": value for name, value in measured.best.items()}}
    finally:
        shown.conn.close()
        pool.dispose()


def test_a_badge_moves_to_the_match_that_earns_it_after_a_correction(league: League) -> None:
    """Match and event are those of the corrected history; an earlier match that earns it now takes it back."""
    ends = [send(league, played(f"m{n}", DUEL, 2 * n, domino(0, (), 150, both=n == 1))) for n in range(4)]
    catch_up(league)
    badges, reached = read(league)
    assert (badges["ana"]["streak-3"], badges["ana"]["capicuas-1"]) == (("m2", ends[2]), ("m1", ends[1]))
    assert (reached["streak"], reached["best streak"]) == (4, 4)
    send(league, CorrectHand("m1", 1, domino(1, 150, ()), "the other one went out"))
    catch_up(league)
    badges, reached = read(league)
    assert not {"streak-3", "capicuas-1"} & set(badges["ana"])
    assert (reached["streak"], reached["best streak"], reached["best wins"]) == (2, 2, 3)
    send(league, VoidMatch("m1", "never played"))
    catch_up(league)
    badges, reached = read(league)
    assert badges["ana"]["streak-3"] == ("m3", ends[3])
    assert (reached["streak"], reached["best streak"], reached["best wins"]) == (3, 3, 3)


def test_explanations_count_what_the_fold_has_counted(league: League) -> None:
    """One definition says what a match adds to a badge, for the fold and for the rows of the table."""
    adopt(league, "[badges]\nupset = { gap = 1, thresholds = [1] }\nrecoveries = [{ behind = 5, thresholds = [1] }]")
    rng = random.Random(20261122)
    for n in range(12):
        seats = rng.sample(PLAYERS, rng.choice([2, 4]))
        behind = [domino(1, 10, 0, *[5] * (len(seats) - 2))] if rng.random() < 0.5 else []
        left = [100] if len(seats) == 2 else [40, 5, 40]
        hands = [domino(0, 0, *left, both=rng.random() < 0.5) for _ in range(2)]
        if n % 4 == 3:  # the side that would have won gives up before its last hand
            forfeit = ForfeitMatch(f"m{n}", 0, at(2 * n + 1))
            send(league, played(f"m{n}", tuple(seats), 2 * n, *behind, hands[0], competition="casual"), forfeit)
            continue
        send(league, played(f"m{n}", tuple(seats), 2 * n, *behind, *hands, competition="casual"))
    catch_up(league)
    pool = engine(league.database.url, pool_size=1)
    snapshot = take_snapshot(pool)
    assert snapshot.shown is not None
    added: dict[str, int] = {}
    try:
        measured = measured_by_player(snapshot, PLAYERS)
        for measure in measures_of(snapshot.shown.rulebook.badges):
            for player in PLAYERS:
                if isinstance(measure.definition, CountedBadge):
                    found = counted(snapshot, player, measure, UpToMatch(snapshot.shown.at))
                    assert found.value == measured[player].best.get(measure.key, 0), (measure.key, player)
                    added[measure.key] = added.get(measure.key, 0) + found.value
    finally:
        snapshot.conn.close()
        pool.dispose()
    assert {key for key, value in added.items() if value} >= {"wins", "upset", "recoveries_5", "capicuas", "viajeras"}


def test_a_new_badge_is_awarded_over_history_only_by_a_replay(league: League) -> None:
    """Adopted from some time on it is awarded by the next match; a replay awards it where it was earned."""
    ends = [send(league, announced(f"m{n}", DUEL, 2 * n, (150, 0))) for n in range(3)]
    candidate = revised("[badges]\nstreak = [2, 3]\npollonas = [1, 2]")
    catch_up(league)
    run = replay(league.database.url, candidate, ReplayPeriod())
    badges, reached = read(league, run)
    assert badges["ana"]["streak-2"] == badges["ana"]["pollonas-2"] == ("m1", ends[1])
    assert badges["ana"]["streak-3"] == read(league)[0]["ana"]["streak-3"] == ("m2", ends[2])
    assert reached == read(league)[1]
    send(league, PublishEdition(candidate), AdoptEdition(2, at(100), None))
    catch_up(league)
    assert "streak-2" not in read(league)[0]["ana"]
    last = send(league, announced("m9", DUEL, 101, (0, 150)))
    catch_up(league)
    badges, reached = read(league)
    assert badges["ana"]["streak-2"] == badges["ana"]["pollonas-2"] == ("m9", last)
    assert reached["streak"] == 0
    assert run != official(league.database.url)


def test_closed_months_earn_badges_and_count_toward_the_next(league: League) -> None:
    """The event is the closing; a correction of a closed month counts."""
    adopt(league, "[badges]\nunbeaten_month = { games = 2, thresholds = [1] }")
    send(league, *(announced(f"m{n}", DUEL, 2 * n, score) for n, score in enumerate([(150, 0), (150, 0), (0, 150)])))
    closed = send(league, CloseMonth("2026-03"))
    catch_up(league)
    badges, reached = read(league)
    assert badges["ana"]["month_won-1"] == (None, closed)
    assert (reached["best month_won"], "best unbeaten_month" in reached) == (1, False)
    assert not {"month_won-1", "unbeaten_month-1"} & set(badges["bea"])
    send(league, VoidMatch("m2", "never played"))
    catch_up(league)
    badges, reached = read(league)
    assert badges["ana"]["month_won-1"] == badges["ana"]["unbeaten_month-1"] == (None, closed)
    assert (reached["best month_won"], reached["best unbeaten_month"]) == (1, 1)
