"""If a process dies while a round is drawn, published or played, each table exists exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from busy_tournaments import (
    COME_BACK,
    WITHDRAW_ROUND,
    absent,
    before_bracket,
    carry_out,
    check,
    correct,
    in_round_robin,
    in_semi_finals,
    in_swiss,
    in_tie,
    leave_table,
    publish,
    record,
)
from leagues import league_at
from msgspec.structs import replace
from played_tournaments import ACTOR, commit, finish, give, planned, published, register, state_of
from processes import Point, killed

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.audit.signed_heads import read_private_key
from league.domain.match import MatchEnded, RecordResult
from league.domain.result import AnnouncedResult
from league.infra.database import connect
from league.tournaments.domain import commands as c
from league.tournaments.domain import inputs
from league.tournaments.domain.drawn import seed_of
from league.tournaments.domain.events import SeedContributed
from league.tournaments.domain.outcomes import outcomes
from league.tournaments.domain.plan import tie_breaks_of
from league.tournaments.domain.standing import StandingPlace, standing
from league.tournaments.drawing import draw_round, finish_drawings, publish_round
from league.tournaments.tournament_states import point_rules_in_force, results_of

pytestmark = pytest.mark.heavy

KEY = read_private_key("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
DRAWING = "league.tournaments.drawing"
POINTS = [
    Point("after", "league.eventlog.recorder:Recorder.insert"),  # the drawing is stored
    Point("before", f"{DRAWING}:root_of"),
    Point("before", f"{DRAWING}:pair_apart"),
    Point("after", f"{DRAWING}:pair_apart"),
    Point("before", "league.eventlog.recorder:Recorder.insert", 2),  # the tables are not stored
    Point("after", "league.eventlog.recorder:Recorder.insert", 2),
    Point("before", "league.tournaments.tournament_states:_write", 3),  # within the publication
    Point("after", "league.tournaments.tournament_states:_write", 3),
    Point("after", "league.eventlog.recorder:Recorder.insert", 3),  # the publication is stored
]
STORED = [point for point in POINTS if point.function.endswith("Recorder.insert") and point.moment == "after"]
"""The moments after which the log differs."""

RECORDING = [
    Point("before", "league.eventlog.recorder:Recorder.insert", 2),
    Point("after", "league.eventlog.recorder:Recorder.insert", 2),
    Point("before", "league.eventlog.recorder:Recorder.insert", 3),
]


def record_round(url: str, answered: str) -> None:
    """Act as a server while a keeper records the results of a round, and write each answered match to a file."""
    with league_at(url) as league, Path(answered).open("a", encoding="utf-8") as file:
        for match in matches_of(league):
            league.dispatcher.send(RecordResult(match, AnnouncedResult(0, (150, 20))), ACTOR, key=f"result-{match}")
            file.write(f"{match}\n")
            file.flush()


def matches_of(league: League) -> list[str]:
    return [table.match for table in state_of(league).rounds[-1].tables if table.match is not None]


def results_stored(league: League, match: str) -> int:
    return sum(isinstance(stored.event, MatchEnded) for stored in league.store.load(f"match:{match}"))


@pytest.mark.parametrize("point", RECORDING, ids=lambda point: f"{point.moment}-{point.call}")
def test_a_result_that_was_answered_is_there_once_whatever_dies(league_url: str, tmp_path: Path, point: Point) -> None:
    """After the keeper records the rest again, each result is stored once, and the round can be closed."""
    answered = tmp_path / "answered"
    with league_at(league_url) as league:
        planned(league, [[player] for player in register(league, 14)])
        published(league)
        killed(point, record_round, league_url, str(answered))
        known = answered.read_text(encoding="utf-8").split()
        assert len(known) == point.call - 1
        assert [results_stored(league, match) for match in known] == [1] * len(known)
        record_round(league_url, str(answered))
        assert matches_of(league) == [f"copa-r1-t{number}" for number in (1, 2, 3)]
        assert [results_stored(league, match) for match in matches_of(league)] == [1, 1, 1]
        league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)
        won = [id_ for table in state_of(league).rounds[0].tables for id_ in table.sides[0]]
        assert {place.id for place in standing_of(league) if place.won == 1} == {*won, *state_of(league).rounds[0].byes}


def standing_of(league: League) -> list[StandingPlace]:
    states, state = StreamStates(league.store, clock()), state_of(league)
    assert state.plan is not None
    found = outcomes(state, results_of(state.matches(), states), point_rules_in_force(state, states))
    return standing(found, tie_breaks_of(state.plan))


def draw_and_publish(url: str) -> None:
    """Act as a server when an organiser asks for the next round. Keys make a repetition harmless."""
    with league_at(url) as league:
        number = len(state_of(league).published) + 1
        draw_round(league, c.DrawRound("copa"), ACTOR, key=f"draw-{number}")
        publish_round(league, c.PublishRound("copa", number), ACTOR, key=f"publish-{number}")


def repeat(league: League, number: int) -> None:
    """Send again what the organiser's client sends if it got no answer."""
    draw_round(league, c.DrawRound("copa"), ACTOR, key=f"draw-{number}")
    publish_round(league, c.PublishRound("copa", number), ACTOR, key=f"publish-{number}")


def go_on(league: League, number: int) -> None:
    """Continue as an organiser would who sees how far the round came, without the keys of the lost requests."""
    state = state_of(league)
    if state.round(number) is None:
        draw_round(league, c.DrawRound("copa"), ACTOR)
    if len(state.published) < number:
        publish_round(league, c.PublishRound("copa", number), ACTOR)


