"""The part of the bench that measures sockets, with few of them."""

from __future__ import annotations

import asyncio

from api_server import served
from databases import copy_of
from leagues import SIXTY_MATCHES, send

from bench import sockets
from league.domain.player import RenamePlayer


def test_what_the_sockets_of_the_bench_watch_is_computed_once(embedded_server: str) -> None:
    """For all of them, in each state."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server:
        leader = server.ask(sockets.LEADER)["board"]["places"]["nodes"][0]["player"]["playerId"]
        found = asyncio.run(
            sockets.watched(server.port, 3, lambda number: send(server.league, RenamePlayer(leader, f"Name {number}")))
        )
        assert min(found.first, found.event) > 0
        assert sockets.computed(server.http) == sockets.EVENTS + 1
