"""How many blocks PostgreSQL reads for what people ask, in a league and in one ten times as large."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psycopg
from msgspec import Struct
from sqlalchemy import Engine, event

from league.api.auth.tokens import issue_token
from league.application.bootstrap import League, open_league
from league.application.jobs import Jobs
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec, start
from league.console.site import create_site
from league.domain.rulebook import parse_rulebook
from league.eventlog.records import AppendRequest
from league.infra.database import ACT_AS_WRITER
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.rulebook import shipped_edition
from league.tournaments.domain import commands as c
from tests.bench.made_league import make_league
from tests.bench.measure import say
from tests.bench.tournaments import ACTOR, PLAN, next_round

SIZES = (30_000, 300_000)
HANDS_A_PLAYER = 20
COMPETITORS = 16
"""Competitors of the tournament, which is as large in both leagues."""
REVISION = "[rating.k]\nprovisional = 33"
"""What the replay tries, with which the official run is compared: all ratings differ."""
SECRET = "a secret of thirty-two characters"  # noqa: S105  # for the bench
SIDES = "sides { won players { displayName } }"
PLACES = "nodes { rank value matches competitor { displayName } }"
NAMES = """
UPDATE league.players SET name = (ARRAY['Ana', 'José', 'Yolanda', 'Ramón', 'Caridad'])[1 + abs(hashtext(player_id) % 5)]
    || ' ' || initcap(translate(substr(player_id, 2), '0123456789', 'aeiouklmnr'))
