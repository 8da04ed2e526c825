"""A large round is paired by a process in the background: once, whole, and whatever dies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from leagues import league_at
from played_tournaments import ACTOR, drawn, planned, register, state_of
from processes import Point, killed
from waiting import wait_until

from league.application.bootstrap import League
from league.infra.database import connect
from league.tournaments import drawing, pairing
from league.tournaments.apart import DrawingDied, Stopped, pair_within_limits
from league.tournaments.domain import commands as c
from league.tournaments.domain import inputs
from league.tournaments.domain.drawn import RankedCompetitor, RoundPairings, Schedule
from league.tournaments.domain.events import RoundDrawn, RoundPaired
from league.tournaments.domain.plan import parse_plan
from league.tournaments.domain.refusals import RoundNotPaired
from league.tournaments.drawing import LargeRounds, draw_round, finish_drawings, preview_round, publish_round
from league.tournaments.pairing import pair

PLAN = parse_plan({"name": "C", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 3})
LOCK = "SELECT pg_advisory_lock(hashtextextended('drawing:copa', 0))"


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fourteen players are a large round."""
    monkeypatch.setattr(pairing, "MOST_IN_THREAD", 13)


@pytest.fixture
def conn(league: League) -> Iterator[psycopg.Connection[Any]]:
    with connect(league.database.url, autocommit=True) as made:
        yield made


def pairings_stored(league: League) -> list[RoundPaired]:
    return [one.event for one in league.store.load("tournament:copa") if isinstance(one.event, RoundPaired)]


def ranked(count: int) -> RoundDrawn:
    return RoundDrawn(1, tuple(RankedCompetitor(f"p{number:02}", 0, 1) for number in range(count)))


@pytest.mark.heavy
def test_the_request_does_not_wait_for_a_large_round(league: League, conn: psycopg.Connection[Any]) -> None:
    """The drawing is stored without tables, and cannot be published. Then the background stores all of them at once."""
    planned(league, [[player] for player in register(league, 14)])
    of = drawn(league)
    assert (of.status, of.root, of.tables) == ("drawn", None, ())
    with pytest.raises(RoundNotPaired, match="its tables are being computed"):
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
    finish_drawings(league, conn)
    assert pairings_stored(league) == []
    LargeRounds(league, threading.Event()).pair_waiting(conn)
    (paired,) = pairings_stored(league)
    assert of.drawing is not None
    first = state_of(league).rounds[0].order
    expected = pair(state_of(league).known_plan, of.drawing, paired.seed, Schedule(first))
    assert (paired.tables, paired.byes) == (expected.tables, expected.byes)
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    assert len(state_of(league).rounds[0].tables) == 3


