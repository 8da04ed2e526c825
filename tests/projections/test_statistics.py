"""Statistics of players, pairs and of two who have met, in leagues whose figures are known."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import adopt, announced, at, block, catch_up, domino, played, reading, send
from sqlalchemy import literal

from league.application.bootstrap import League
from league.domain.league import CloseSeason, OpenSeason
from league.domain.match import ForfeitMatch, OpenMatch, RecordHand, RecordResult, VoidMatch
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.result import AnnouncedResult
from league.projections.queries import encounters, ratings, statistics
from league.projections.queries.pages import PageRequest, read_page
from league.projections.queries.statistics import CountedMatches, MatchOwner, StatisticsFilter, counted, meeting

ANA_CIRA = ("ana", "bea", "cira", "dora")
"""ana and cira are a pair, bea and dora the other one."""
WON, LOST = (150, 100), (100, 150)


def ask(league: League, question: Any, of: str, against: str | None = None, **wanted: Any) -> Any:
    """The statistics of a competitor, over the matches that pass a filter."""
    catch_up(league)
    whose = MatchOwner(of, against)
    with reading(league.database.url) as snapshot:
        return question(snapshot, counted(snapshot, StatisticsFilter(**wanted)), [whose])[whose]


def totals(league: League, of: str, against: str | None = None, **wanted: Any) -> dict[str, Any]:
    """The sums of a competitor."""
    found = ask(league, statistics.totals, of, against, **wanted)
    return {name: getattr(found, name) for name in found.__struct_fields__}


def won(league: League, of: str, against: str | None = None, **wanted: Any) -> tuple[int, int]:
    """Matches and wins."""
    found = totals(league, of, against, **wanted)
    return found["matches"], found["wins"]


# ---------------------------------------------------------------- sums


@pytest.mark.also_on_server
def test_what_two_players_did_in_two_matches(league: League) -> None:
    """Hands count by side, closing tiles for the player, a pollona for the winner and against the loser."""
    behind, level, over = domino(1, 110, ()), domino(0, (), 80), domino(0, (), 80, both=True)
    send(league, played("m1", ("ana", "bea"), 0, behind, level, over))
    send(league, played("m2", ("bea", "ana"), 2, block(0, 5, 152)))
    assert totals(league, "ana") == {
        "matches": 2, "wins": 1, "average_difference": -51.0, "hands_won": 2, "hands_won_by_block": 0, "capicuas": 1,
        "viajeras": 0, "pollonas": 0, "pollonas_suffered": 1, "recoveries": ((50, 1), (100, 1)),
    }  # fmt: skip
    assert totals(league, "bea") == {
        "matches": 2, "wins": 1, "average_difference": 51.0, "hands_won": 2, "hands_won_by_block": 1, "capicuas": 0,
        "viajeras": 2, "pollonas": 1, "pollonas_suffered": 0, "recoveries": ((50, 0), (100, 0)),
    }  # fmt: skip


def test_only_decided_matches_count(league: League) -> None:
    """Casual and forfeited ones count; open and voided ones do not."""
    send(league, announced("m1", ("ana", "bea"), 0, competition="casual"), announced("void", ("ana", "bea"), 2))
    send(league, VoidMatch("void", "never played"), played("open", ("ana", "bea"), 4, domino(0, (), 80, both=True)))
    send(league, played("m2", ("ana", "bea"), 6, domino(0, (), 80)), ForfeitMatch("m2", 0, at(7)))
    found = totals(league, "ana")
    assert (found["matches"], found["wins"], found["capicuas"], found["hands_won"]) == (2, 1, 0, 0)
    assert found["average_difference"] == (50 + 80) / 2


def test_a_match_without_points_has_no_difference(league: League) -> None:
    """A match with an unknown score has none either."""
    for match, ruleset, score in (("m1", "partnership-6", (6, 3)), ("m2", "chiva-4", None), ("m3", "cuban-150", None)):
        send(league, OpenMatch(match, ruleset, "2v2", "competitive", ANA_CIRA, None, at(0)))
        send(league, RecordResult(match, AnnouncedResult(0, score), at(1)))
    found = totals(league, "ana")
    assert (found["matches"], found["wins"], found["average_difference"]) == (3, 3, None)


def test_a_pair_is_the_same_whatever_its_seats(league: League) -> None:
    """What either of them closed counts for the pair; matches with other partners do not."""
    capicuas = [domino(0, (), 40, 5, 40, both=True), domino(2, 5, 40, (), 40, both=True)]
    send(league, played("m1", ANA_CIRA, 0, *capicuas))
    send(league, announced("m2", ("dora", "cira", "bea", "ana"), 2, WON), announced("m3", ("ana", "cira"), 4))
    send(league, announced("m4", ("ana", "cira", "bea", "dora"), 6))
    found = totals(league, "ana+cira")
    assert (found["matches"], found["wins"], found["capicuas"], found["hands_won"]) == (2, 1, 2, 2)
    assert (totals(league, "ana")["capicuas"], totals(league, "cira")["capicuas"]) == (1, 1)


def test_who_has_not_played_has_done_nothing(league: League) -> None:
    """All counts of a player without matches, or of an unknown player, are 0."""
    send(league, announced("m1", ("ana", "bea"), 0))
    for unplayed in ("flor", "nobody", "eva+flor"):
        assert won(league, unplayed) == (0, 0)
        assert ask(league, statistics.streaks, unplayed) == statistics.MatchStreaks()
        assert ask(league, statistics.form, unplayed) == []
        assert ask(league, ratings.marks, unplayed) == ratings.RatingMarks()


def test_two_who_have_met_sat_on_different_sides(league: League) -> None:
    """Matches in which they were partners do not count; a pair has met a pair when all four played."""
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ANA_CIRA, 2, LOST),
        announced("m3", ("ana", "cira", "bea", "dora"), 4),
        announced("m4", ("ana", "bea", "cira", "eva"), 6),
    )
    assert (won(league, "ana", "bea"), won(league, "bea", "ana")) == ((3, 2), (3, 1))
    assert (won(league, "ana+cira", "bea+dora"), won(league, "bea+dora", "ana+cira")) == ((1, 0), (1, 1))
    assert won(league, "ana", "bea", mode="1v1") == (1, 1)


@pytest.mark.parametrize(
    ("a", "b"), [("ana", "ana"), ("ana", "bea+cira"), ("ana+bea", "bea+cira")], ids=["same", "kinds", "shared"]
)
def test_who_cannot_have_met(a: str, b: str) -> None:
    """A player and the same one, a player and a pair, two pairs with a player in both."""
    with pytest.raises(InvalidInput, match="against"):
        meeting(a, b, "against")


# ---------------------------------------------------------------- which matches


def test_a_match_is_of_the_month_and_the_season_in_which_it_began(league: League) -> None:
    """Months follow the league's clock: 23:30 in Havana is the next day in UTC, and midnight may come twice."""
    march, april = (31 * 24 - 8.5), (31 * 24 - 7.5)
    november = 245 * 24 - 7.75
    send(league, announced("m1", ("ana", "bea"), march), announced("m2", ("ana", "bea"), april))
    send(league, announced("m3", ("ana", "bea"), november))
    assert [won(league, "ana", month=f"2026-{n:02}")[0] for n in (2, 3, 4, 10, 11)] == [0, 1, 1, 0, 1]
    send(league, OpenSeason("s1", "Spring", at(april)), CloseSeason("s1", at(november)))
    assert won(league, "ana", season="s1") == (1, 1)
    assert won(league, "ana", season="s1", month="2026-03") == (0, 0)
    assert won(league, "ana", season="s1", month="2026-04") == (1, 1)


