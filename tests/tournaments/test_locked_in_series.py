"""Pairs that the series of the month has locked: they meet only if no round avoids it, and never stop a round."""

from __future__ import annotations

import pytest
from leagues import adopt
from played_tournaments import ACTOR, drawn, planned, published, register, state_of

from league.application.bootstrap import League
from league.domain.match import OpenMatch, RecordResult, VoidMatch
from league.domain.match_refusals import SeriesLocked
from league.domain.player import MergePlayers, RegisterPlayer
from league.domain.result import AnnouncedResult
from league.tournaments.domain import commands as c
from league.tournaments.domain.drawn import Relaxation
from league.tournaments.domain.refusals import DrawnAgain
from league.tournaments.drawing import publish_round


def planned_for(league: League, players: int, **plan: object) -> None:
    """A Swiss tournament whose matches count in the series."""
    settings = {"format": "swiss", "mode": "1v1", "competition": "competitive", **plan}
    planned(league, [[player] for player in register(league, players)], **settings)


def meet(league: League, one: str, other: str, times: int = 4) -> None:
    """Let two meet this many times outside the tournament."""
    for number in range(times):
        match = f"{one}-{other}-{number}"
        league.dispatcher.send(OpenMatch(match, "cuban-150", "1v1", "competitive", (one, other)), ACTOR)
        league.dispatcher.send(RecordResult(match, AnnouncedResult(0, (150, 0))), ACTOR)


def publish(league: League) -> None:
    publish_round(league, c.PublishRound("copa", len(state_of(league).rounds)), ACTOR)


def competition_of(league: League, match: str) -> str:
    return league.store.load(f"match:{match}")[0].event.competition  # type: ignore[attr-defined, no-any-return]


def test_a_pair_that_is_locked_since_the_drawing_is_drawn_apart(league: League) -> None:
    """If a pair is locked after the drawing, publication is refused, and a new drawing keeps the two apart."""
    planned_for(league, 4)
    of = drawn(league)
    one, other = of.tables[0].competitors
    meet(league, one, other)
    with pytest.raises(DrawnAgain):
        publish(league)
    after = state_of(league).rounds[0]
    assert (after.status, after.drawings) == ("drawn", 2)
    assert frozenset({one, other}) not in {frozenset(table.competitors) for table in after.tables}
    publish(league)
    assert state_of(league).rounds[0].status == "published"
    assert {competition_of(league, f"copa-r1-t{table}") for table in (1, 2)} == {"competitive"}


def test_a_locked_pair_that_has_to_meet_plays_a_casual_match(league: League) -> None:
    """A locked pair that must meet plays a casual match. The table lists the lock, and the round is published."""
    planned_for(league, 2)
    meet(league, "p01", "p02")
    of = published(league)
    assert [one.criterion for one in of.tables[0].relaxed] == ["series"]
    assert competition_of(league, "copa-r1-t1") == "casual"


def test_a_pair_that_met_under_an_id_that_was_merged_later_is_locked(league: League) -> None:
    """Who enters under either id is kept from whom they have met as often as the series allows."""
    planned_for(league, 4)
    league.dispatcher.send_all(
        [RegisterPlayer("old", "Yanelis"), RegisterPlayer("older", "Yoel"), RegisterPlayer("kept", "Yoel")], ACTOR
    )
    meet(league, "old", "p04")
    meet(league, "older", "p03")
    league.dispatcher.send(MergePlayers("p01", "old"), ACTOR)
    league.dispatcher.send(MergePlayers("kept", "older"), ACTOR)
    league.dispatcher.send(c.EnterCompetitor("copa", ("kept",)), ACTOR)
    assert drawn(league).status == "drawn"
    drawing = state_of(league).rounds[0].drawing
    assert drawing is not None
    assert drawing.locked == (("kept", "p03"), ("p01", "p04"))


def test_a_pair_that_is_locked_since_the_drawing_and_has_to_meet_is_drawn_again_once(league: League) -> None:
    """A pair that must meet is drawn again only once: the second drawing knows the lock and opens a casual match."""
    planned_for(league, 2)
    drawn(league)
    meet(league, "p01", "p02")
    with pytest.raises(DrawnAgain):
        publish(league)
    publish(league)
    of = state_of(league).rounds[0]
    assert (of.status, of.drawings) == ("published", 2)
    assert competition_of(league, "copa-r1-t1") == "casual"


def test_a_match_of_a_pair_that_was_locked_meanwhile_is_replaced_by_a_casual_one(league: League) -> None:
    """A replaced match is casual if its pair was locked meanwhile, because they cannot be drawn apart any more."""
    planned_for(league, 2)
    published(league)
    league.dispatcher.send(VoidMatch("copa-r1-t1", "wrong set"), ACTOR)
    meet(league, "p01", "p02")
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "again"), ACTOR)
    assert competition_of(league, "copa-r1-t1-2") == "casual"


def test_a_locked_pair_that_somebody_puts_together_plays_a_casual_match(league: League) -> None:
    """A locked pair that somebody puts together plays a casual match. The table lists the lock all the time."""
    planned_for(league, 4)
    of = drawn(league)
    (a,), (b,) = of.tables[0].sides
    (d,), (e,) = of.tables[1].sides
    meet(league, a, d)
    change = c.ChangePairings("copa", 1, (c.NewTable(1, ((a,), (d,))), c.NewTable(2, ((b,), (e,)))), "a wish")
    league.dispatcher.send(change, ACTOR)
    publish(league)
    league.dispatcher.send(change, ACTOR)
    for match in ("copa-r1-t1", "copa-r1-t1-2"):
        assert competition_of(league, match) == "casual"
    assert {competition_of(league, match) for match in ("copa-r1-t2", "copa-r1-t2-2")} == {"competitive"}
    tables = state_of(league).rounds[0].tables
    assert [table.relaxed for table in tables] == [(Relaxation("series", tuple(sorted((a, d)))),), ()]


def test_a_match_that_is_voided_by_a_change_does_not_lock_its_pair(league: League) -> None:
    """If the same two meet again at their table, the voided match does not lock them: they play under the plan."""
    planned_for(league, 2)
    meet(league, "p01", "p02", times=3)
    published(league)
    change = c.ChangePairings("copa", 1, (c.NewTable(1, (("p02",), ("p01",))),), "they want to sit otherwise")
    league.dispatcher.send(change, ACTOR)
    assert competition_of(league, "copa-r1-t1-2") == "competitive"


def test_where_casual_matches_count_too_a_locked_pair_is_refused(league: League) -> None:
    """If casual matches count, publication is refused and nothing is drawn again: the round would be the same."""
    adopt(league, 'series.competitions = ["casual", "competitive"]')
    planned_for(league, 2)
    meet(league, "p01", "p02")
    drawn(league)
    before = league.store.head()
    with pytest.raises(SeriesLocked):
        publish(league)
    assert league.store.head() == before
