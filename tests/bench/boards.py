"""What boards cost to read, in leagues of made-up players: statements and milliseconds, as clients ask for them."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx
import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from league.api.server.app import create_app
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.infra.database import connect
from league.infra.settings import Settings
from league.projections import runs
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import standings
from league.projections.queries.pages import PageRequest, sliced
from league.projections.queries.places import count_places, place_order
from league.projections.queries.snapshot import take_snapshot

PLACE = "{ rank shown player { name region } }"
PLACES = f"{{ nodes {PLACE} pageInfo {{ hasNextPage endCursor }} }}"
MONTH = "2026-05"
TIMES = 7
SECRET = "a secret of thirty-two characters"  # noqa: S105  # protects nothing


def bench_boards(league: League, sizes: list[int]) -> None:
    """Print what each way to read a board costs at each size, and how much more than at the smallest."""
    found: dict[str, list[tuple[int, float]]] = {}
    with asking(league) as ask:
        for size in sizes:
            with connect(league.database.url, autocommit=True) as conn:
                make_up(conn, size)
            for name, query in questions(ask.engine).items():
                found.setdefault(name, []).append(cost(ask, query))
    heads = "".join(f"{f'{size:,}':>10}" for size in sizes)
    print(f"\n{'boards: ms a page of 50, by the API':<38}{'statements':>10}{heads}   ratios to {sizes[0]:,} players")
    for name, costs in found.items():
        times = "".join(f"{ms:>10.1f}" for _, ms in costs)
        ratios = "  ".join(f"{ms / costs[0][1]:.2f}" for _, ms in costs[1:])
        print(f"  {name:<36}{max(count for count, _ in costs):>10}{times}   {ratios}")


def questions(engine: Engine) -> dict[str, str]:
    """The ways to read a board, by what they are called."""
    middle, cursor = middle_of_the_board(engine)
    kinds = ("ONE_ON_ONE", "TWO_ON_TWO", "CAPICUAS", "CAPICUAS_PER_HAND", "POLLONAS", "VIAJERAS", "WINS")
    moves = "{ nodes { rank moves { day { change } week { change } month { change } } } }"
    return {
        "first page": f"{{ board {{ places(first: 50) {PLACES} }} }}",
        "page in the middle": f'{{ board {{ places(first: 50, after: "{cursor}") {PLACES} }} }}',
        "last page": f"{{ board {{ places(last: 50) {PLACES} }} }}",
        "around a player": f'{{ board {{ around(of: "{middle}") {{ places {PLACE} }} }} }}',
        "with the inactive ones": f"{{ board(includeInactive: true) {{ places(first: 50) {PLACES} }} }}",
        "of a region": f'{{ board(region: "R3") {{ places(first: 50) {PLACES} }} }}',
        "of a region, last page": f'{{ board(region: "R3") {{ places(last: 50) {PLACES} }} }}',
        "TEAMS": "{ board(kind: TEAMS) { places(first: 50) { nodes { rank team { players { name region } } } } } }",
        "SERIES": f'{{ board(kind: SERIES, month: "{MONTH}") {{ places(first: 50) {PLACES} }} }}',
        "SERIES, last page": f'{{ board(kind: SERIES, month: "{MONTH}") {{ places(last: 50) {PLACES} }} }}',
        **{kind: f"{{ board(kind: {kind}) {{ places(first: 50) {PLACES} }} }}" for kind in kinds},
        "the number of places": "{ board { places { totalCount } } }",
        "moves of a day, a week and a month": f"{{ board {{ places(first: 50) {moves} }} }}",
        "moves of a day": "{ board { places(first: 50) { nodes { rank moves { day { change } } } } } }",
        "as of a moment": f'{{ board(asOf: "2026-05-01T00:00:00Z") {{ places(first: 50) {PLACES} }} }}',
    }


class Asked:
    """Asks the API of a league as a client does, without a network between, and notes the statements it executes."""

    def __init__(self, league: League, runner: asyncio.Runner) -> None:
        settings = Settings(secret=SECRET, log_level="error")
        app = create_app(league, settings, Jobs(league.database.url, None))
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bench")
        self._runner = runner
        self.engine: Engine = app.state.engine
        self.statements: list[str] = []
        event.listen(self.engine, "before_cursor_execute", self._note)

    def __call__(self, query: str) -> Any:
        answer = self._runner.run(self._client.post("/graphql", json={"query": query})).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def _note(self, _conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        self.statements.append(statement)


@contextmanager
def asking(league: League) -> Iterator[Asked]:
    """A way to ask the API of a league."""
    with asyncio.Runner() as runner:
        ask = Asked(league, runner)
        try:
            yield ask
        finally:
            ask.engine.dispose()


def cost(ask: Asked, query: str) -> tuple[int, float]:
    """How many statements a query executes, and the median of its milliseconds."""
    ask.statements.clear()
    ask(query)
    count, times = len(ask.statements), []
    for _ in range(TIMES):
        started = time.perf_counter()
        ask(query)
        times.append(time.perf_counter() - started)
    return count, statistics.median(times) * 1000


class Standing(NamedTuple):
    """A competitor on a board."""

    id: str
    value: float


def middle_of_the_board(engine: Engine) -> tuple[str, str]:
    """The player in the middle of the global board, and the cursor of that place."""
    snapshot = take_snapshot(engine)
    try:
        assert snapshot.shown is not None
        everybody = standings(snapshot.run, BoardKey("global"), snapshot.shown)
        order, half = place_order(everybody), count_places(snapshot, BoardKey("global")) // 2
        rows = snapshot.conn.execute(everybody.select().order_by(*order.columns).offset(half).limit(1)).all()
        return rows[0].id, sliced(Standing, rows, order, PageRequest(1)).cursors[0]
    finally:
        snapshot.conn.close()


# ---------------------------------------------------------------- made-up players

MADE_UP = """
CREATE TEMP TABLE made AS
SELECT n, to_char(n, '"p"FM000000') AS id, to_char(n, '"p"FM000000') || to_char(n + 1, '"+p"FM000000') AS team,
    'R' || n % 16 AS region,
    -- Two of seven have not played for long.
    timestamptz '2026-06-01' - (n % 7 / 5) * interval '200 days' - random() * interval '5 days' AS last_decided_at,
    (random() * random() * 300)::integer + 10 AS matches,
    1500 + 150 * (random() + random() + random() - 1.5) AS rating