def test_matches_are_chosen_by_mode_ruleset_and_competition(league: League) -> None:
    """A match counts only if it meets every condition of the filter."""
    send(league, announced("m1", ("ana", "bea"), 0, competition="casual"), announced("m2", ANA_CIRA, 2))
    assert won(league, "ana", mode="1v1") == won(league, "ana", competition="casual") == (1, 1)
    assert won(league, "ana", ruleset="cuban-150") == (2, 2)
    assert won(league, "ana", mode="2v2", competition="casual") == won(league, "ana", ruleset="chiva-4") == (0, 0)


@pytest.mark.parametrize(
    ("wanted", "refusal"),
    [
        ({"month": "2026-13"}, InvalidInput("month", "'2026-13' is not a month; an example is 2026-03")),
        ({"season": "s9"}, NotFound("season", "season", "s9")),
    ],
)
def test_a_filter_that_names_nothing_is_refused(league: League, wanted: dict[str, str], refusal: Refusal) -> None:
    """An invalid month, an unknown season."""
    with pytest.raises(type(refusal)) as refused:
        ask(league, statistics.totals, "ana", **wanted)
    assert refused.value == refusal


# ---------------------------------------------------------------- streaks and form


def streaks(league: League, of: str, **wanted: Any) -> list[Any]:
    """The current streak and the longest ones, each as: won, length, from and until (hours)."""
    found = ask(league, statistics.streaks, of, **wanted)
    return [(s.won, s.length, *((t - at(0)).total_seconds() / 3600 for t in (s.since, s.until))) if s else None
             for s in (found.current, found.longest_won, found.longest_lost)]  # fmt: skip


