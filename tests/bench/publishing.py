"""What `league publish` costs a page, in a league whose matches are those of one tournament: CPU of this process.

`make bench` runs it; alone it is `python -m tests.bench.publishing`, with any numbers of competitors.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from league.application.bootstrap import League, open_league
from league.application.jobs import Jobs
from league.console.publishing import HOST, new_copy, publish
from league.console.site import create_copied_site
from league.domain.player import PlayerRegistered
from league.eventlog.records import Append, AppendRequest
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.tournaments.domain import commands as c
from tests.bench.measure import say
from tests.bench.tournaments import ACTOR, PLAN, next_round, record_results

COUNTS = (16, 256)
"""Numbers of competitors."""
ROUNDS = 6
WANTED = "at most 40 ms a page, and at most 1.1 times as much a page with the most competitors as with the fewest"


class CopyCost(Struct, frozen=True):
    """What a copy took."""

    pages: int
    seconds: float
    """Seconds of CPU of the process."""
    floor: float
    """Seconds of CPU in which the same pages, already made, are fetched in the process and written."""

    @property
    def a_page(self) -> float:
        """Milliseconds of CPU for a page."""
        return self.seconds / self.pages * 1000


def bench_publishing(counts: Sequence[int] = COUNTS) -> None:
    """Print the CPU a page for each number of competitors, and how it grows from the fewest to the most."""
    say(f"publishing a tournament of {ROUNDS} rounds")
    found = [cost_of(count) for count in counts]
    for count, cost in zip(counts, found, strict=True):
        say(
            f"  {count:>4} competitors {cost.pages:>8,} pages {cost.a_page:>7.1f} ms a page"
            f"   ratio to the floor {cost.seconds / cost.floor:.1f}"
        )
    say(f"  growth of a page {found[-1].a_page / found[0].a_page:.2f}")
    say(f"  wanted: {WANTED}\n")


def cost_of(count: int) -> CopyCost:
    """Publish a league with a tournament of so many competitors, which has ended."""
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder:
        given = Settings(data_dir=Path(folder) / "data", log_level="warning")
        with open_league(given, prepare=True) as league:
            league.create("Bench", "UTC", ACTOR)
            with capture_logs():
                play_tournament(league, f"t{count}", count, ROUNDS)
            league.project()
            copy = Path(folder) / "copy"
            pages, seconds = copied(league, given, copy)
        return CopyCost(pages, seconds, floor_of(sorted(copy.rglob("*.html")), Path(folder) / "page.html"))


def play_tournament(league: League, id_: str, count: int, rounds: int) -> None:
    """Play a tournament to its end in a league that has been created; its competitors are new players."""
    players = [f"p{number:05}" for number in range(count)]
    registered = [Append(f"player:{player}", 0, (PlayerRegistered(player, None),)) for player in players]
    league.store.append(registered, AppendRequest(ACTOR, "import"))
    entries = [c.EnterCompetitor(id_, (player,)) for player in players]
    league.dispatcher.send_all([c.PlanTournament(id_, {**PLAN, "rounds": rounds}), *entries], ACTOR)
    for _ in range(rounds):
        of = next_round(league, id_)
        record_results(league, id_, of, count)
        league.dispatcher.send(c.CloseRound(id_, of.number), ACTOR)
    league.dispatcher.send(c.EndTournament(id_), ACTOR)


def copied(league: League, given: Settings, folder: Path) -> tuple[int, float]:
    """How many pages are written, and the CPU for it."""
    site = create_copied_site(league, given, Jobs(league.database.url, None, photo_place(given)))
    with new_copy(folder) as made:
        started = time.process_time()
        counts = asyncio.run(publish(site, made, "en", lambda _done, _of: None))
        return counts.pages, time.process_time() - started


def floor_of(pages: Sequence[Path], to: Path) -> float:
    """The CPU in which a bare application answers these pages to a client in the process that writes them."""
    bodies = [page.read_bytes() for page in pages]

    async def answer(request: Request) -> Response:
        return HTMLResponse(bodies[request.path_params["number"]])

    def write(body: bytes) -> None:
        to.write_bytes(body)

    async def fetch() -> None:
        site = Starlette(routes=[Route("/{number:int}", answer)])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(site), base_url=HOST) as client:
            for number in range(len(bodies)):
                write((await client.get(f"/{number}")).content)

    started = time.process_time()
    asyncio.run(fetch())
    return time.process_time() - started


if __name__ == "__main__":  # the processes that pair large rounds import this module
    bench_publishing(tuple(map(int, sys.argv[1:])) or COUNTS)