def draw_with_bytes(url: str) -> None:
    """Act as a server when devices have promised bytes: draw, store the bytes that come, pair the round."""
    with signing(url) as league:
        draw_round(league, c.DrawRound("copa"), ACTOR, key="draw-1")
        give(league, "p01")
        with connect(url, autocommit=True) as conn:
            inputs.WAIT = timedelta(0)
            finish_drawings(league, conn)


@contextmanager
def signing(url: str) -> Iterator[League]:
    with league_at(url) as league:
        yield replace(league, key=KEY)


CONTRIBUTING = [
    Point("after", "league.eventlog.recorder:Recorder.insert"),  # the drawing is stored
    Point("before", f"{DRAWING}:_sign"),
    Point("after", f"{DRAWING}:_sign"),  # devices can be asked
    Point("before", "league.eventlog.recorder:Recorder.insert", 2),  # the bytes are not stored
    Point("after", "league.eventlog.recorder:Recorder.insert", 2),
    Point("before", f"{DRAWING}:pair_apart"),
    Point("before", "league.eventlog.recorder:Recorder.insert", 3),  # the tables are not stored
    Point("after", "league.eventlog.recorder:Recorder.insert", 3),
]


@pytest.mark.parametrize(
    "point", CONTRIBUTING, ids=lambda point: f"{point.moment}-{point.function.split(':')[1]}-{point.call}"
)
def test_a_drawing_with_bytes_is_finished_whatever_dies(league_url: str, point: Point, monkeypatch: Any) -> None:
    """Another process finishes the drawing with the stored bytes: there is one drawing, and its seed follows."""
    with signing(league_url) as league:
        planned(league, [[player] for player in register(league, 14)])
        for player in ("p01", "p02"):
            commit(league, player)
        killed(point, draw_with_bytes, league_url)
        with connect(league_url, autocommit=True) as conn:
            finish_drawings(league, conn)  # within the ten seconds it waits, unless it is done
            monkeypatch.setattr(inputs, "WAIT", timedelta(0))
            finish_drawings(league, conn)
        of = state_of(league).rounds[0]
        stored = [one.event for one in league.store.load("tournament:copa") if isinstance(one.event, SeedContributed)]
        assert (of.drawings, of.signed, len(of.tables)) == (1, True, 3)
        assert [one.bytes for one in of.contributions] == [event.contribution for event in stored]
        assert len(stored) == int(point not in CONTRIBUTING[:4])
        assert of.seed == seed_of(of.root or "", "copa", 1, [event.contribution for event in stored])
        publish_round(league, c.PublishRound("copa", 1), ACTOR)


@pytest.mark.parametrize(
    ("point", "after"),
    [*((point, repeat) for point in POINTS), *((point, go_on) for point in STORED)],
    ids=lambda given: f"{given.moment}-{given.function.split(':')[1]}-{given.call}" if given in POINTS else None,
)
def test_a_round_is_published_once_whatever_dies(league_url: str, point: Point, after: Any) -> None:
    """Whether the client repeats its requests or goes on, one round exists, with one open match at each table."""
    with league_at(league_url) as league:
        planned(league, [[player] for player in register(league, 14)])
        published(league)
        finish(league)
        killed(point, draw_and_publish, league_url)
        after(league, 2)
        state = state_of(league)
        assert [of.status for of in state.rounds] == ["closed", "published"]
        assert state.rounds[1].drawings == 1
        matches = [table.match for table in state.rounds[1].tables]
        assert matches == [f"copa-r2-t{number}" for number in (1, 2, 3)]
        for match in matches:
            assert league.store.version(f"match:{match}") == 1
        assert not league.store.has_stream("match:copa-r2-t1-2")


SAVED_AT_ONCE = {
    "leave-a-tie": (in_tie, leave_table),
    "return": (in_round_robin, COME_BACK),
    "walkover": (in_swiss, absent(0)),
    "double-absence": (in_tie, absent(0, 1)),
    "next-game": (in_tie, record(1, 1)),
    "withdraw-a-round": (in_swiss, WITHDRAW_ROUND),
    "publish-a-bracket": (before_bracket, publish(4)),
    "correct-a-quarter-final": (in_semi_finals, correct(0)),
}
"""Commands that write to several streams, or follow a published round: where the tournament is, and the command."""
SAVING = [
    Point("after", "league.eventlog.recorder:insert_next"),  # within a transaction that changes more, or stored
    Point("after", "league.eventlog.recorder:Recorder.insert"),  # all is stored
]


def carry_out_at(url: str, commands: list[Any], key: str) -> None:
    """Act as a server that gets these commands."""
    with league_at(url) as league:
        carry_out(league, commands, key)


@pytest.mark.parametrize(("before", "act"), SAVED_AT_ONCE.values(), ids=SAVED_AT_ONCE)
@pytest.mark.parametrize("point", SAVING, ids=lambda point: f"{point.moment}-{point.function.split(':')[1]}")
def test_a_command_is_stored_whole_or_not_at_all(league_url: str, point: Point, before: Any, act: Any) -> None:
    """Whether it was stored or not, its repetition leaves all of it there once, and `verify` finds nothing."""
    with league_at(league_url) as league:
        before(league)
        commands, head = act(league), league.store.head()
        killed(point, carry_out_at, league_url, commands, "once")
        after = league.store.head()
        carry_out(league, commands, "once")
        whole = league.store.head()
        assert after in {SAVING[0]: [head, whole], SAVING[1]: [whole]}[point]
        carry_out(league, commands, "once")
        assert league.store.head() == whole > head
        check(league)