def test_streaks_go_in_the_order_decided_over_both_modes(league: League) -> None:
    """Streaks go in the order decided over both modes; among equally long ones the earliest counts."""
    send(league, *(announced(f"m{n}", ("ana", "bea"), n, WON) for n in range(2)), announced("m2", ANA_CIRA, 2, LOST))
    send(league, announced("n2", ("ana", "bea"), 4, WON), announced("n1", ("ana", "eva"), 4, WON))
    assert streaks(league, "ana") == [(True, 2, 5, 5), (True, 2, 1, 2), (False, 1, 3, 3)]
    assert streaks(league, "ana", mode="2v2") == [(False, 1, 3, 3), None, (False, 1, 3, 3)]
    send(league, announced("n3", ("ana", "bea"), 4, LOST))
    assert streaks(league, "ana")[0] == (False, 1, 5, 5)
    send(league, announced("n0", ("ana", "bea"), 4, WON))
    assert streaks(league, "ana")[1] == (True, 3, 5, 5)


def test_individuals_make_streaks_only_where_they_are_asked_for(league: League) -> None:
    """Matches of individuals make a streak only if they are asked for, as for badges."""
    send(league, announced("m1", ("ana", "bea"), 0))
    for hour, winner in ((2, 1), (4, 0)):
        seats = ("ana", "bea", "cira")
        send(league, OpenMatch(f"i{hour}", "doscientos-100", "individuals", "casual", seats, None, at(hour)))
        send(league, RecordResult(f"i{hour}", AnnouncedResult(winner), at(hour + 1)))
    assert won(league, "ana") == (3, 2)
    assert streaks(league, "ana") == [(True, 1, 1, 1), (True, 1, 1, 1), None]
    assert streaks(league, "ana", mode="individuals") == [(True, 1, 5, 5), (True, 1, 5, 5), (False, 1, 3, 3)]
    assert [row.match_id for row in ask(league, statistics.form, "ana")] == ["m1"]


def test_form_is_the_last_ten_matches(league: League) -> None:
    """The form is the last ten matches, latest first."""
    scores = [WON if n % 3 else LOST for n in range(12)]
    send(league, *(announced(f"m{n:02}", ("ana", "bea"), n, s, competition="casual") for n, s in enumerate(scores)))
    found = [(row.match_id, row.won) for row in ask(league, statistics.form, "ana")]
    assert found == [(f"m{n:02}", bool(n % 3)) for n in range(11, 1, -1)]


# ---------------------------------------------------------------- marks


def test_an_established_peak_stands_before_a_higher_provisional_one(league: League) -> None:
    """The first match lifts ana far as a newcomer; her peak is what she reached once established."""
    adopt(league, "rating.provisional_below = 3\nrating.k.provisional = 400")
    scores = [WON, LOST, LOST, WON, LOST]
    send(league, *(announced(f"m{n}", ("ana", "bea"), 2 * n, score) for n, score in enumerate(scores[:2])))
    first = ask(league, ratings.marks, "ana").peak
    assert (first.match_id, first.provisional) == ("m0", True)
    send(league, *(announced(f"m{n}", ("ana", "bea"), 2 * n, score) for n, score in enumerate(scores) if n >= 2))
    found = ask(league, ratings.marks, "ana").peak
    assert (found.match_id, found.mode, found.provisional, found.decided_at) == ("m3", "1v1", False, at(7))
    assert found.after < first.after


def test_the_best_win_is_against_the_highest_rated_side(league: League) -> None:
    """The best win is against the highest rated side, the worst loss against the lowest; ties go to the earliest."""
    send(league, *(announced(f"a{n}", ("bea", "cira"), n, WON) for n in range(3)))
    send(league, announced("m1", ("ana", "eva"), 10), announced("m2", ("ana", "bea"), 12))
    send(league, announced("m3", ("ana", "flor"), 14, LOST), announced("m4", ("ana", "cira"), 16, LOST))
    found = ask(league, ratings.marks, "ana")
    assert (found.best_win.match_id, found.worst_loss.match_id) == ("m2", "m4")
    assert found.worst_loss.opponents < 1500 < found.best_win.opponents
    against = ask(league, ratings.marks, "ana", "eva")
    assert (against.best_win.match_id, against.worst_loss) == ("m1", None)
    send(league, announced("p1", ANA_CIRA, 20), announced("p2", ("ana", "eva", "cira", "flor"), 22))
    assert ask(league, ratings.marks, "ana+cira").best_win.match_id == "p1"
    assert ask(league, ratings.marks, "ana+cira").best_win.opponents == 1500


# ---------------------------------------------------------------- partners and opponents