@pytest.mark.heavy
def test_a_very_large_round_has_no_preview(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview is computed while its reader waits, so there is none beyond the limit."""
    planned(league, [[player] for player in register(league, 14)])
    monkeypatch.setattr(drawing, "MOST_PREVIEWED", 14)
    assert preview_round(league, "copa") is not None
    monkeypatch.setattr(drawing, "MOST_PREVIEWED", 13)
    assert preview_round(league, "copa") is None


def test_a_preview_is_paired_once_while_its_inputs_are_the_same(league: League) -> None:
    """Whoever looks again sees the same tables; when somebody has withdrawn, others."""
    planned(league, [[player] for player in register(league, 14)])
    first, again = preview_round(league, "copa"), preview_round(league, "copa")
    assert first is not None
    assert again is not None
    assert again[1] is first[1]
    league.dispatcher.send(c.Withdraw("copa", "p03"), ACTOR)
    after = preview_round(league, "copa")
    assert after is not None
    assert "p03" not in {id_ for table in after[1].tables for side in table.sides for id_ in side}


def test_one_process_at_a_time_pairs_a_large_round(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process has the lock of the tournament, nobody computes its tables."""
    planned(league, [[player] for player in register(league, 14)])
    drawn(league)
    computed: list[str] = []

    def compute(*args: Any, **_ending: threading.Event) -> RoundPairings:
        computed.append("once")
        other.pair_waiting(second)
        return pair(*args)

    monkeypatch.setattr(drawing, "pair_within_limits", compute)
    other = LargeRounds(league, threading.Event())
    with connect(league.database.url, autocommit=True) as second:
        LargeRounds(league, threading.Event()).pair_waiting(conn)
        other.pair_waiting(second)
    assert computed == ["once"]
    assert len(pairings_stored(league)) == 1


def test_tables_of_a_drawing_that_was_made_again_are_dropped(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who draws again while tables are computed gets those of the new drawing; nothing of the old ones is stored."""
    planned(league, [[player] for player in register(league, 14)])
    drawn(league)

    def drawn_again(*args: Any, **_ending: threading.Event) -> RoundPairings:
        if state_of(league).rounds[0].drawings == 1:
            drawn(league, again="Eva came late")
        return pair(*args)

    monkeypatch.setattr(drawing, "pair_within_limits", drawn_again)
    rounds = LargeRounds(league, threading.Event())
    rounds.pair_waiting(conn)
    assert pairings_stored(league) == []
    rounds.pair_waiting(conn)
    assert len(pairings_stored(league)) == 1
    assert state_of(league).rounds[0].drawings == 2


def test_a_drawing_whose_process_died_is_tried_again_after_a_pause(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed process leaves the round drawn and without tables. It is not tried again at once, but later it is."""
    planned(league, [[player] for player in register(league, 14)])
    drawn(league)
    tries: list[int] = []

    def dies_once(*args: Any, **_ending: threading.Event) -> RoundPairings:
        tries.append(len(tries))
        if len(tries) == 1:
            raise DrawingDied(-9)
        return pair(*args)

    monkeypatch.setattr(drawing, "pair_within_limits", dies_once)
    rounds = LargeRounds(league, threading.Event())
    rounds.pair_waiting(conn)
    rounds.pair_waiting(conn)
    assert (tries, pairings_stored(league)) == ([0], [])
    now = drawing.time.monotonic()
    monkeypatch.setattr(drawing.time, "monotonic", lambda: now + drawing.LONGEST_AFTER_FAILURE)
    rounds.pair_waiting(conn)
    assert (tries, len(pairings_stored(league))) == ([0, 1], 1)


@pytest.mark.heavy
def test_the_process_gives_the_tables_or_says_that_it_died() -> None:
    """A process gives the tables of `pair`. One that fails has an exit code, and one that is stopped gives nothing."""
    drawn_, ending = ranked(14), threading.Event()
    assert pair_within_limits(PLAN, drawn_, "ab", Schedule(()), ending) == pair(PLAN, drawn_, "ab", Schedule(()))
    with pytest.raises(DrawingDied, match="ended with 1"):
        pair_within_limits(PLAN, ranked(3), "ab", Schedule(()), ending)
    ending.set()
    with pytest.raises(Stopped):
        pair_within_limits(PLAN, drawn_, "ab", Schedule(()), ending)


def test_a_small_round_that_a_crash_left_without_tables_is_finished(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For ten seconds a small round is left to the request that drew it. Then the background pairs it."""
    planned(league, [[player] for player in register(league, 8)])
    league.dispatcher.send(c.DrawRound("copa"), ACTOR)  # and the process dies
    finish_drawings(league, conn)
    assert pairings_stored(league) == []
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    finish_drawings(league, conn)
    assert len(pairings_stored(league)) == 1


KILLS = [
    Point("after", "league.eventlog.recorder:Recorder.insert"),  # the drawing is stored
    Point("after", "league.tournaments.drawing:pair_within_limits"),  # the tables are not stored
    Point("after", "league.eventlog.recorder:Recorder.insert", 2),
]


def draw_large(url: str) -> None:
    """Act as a server that draws a large round and pairs it in the background."""
    pairing.MOST_IN_THREAD = 13
    with league_at(url) as league, connect(url, autocommit=True) as conn:
        draw_round(league, c.DrawRound("copa"), ACTOR, key="draw-1")
        LargeRounds(league, threading.Event()).pair_waiting(conn)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "point", KILLS, ids=lambda point: f"{point.moment}-{point.function.split(':')[1]}-{point.call}"
)
def test_a_large_round_is_paired_once_whatever_dies(league_url: str, point: Point) -> None:
    """Another process pairs the round. There is one drawing, and its tables are stored once."""
    with league_at(league_url) as league:
        planned(league, [[player] for player in register(league, 14)])
        killed(point, draw_large, league_url)
        with connect(league_url, autocommit=True) as conn:

            def paired() -> list[Any]:
                LargeRounds(league, threading.Event()).pair_waiting(conn)
                return pairings_stored(league)

            wait_until(paired)  # the server may not have noticed yet that the other process is dead, which had the lock
        assert len(pairings_stored(league)) == 1
        of = state_of(league).rounds[0]
        assert (of.drawings, len(of.tables)) == (1, 3)
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
