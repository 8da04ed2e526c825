"""Achievements and badges: what is credited to whom, and which match earned it."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import (
    adopt,
    announced,
    at,
    block,
    catch_up,
    domino,
    exported,
    meeting,
    official,
    opened,
    played,
    reading,
    revised,
    send,
)

from league.application.bootstrap import League
from league.domain.match import CorrectHand, EndMatch, ForfeitMatch, OpenMatch, RecordHand, VoidMatch
from league.explanations.badges import explain_badge
from league.projections.boards.board import BoardKey
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import PlaceRow, read_places
from league.projections.replays.replay import ReplayPeriod, replay

PAIRS = ("ana", "bea", "cira", "dora")
"""Ana and Cira against Bea and Dora."""


def achievements(league: League) -> dict[str, tuple[int, int, int, int]]:
    """The capicúas, viajeras, pollonas and hands won of each player."""
    catch_up(league)
    rows = exported(league.database.url, "achievements")
    return {row["id"]: (row["capicuas"], row["viajeras"], row["pollonas"], row["hands_won"]) for row in rows}


def badges(league: League, player: str, run: int | None = None) -> list[str]:
    catch_up(league)
    return [row["badge"] for row in exported(league.database.url, "badges", run) if row["id"] == player]


def test_a_capicua_counts_for_who_went_out_and_a_hand_for_both_partners(league: League) -> None:
    """Cira goes out with a capicúa: hers alone; the hand is hers and Ana's."""
    send(league, played("m1", PAIRS, 0, domino(2, 80, 80, (), 80, both=True)))
    assert achievements(league) == {
        "ana": (0, 0, 1, 1),
        "bea": (0, 0, 0, 0),
        "cira": (1, 1, 1, 1),
        "dora": (0, 0, 0, 0),
    }


@pytest.mark.parametrize(
    ("locker", "credited"),
    [(2, "cira"), (1, "ana"), (None, "ana")],
    ids=["the locker of the winning side", "a locker of the other side", "no locker known"],
)
def test_who_is_credited_with_a_viajera_by_a_block(league: League, locker: int | None, credited: str) -> None:
    """In a block the locker is credited if on the winning side, else the seat of that side with the lowest hand."""
    send(league, played("m1", PAIRS, 0, block(locker, 5, 60, 9, 60)), EndMatch("m1", None, at(1)))
    viajeras = {player: found[1] for player, found in achievements(league).items()}
    assert viajeras == {player: int(player == credited) for player in PAIRS}


def test_a_forfeited_match_has_no_achievements(league: League) -> None:
    """A forfeited match gives no achievements, neither to the winner nor for the hands that were played."""
    hand = RecordHand("m1", domino(0, (), 80, both=True), None, at(0.5))
    send(league, OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, at(0)), hand)
    send(league, ForfeitMatch("m1", 0, at(1)))
    assert achievements(league) == {"ana": (0, 0, 0, 0), "bea": (0, 0, 0, 0)}


def test_a_forfeit_is_a_win_and_no_upset(league: League) -> None:
    """It counts among matches, wins and streaks, but nobody has beaten the higher rated side."""
    adopt(league, "[badges]\nupset = { gap = 50, thresholds = [1, 2] }\nstreak = [1]\nwins = [1]")
    send(
        league,
        announced("m1", ("ana", "bea"), 0, (150, 0)),
        opened("m2", ("ana", "bea"), 2),
        ForfeitMatch("m2", 0, at(3)),
    )
    assert {"streak-1", "wins-1"} <= set(badges(league, "bea"))
    assert "upset-1" not in badges(league, "bea")
    with reading(league.database.url) as snapshot:
        told = explain_badge(snapshot, "bea", "upset-1")
        assert [(term.name, term.value) for term in told.terms] == [("before", 0)]
    send(league, announced("m3", ("bea", "ana"), 4))
    assert "upset-1" in badges(league, "bea")
    assert "upset-2" not in badges(league, "bea")


def test_individuals_count_on_achievement_boards_and_for_no_badge(league: League) -> None:
    """Badges are over both rated modes together."""
    seats = ("ana", "bea", "cira")
    hands = [RecordHand("m1", domino(0, (), 30, 30, both=True), None, at(1)) for _ in range(4)]
    send(league, OpenMatch("m1", "doscientos-200", "individuals", "casual", seats, None, at(0)), *hands)
    assert achievements(league)["ana"] == (4, 0, 1, 4)
    assert badges(league, "ana") == []


def test_three_wins_in_a_row_earn_a_badge_by_the_third(league: League) -> None:
    """Three wins in a row over both modes, casual matches included, earn a badge with the event of the third win."""
    send(league, announced("m1", ("ana", "bea"), 0, competition="casual"), announced("m2", PAIRS, 2))
    assert "streak-3" not in badges(league, "ana")
    third = send(league, announced("m3", ("ana", "bea"), 4))
    assert "streak-3" in badges(league, "ana")
    row = next(r for r in exported(league.database.url, "badges") if (r["id"], r["badge"]) == ("ana", "streak-3"))
    assert (row["earned_at"], row["position"]) == ("2026-03-01T17:00:00+00:00", third)