def met(
    league: League, find: Any, of: str, page: PageRequest | None = None, matches: CountedMatches | None = None
) -> list[Any]:
    """The players or pairs that were met: id, matches, wins."""
    catch_up(league)
    with reading(league.database.url) as snapshot:
        query = find(snapshot.run, literal(of), matches or CountedMatches())
        found = read_page(
            snapshot.conn, encounters.CompanyRow, query, encounters.MOST_OFTEN_FIRST, page or PageRequest(10)
        )
    return [(row.id, row.matches, row.wins) for row in found.rows]


def test_partners_and_opponents_come_the_most_often_first(league: League) -> None:
    """Partners and opponents come most often met first, then by id. A pair meets pairs, whatever their seats."""
    send(
        league,
        announced("m1", ANA_CIRA, 0),
        announced("m2", ("dora", "cira", "bea", "ana"), 2),
        announced("m3", ("ana", "eva", "flor", "dora"), 4),
        announced("m4", ("ana", "eva"), 6, LOST),
    )
    assert met(league, encounters.partners_of, "ana") == [("cira", 2, 1), ("flor", 1, 1)]
    assert met(league, encounters.opponents_of_player, "ana") == [("dora", 3, 2), ("bea", 2, 1), ("eva", 2, 1)]
    assert met(league, encounters.opponents_of_pair, "ana+cira") == [("bea+dora", 2, 1)]
    assert met(league, encounters.opponents_of_player, "ana", matches=CountedMatches((("mode", "1v1"),))) == [
        ("eva", 1, 0)
    ]
    with reading(league.database.url) as snapshot:
        query = encounters.opponents_of_player(snapshot.run, literal("ana"), CountedMatches())
        first = read_page(snapshot.conn, encounters.CompanyRow, query, encounters.MOST_OFTEN_FIRST, PageRequest(2))
    rest = PageRequest(2, after=first.cursors[-1])
    assert (first.has_next, met(league, encounters.opponents_of_player, "ana", rest)) == (True, [("eva", 2, 1)])


def test_opponents_of_individuals_are_met_one_by_one(league: League) -> None:
    """In a match of individuals each of the others is an opponent."""
    send(league, OpenMatch("i1", "doscientos-100", "individuals", "casual", ("ana", "bea", "cira"), None, at(0)))
    send(league, *(RecordHand("i1", domino(0, (), 30, 30), None, at(1)) for _ in range(2)))
    assert met(league, encounters.opponents_of_player, "ana") == [("bea", 1, 1), ("cira", 1, 1)]
    assert met(league, encounters.partners_of, "ana") == []


# ---------------------------------------------------------------- as of a moment


def figures(league: League, of: str, **wanted: Any) -> list[Any]:
    """All figures of a competitor, with the players and pairs that they met."""
    questions = (statistics.totals, statistics.streaks, statistics.form, ratings.marks)
    found = [ask(league, question, of, **wanted) for question in questions]
    with reading(league.database.url) as snapshot:
        matches = counted(snapshot, StatisticsFilter(**wanted))
    find = (encounters.opponents_of_pair,) if "+" in of else (encounters.partners_of, encounters.opponents_of_player)
    return found + [met(league, one, of, matches=matches) for one in find]


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_figures_as_of_a_moment_are_those_of_a_league_that_ended_then(league: League) -> None:
    """Figures as of a moment, rules included, are those of a league that ended then, for players and pairs."""
    early = [announced("m1", ("ana", "bea"), 0), announced("m2", ANA_CIRA, 2), announced("m3", ("ana", "eva"), 4, LOST)]
    late = [
        announced("m4", ANA_CIRA, 12, LOST),
        announced("m5", ("bea", "ana"), 14),
        announced("m6", ("ana", "flor"), 16),
    ]
    send(league, *early)
    ids = ("ana", "bea", "cira", "ana+cira", "bea+dora", "flor")
    then = {id_: figures(league, id_) for id_ in ids}
    adopt(league, "rating.provisional_below = 1\nbadges.recoveries = [{behind = 20, thresholds = [1]}]", at(10))
    send(league, *late)
    assert then == {id_: figures(league, id_, decided_until=at(5)) for id_ in ids}, "to the moment of the third match"
    assert [won(league, "ana", decided_until=at(hours)) for hours in (0.9, 1, 3, 20)] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (6, 3),
    ]
    assert won(league, "ana", decided_until=at(13), mode="2v2") == (2, 1)
    now, nothing = totals(league, "ana"), totals(league, "ana", decided_until=at(0.5))
    assert ([behind for behind, _ in now["recoveries"]], nothing["recoveries"]) == ([20], ())
    assert ask(league, ratings.marks, "ana", decided_until=at(0.5)) == ratings.RatingMarks()
    assert then["ana"][3].peak.provisional
