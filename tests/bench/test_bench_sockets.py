"""The part of the bench that measures sockets, with few of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from api_server import served
from databases import copy_of
from leagues import SIXTY_MATCHES, send

from bench import sockets
from league.domain.deciders import Command
from league.domain.player import MovePlayer, RenamePlayer

pytestmark = pytest.mark.heavy


@pytest.mark.parametrize(
    ("query", "changed"),
    [
        (sockets.BOARD, lambda leader, number: RenamePlayer(leader, f"Name {number}")),
        (sockets.MOVED, lambda leader, number: MovePlayer(leader, f"Region {number}")),
    ],
    ids=["board", "moves"],
)
def test_what_the_sockets_of_the_bench_watch_is_computed_once(
    embedded_server: str, query: str, changed: Callable[[str, int], Command]
) -> None:
    """For all of them, in each state."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server:
        leader = server.ask(sockets.LEADER)["board"]["places"]["nodes"][0]["player"]["playerId"]
        found = asyncio.run(
            sockets.watched(
                server.port, 3, query, lambda number: send(server.league, changed(leader, number)), time.process_time
            )
        )
        assert min(found.first, found.event, found.cpu) > 0
        assert sockets.computed(server.http) == sockets.EVENTS + 1