FROM generate_series(1, {players}) AS n;

INSERT INTO players (player_id, name, region, registered_at)
SELECT id, 'Player ' || n, region, last_decided_at FROM made;

INSERT INTO {ratings} (run, mode, subject, id, rating, matches, provisional, last_decided_at)
SELECT {run}, mode, subject, CASE subject WHEN 'team' THEN team ELSE id END, rating + shift, matches, matches < 30,
    last_decided_at
FROM made, (VALUES ('1v1', 'player', 0), ('2v2', 'player', 20), ('overall', 'player', 8), ('2v2', 'team', 12))
    AS m (mode, subject, shift);

INSERT INTO {achievements} (run, player_id, matches, hands_won, capicuas, viajeras, pollonas, wins)
SELECT {run}, id, matches, 4 * matches, (matches * random() / 5)::integer, (matches * random() / 50)::integer,
    (matches * random() / 90)::integer, matches / 2
FROM made;

INSERT INTO {standings} (run, mode, month, id, wins, losses, series_points, total)
SELECT {run}, '1v1', {month}, id, matches / 2, matches - matches / 2, (rating - 1500)::integer, rating::integer - 1000
FROM made;

-- What was decided lately: from it come moves, and boards as of a moment.
INSERT INTO {changes} (run, decided_at, match_id, mode, subject, id, before, after, k, k_rule, outcome, expected,
    modifier, modifier_terms, capped, opponents, own, matches_before, edition, position)
SELECT {run}, last_decided_at - back * interval '9 days', mode || '-' || n || '-' || back, mode, subject,
    CASE subject WHEN 'team' THEN team ELSE id END, rating - 8 * back * (random() - 0.4), rating, 20, 'standard', 1,
    0.5, 0, '[]', false, 1500, 1500, matches - back - 1, '', 1
FROM made, generate_series(0, 4) AS back, (VALUES ('1v1', 'player'), ('2v2', 'player'), ('2v2', 'team'))
    AS m (mode, subject);

INSERT INTO {appearances} (run, player_id, began_at, decided_at, match_id, mode, competition, ruleset, side, won,
    hands_won, hands_won_by_block, capicuas, viajeras, blocks, pollona, pollona_suffered, trailed_by, opponents)
SELECT {run}, id, last_decided_at, last_decided_at - back * interval '9 days', 'm' || n || '-' || back, '1v1',
    'competitive', 'cuban-150', 0, true, 1, 0, back % 2, 0, 0, false, false, 0, '{{}}'
FROM made, generate_series(0, 4) AS back;

-- The rules by which all of this is shown.
INSERT INTO {matches} (run, match_id, ruleset, mode, competition, began_at, decided_at, seats, status, terms,
    not_judged, edition, decided)
SELECT {run}, 'm', 'cuban-150', '1v1', 'competitive', decided_at, decided_at, '{{}}', 'announced', '[]', '{{}}',
    timeline -> 0 ->> 'hash', ''
FROM runs, (SELECT min(last_decided_at) AS decided_at FROM made) AS first WHERE run = {run};
UPDATE runs SET latest_decided_at = (SELECT max(last_decided_at) FROM made), shown_edition = timeline -> 0 ->> 'hash'
WHERE run = {run};
DROP TABLE made;
"""
EMPTIED = ("ratings", "achievements", "standings", "changes", "appearances", "matches")


def make_up(conn: psycopg.Connection[Any], players: int) -> None:
    """Put made-up players into the official run, in place of those that are there."""
    run = runs.official_run(conn)
    assert run is not None
    tables = {table: runs.table_of(run, table) for table in EMPTIED}
    conn.execute("RESET ROLE")  # the writer may neither truncate nor vacuum
    with conn.transaction():
        conn.execute("DELETE FROM players")
        for table in tables.values():
            conn.execute(sql.SQL("TRUNCATE {}").format(table))
        conn.execute("SELECT setseed(0.5)")
        given = {"players": sql.Literal(players), "run": sql.Literal(run), "month": sql.Literal(MONTH)}
        conn.execute(sql.SQL(MADE_UP).format(**given, **tables))
    for table in (sql.Identifier("players"), *tables.values()):
        # As the autovacuum of a server does within a minute.
        conn.execute(sql.SQL("VACUUM ANALYZE {}").format(table))