"""
"""A made league has none: each player gets a word of their own."""

QUESTIONS = {
    "the home page": "/",
    "a player's page": "/players/{player}",
    "a pair's page": "/teams/{pair}",
    "a match's page": "/matches/{match}",
    "a month's page": "/series/2025-06",
    "a tournament's page": "/tournaments/evening",
    "a search's page": "/search?q=aaaei",
    "a board's first page": f"{{ board {{ places(first: 50) {{ {PLACES} }} }} }}",
    "a board's last page": f"{{ board {{ places(last: 50) {{ {PLACES} }} }} }}",
    "a board as of a day": f'{{ board(asOf: "2025-06-15T00:00:00Z") {{ places(first: 50) {{ {PLACES} }} }} }}',
    "a rank": "query ($player: ID!) { player(id: $player) { ratings { mode value rank } } }",
    "a profile": "query ($player: ID!) { player(id: $player) { matches(first: 20) { nodes { matchId } } } }",
    "a player's pairs": "query ($player: ID!) { player(id: $player) { teams(first: 20) { nodes { displayName } } } }",
    "a match": f"query ($match: ID!) {{ match(id: $match) {{ status score {SIDES} hands {{ number points }} }} }}",
    "an explanation": "query ($match: ID!, $player: ID!) { ratingChange(match: $match, of: $player)"
    " { before after explanation { statement } } }",
    "standings": '{ seriesMonth(month: "2025-06") { standings(first: 50) { nodes { rank total } } } }',
    "months": "{ seriesMonths(first: 24) { nodes { month mode closed } } }",
    "open matches": f"{{ matches(first: 4, filter: {{status: [OPEN]}}) {{ totalCount nodes {{ {SIDES} }} }} }}",
    "pending results": f"{{ matches(first: 4, filter: {{status: [PENDING]}}) {{ totalCount nodes {{ {SIDES} }} }} }}",
    "latest matches": f"{{ matches(first: 8, orderBy: DECIDED_LATEST_FIRST) {{ nodes {{ {SIDES} }} }} }}",
    "head to head": "query ($player: ID!, $other: ID!) { headToHead(a: $player, b: $other)"
    " { a { statistics { matches wins } } } }",
    "a search": '{ search(query: "aaaei") { nodes { __typename } } }',
    "the trail": "{ trail(first: 50) { nodes { kind text } } }",
    "the number of events": "{ trail(first: 1) { totalCount } }",
    "badges' holders": "{ badges { key holders(first: 5) { totalCount } } }",
    "rating drift": "{ ratingDrift(mode: ONE_ON_ONE) { month mean } }",
    "totals of a difference": "{ replays(first: 1) { nodes { difference {"
    " totals { playersMoved matchesChanged } } } } }",
}
"""Operations, and addresses of pages, in which {player} and others stand for ids."""


class Reading(Struct):
    """What PostgreSQL did for a question."""

    blocks: int
    """Blocks of tables and indexes, from memory or from disk."""
    milliseconds: float


class Statement(Struct):
    """A statement that was executed, with its parameters."""

    text: str
    parameters: Any


def bench_reading() -> None:
    """Print the blocks and milliseconds of each question in both sizes."""
    small, large = (readings_of(hands) for hands in SIZES)
    say(f"reading: blocks with {SIZES[0]:,} and {SIZES[1]:,} hands, and milliseconds with the latter")
    for name, after in large.items():
        before = small[name].blocks
        ratio = after.blocks / before
        say(f"{name:<24}{before:>8,}{after.blocks:>8,}{after.milliseconds:>10.1f} ms   ratio {ratio:.1f}")
    say("  wanted: at most 2, 20 ms; drift and a board as of a day 100 ms\n")


def readings_of(hands: int) -> dict[str, Reading]:
    """What each question reads in a league of so many hands."""
    with (
        TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        fill(league, hands)
        return read(league, QUESTIONS)


def fill(league: League, hands: int) -> None:
    """Make a league of so many hands, with the statistics and the visibility map that it has a minute later."""
    league.create("Bench", "UTC", "bench")
    make_league(league, hands, max(100, hands // HANDS_A_PLAYER))
    league.project(rebuild=True)
    add_evening(league)
    add_replay(league)
    with psycopg.connect(league.database.url, autocommit=True) as conn:
        conn.execute(NAMES)
        conn.execute("VACUUM FULL league.players")
        conn.execute("VACUUM ANALYZE")


def add_evening(league: League) -> None:
    """A tournament whose first round is played now: its matches are open."""
    entries = [c.EnterCompetitor("evening", (f"p{number:05}",)) for number in range(COMPETITORS)]
    league.dispatcher.send_all([c.PlanTournament("evening", PLAN), *entries], ACTOR)
    next_round(league, "evening")
    league.project()


def add_replay(league: League) -> None:
    """A replay of everything under a revision of the ratings."""
    revised = ReplaySpec(parse_rulebook(REVISION, shipped_edition(1)))
    fold_replay(league.database.url, start(league, revised, AppendRequest(ACTOR, "manual")).number)


def read(league: League, questions: dict[str, str]) -> dict[str, Reading]:
    """What PostgreSQL does for each question."""
    return asyncio.run(_read(league, questions))


async def _read(league: League, questions: dict[str, str]) -> dict[str, Reading]:
    url = league.database.url
    settings = Settings(database_url=url, secret=SECRET, log_level="error")
    app = create_site(league, settings, Jobs(url, None, photo_place(settings)))
    headers = {"Authorization": f"Bearer {issue_token(SECRET, 'bench', ['auditor'], 3_600.0)}"}
    found = {}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost", headers=headers, timeout=60
        ) as http,
    ):
        with psycopg.connect(url) as conn:
            conn.execute(ACT_AS_WRITER)
            variables = _named(conn)
            for name, question in questions.items():
                with statements() as executed:
                    if question.startswith("/"):
                        answer = await http.get(question.format(**variables))
                    else:
                        answer = await http.post("/graphql", json={"query": question, "variables": variables})
                assert answer.status_code == 200, (name, answer.text)
                assert '"errors":' not in answer.text, (name, answer.text)
                found[name] = _explained(conn, executed)
    return found


@contextmanager
def statements() -> Iterator[list[Statement]]:
    """The statements that SQLAlchemy executes meanwhile."""
    executed: list[Statement] = []

    def before(_conn: Any, _cursor: Any, text: str, parameters: Any, *_: Any) -> None:
        executed.append(Statement(text, parameters))

    event.listen(Engine, "before_cursor_execute", before)
    try:
        yield executed
    finally:
        event.remove(Engine, "before_cursor_execute", before)


def _named(conn: psycopg.Connection[Any]) -> dict[str, str]:
    """A match, two players who played it against each other, a pair, and the replay."""
    row = conn.execute(
        "SELECT match_id, seats FROM matches JOIN official_run USING (run)"
        " WHERE mode = '1v1' AND competition = 'competitive' AND winner IS NOT NULL ORDER BY began_at DESC LIMIT 1"
    ).fetchone()
    assert row is not None, "there is one in a made league"
    match, (player, other) = row
    pair = conn.execute(
        "SELECT id FROM ratings JOIN official_run USING (run) WHERE subject = 'team'"
        " ORDER BY last_decided_at DESC, id LIMIT 1"
    ).fetchone()
    assert pair is not None, "there is one in a made league"
    return {"match": match, "player": player, "other": other, "pair": pair[0]}


def _explained(conn: psycopg.Connection[Any], executed: Sequence[Statement]) -> Reading:
    """The blocks and the time of statements that only read, executed again."""
    blocks, milliseconds = 0, 0.0
    for one in executed:
        if not one.text.lstrip().upper().startswith(("SELECT", "WITH")):
            continue
        row = conn.execute(b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + one.text.encode(), one.parameters).fetchone()
        assert row is not None
        [[explained]] = row
        blocks += explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"]
        milliseconds += explained["Execution Time"]
        conn.rollback()
        conn.execute(ACT_AS_WRITER)
    return Reading(blocks, milliseconds)
