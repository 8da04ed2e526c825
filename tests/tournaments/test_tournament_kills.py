"""A process dies while a round is drawn, published, or played: no table is there twice, and none is missing."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import league_at
from played_tournaments import ACTOR, finish, planned, published, register, state_of
from processes import Point, killed

from league.application.bootstrap import League
from league.tournaments.application.drawing import draw_round, publish_round
from league.tournaments.domain import commands as c

pytestmark = pytest.mark.heavy

DRAWING = "league.tournaments.application.drawing"
POINTS = [
    Point("after", "league.eventlog.recorder:Recorder.insert"),  # the drawing is stored
    Point("before", f"{DRAWING}:root_of"),
    Point("before", f"{DRAWING}:pair_apart"),
    Point("after", f"{DRAWING}:pair_apart"),
    Point("before", "league.eventlog.recorder:Recorder.insert", 2),  # the tables are not stored
    Point("after", "league.eventlog.recorder:Recorder.insert", 2),
    Point("before", "league.tournaments.application.tournament_rows:_write", 3),  # within the publication
    Point("after", "league.tournaments.application.tournament_rows:_write", 3),
    Point("after", "league.eventlog.recorder:Recorder.insert", 3),  # the publication is stored
]


def draw_and_publish(url: str) -> None:
    """What a server does when an organiser asks for the next round. Keys make a repetition harmless."""
    with league_at(url) as league:
        number = len(state_of(league).published) + 1
        draw_round(league, c.DrawRound("copa"), ACTOR, key=f"draw-{number}")
        publish_round(league, c.PublishRound("copa", number), ACTOR, key=f"publish-{number}")


def repeat(league: League, number: int) -> None:
    """What the organiser's client sends again when it got no answer."""
    draw_round(league, c.DrawRound("copa"), ACTOR, key=f"draw-{number}")
    publish_round(league, c.PublishRound("copa", number), ACTOR, key=f"publish-{number}")


def go_on(league: League, number: int) -> None:
    """What an organiser does who sees how far it came: without the keys of the requests that had no answer."""
    state = state_of(league)
    if state.round(number) is None:
        draw_round(league, c.DrawRound("copa"), ACTOR)
    if len(state.published) < number:
        publish_round(league, c.PublishRound("copa", number), ACTOR)


@pytest.mark.parametrize("after", [repeat, go_on])
@pytest.mark.parametrize(
    "point", POINTS, ids=lambda point: f"{point.moment}-{point.function.split(':')[1]}-{point.call}"
)
def test_a_round_is_published_once_whatever_dies(league_url: str, point: Point, after: Any) -> None:
    """The client repeats its requests, or goes on: there is one round, and one open match for each of its tables."""
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
