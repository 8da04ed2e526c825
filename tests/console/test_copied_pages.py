"""What a page of a copy reads, in a league with a small tournament and in one with a large one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from api_server import SECRET
from bench.publishing import play_tournament
from leagues import catch_up, league_at, own_database
from msgspec import Struct
from sqlalchemy import Engine, event

from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.console.publishing import HOST
from league.console.site import create_copied_site
from league.infra.settings import Settings
from league.tournaments.tournament_states import stored_tournament

pytestmark = pytest.mark.heavy

FEW, MANY, ROUNDS = 8, 24, 2


class PageReads(Struct):
    """What a page has read."""

    statements: int = 0
    rows: int = 0


@contextmanager
def counted() -> Iterator[PageReads]:
    """What is read meanwhile."""
    reads = PageReads()

    def count(_conn: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "hold_run" not in statement:  # an operation may take over the snapshot of the one before
            reads.statements += 1
            reads.rows += max(cursor.rowcount, 0)

    event.listen(Engine, "after_cursor_execute", count)
    try:
        yield reads
    finally:
        event.remove(Engine, "after_cursor_execute", count)


def addresses(league: League) -> dict[str, str]:
    """A page of each kind of which a copy has the more, the more competitors there are."""
    table = stored_tournament(league.dispatcher.state_cache, "copa").rounds[-1].tables[0]
    (one,), (other,) = table.sides
    return {
        "match": f"/matches/{table.match}",
        "change": f"/matches/{table.match}/changes/{one}",
        "player": f"/players/{one}",
        "pair": f"/players/{one}/against/{other}",
        "standing": f"/series/{league.dispatcher.clock():%Y-%m}/standings/{one}?mode=ONE_ON_ONE",
    }


async def reads_of(league: League, pages: Sequence[str]) -> list[PageReads]:
    """What each page reads when it is copied, after all of them have been once."""
    settings = Settings(database_url=league.database.url, secret=SECRET, log_level="error")
    site = create_copied_site(league, settings, Jobs(league.database.url, None, None))
    found = []
    async with (
        site.router.lifespan_context(site),
        httpx.AsyncClient(transport=httpx.ASGITransport(site), base_url=HOST) as client,
    ):
        for language in ("es", "en"):
            found = []
            for page in pages:
                with counted() as reads:
                    answer = await client.get(page, headers={"Accept-Language": language})
                answer.raise_for_status()
                found.append(reads)
    return found


def test_a_page_of_a_copy_reads_as_much_of_a_large_tournament_as_of_a_small_one(embedded_server: str) -> None:
    """A page of a match, a change, a player, two players and a standing: as many statements, and no more rows."""
    found: list[dict[str, PageReads]] = []
    for count in (FEW, MANY):
        with own_database(embedded_server) as url, league_at(url) as league:
            league.create("Liga", "UTC", "test")
            play_tournament(league, "copa", count, ROUNDS)
            catch_up(league)
            pages = addresses(league)
            found.append(dict(zip(pages, asyncio.run(reads_of(league, [*pages.values()])), strict=True)))
    few, many = found
    for name in few:
        assert many[name].statements <= few[name].statements, name
        assert many[name].rows <= few[name].rows, name
    assert min(reads.statements for reads in few.values()) > 0