def test_a_lost_match_breaks_the_streak(league: League) -> None:
    """Two wins, a loss and two more wins are not three wins in a row."""
    scores: list[tuple[int, int]] = [(150, 0), (150, 0), (0, 150), (150, 0), (150, 0)]
    send(league, *(announced(f"m{n}", ("ana", "bea"), 2 * n, score) for n, score in enumerate(scores)))
    assert "streak-3" not in badges(league, "ana")
    assert "pollonas-1" in badges(league, "bea")


def test_a_recovery_earns_its_step_and_the_ones_below(league: League) -> None:
    """A match won after trailing by 110 earns both recoveries, each once."""
    behind = domino(1, 110, ())
    ahead = [domino(0, (), 80) for _ in range(2)]
    send(league, played("m1", ("ana", "bea"), 0, behind, *ahead))
    assert {"recoveries_50-1", "recoveries_100-1"} <= set(badges(league, "ana"))


def test_a_rating_earns_its_badge_only_when_established(league: League) -> None:
    """1600 is passed early; the badge comes with the match that establishes the rating."""
    adopt(league, "rating.provisional_below = 5")
    send(league, *(announced(f"m{n}", meeting(n), 2 * n, (150, 0)) for n in range(4)))
    assert "rating-1600" not in badges(league, "ana")
    send(league, announced("m4", meeting(4), 8, (150, 0)))
    assert "rating-1600" in badges(league, "ana")


@pytest.mark.parametrize(("gap", "earned"), [(1, True), (100_000, False)])
def test_an_upset_is_a_win_against_a_much_higher_side(league: League, gap: int, earned: bool) -> None:
    """The averages before the match are compared."""
    adopt(league, f"[badges]\nupset = {{ gap = {gap}, thresholds = [1] }}")
    send(league, announced("m1", ("ana", "bea"), 0, (150, 0)), announced("m2", ("ana", "bea"), 2, (0, 150)))
    assert ("upset-1" in badges(league, "bea")) is earned
    assert "upset-1" not in badges(league, "ana")


def test_a_badge_goes_with_the_match_that_earned_it(league: League) -> None:
    """Only voiding or correcting the match takes the badge away."""
    send(league, *(played(f"m{n}", ("ana", "bea"), 2 * n, domino(0, (), 150, both=n == 0)) for n in range(3)))
    assert {"streak-3", "capicuas-1"} <= set(badges(league, "ana"))
    send(league, CorrectHand("m0", 1, domino(0, (), 150), "no capicúa"))
    assert "capicuas-1" not in badges(league, "ana")
    send(league, VoidMatch("m1", "never played"))
    assert "streak-3" not in badges(league, "ana")


@pytest.mark.also_on_server
def test_a_new_badge_is_awarded_over_history_by_a_replay(league: League) -> None:
    """A threshold of 2 wins, which no edition had: the run awards it where it was earned."""
    send(league, *(announced(f"m{n}", ("ana", "bea"), 2 * n) for n in range(3)))
    catch_up(league)
    run = replay(league.database.url, revised("[badges]\nwins = [2]"), ReplayPeriod())
    assert "wins-2" in badges(league, "ana", run)
    assert "wins-2" not in badges(league, "ana", official(league.database.url))
    rows: list[dict[str, Any]] = exported(league.database.url, "badges", run)
    assert next(row for row in rows if row["badge"] == "wins-2")["earned_at"] == "2026-03-01T15:00:00+00:00"


def test_capicuas_per_hand_need_enough_hands(league: League) -> None:
    """The board lists players with enough hands won (50 by the rules, 2 here); equal ratios share a rank."""
    adopt(league, "boards.capicuas_per_hand_from = 2")
    send(league, played("m1", ("ana", "bea"), 0, domino(0, (), 80, both=True), domino(0, (), 80)))
    send(league, played("m2", ("cira", "dora"), 2, domino(0, (), 150, both=True)))
    catch_up(league)
    rows = exported(league.database.url, "boards")
    found = [(r["board"], r["rank"], r["id"], r["value"]) for r in rows if r["region"] is None and "cap" in r["board"]]
    assert found == [("capicuas", 1, "ana", 1), ("capicuas", 1, "cira", 1), ("capicuas_per_hand", 1, "ana", 0.5)]


def test_the_board_of_wins_ranks_everybody_from_the_first_win(league: League) -> None:
    """Wins of every kind count, a forfeit too; equal ones share a rank, who has won nothing is not listed."""
    send(league, played("m1", PAIRS, 0, domino(2, 80, 80, (), 80, both=True)))
    send(league, OpenMatch("m2", "cuban-150", "1v1", "casual", ("ana", "bea")), ForfeitMatch("m2", 1))
    send(league, announced("m3", ("bea", "dora"), 2))
    catch_up(league)

    def board() -> list[tuple[int | None, str, float]]:
        with reading(league.database.url) as snapshot:
            rows = read_places(snapshot, PlaceRow, BoardKey("wins"), PageRequest(10)).rows
        return [(row.rank, row.id, row.value) for row in rows]

    assert board() == [(1, "ana", 2), (2, "bea", 1), (2, "cira", 1)]
    send(league, VoidMatch("m2", "it was not played", None))
    catch_up(league)
    assert board() == [(1, "ana", 1), (1, "bea", 1), (1, "cira", 1)]
