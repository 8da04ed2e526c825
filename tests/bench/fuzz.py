"""`.venv/bin/python -m tests.bench.fuzz 3000`: sends that many made-up operations, and counts answers and CPU.

Schemathesis makes operations that fit the schema; half of them get ids of the season that is served. A status of 500
or more, or an error of the server, ends the run with the operation that caused it.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import graphql
import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from league.application.bootstrap import clock
from league.transfer.recorded_season import import_season
from tests.bench.__main__ import SEASON, quiet_league
from tests.bench.measure import say
from tests.bench.requests import CHEAPEST, SECRET, TIMES, Server, cost, serving

SCHEMA = Path("league/api/schema.graphql")
FAULTS = {"INTERNAL", "UNAVAILABLE"}
"""Codes of errors for which the server is to blame; a field that fails so is answered with a status of 200."""
MOST = 1_000
"""Times the CPU of `{ __typename }` that an operation may cost."""
DEAR = 0.04
"""Seconds of CPU from which an operation is measured again, to the end of its work."""
ID_ARGUMENT = re.compile(r'\b(id|match|player|a|b|season): "(?:[^"\\]|\\.)*"')

TIMES_OF_DAY = st.datetimes().map(lambda moment: moment.isoformat() + "Z")
WORDS = st.from_regex(r"[a-z]{1,5}", fullmatch=True)
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "Tile": st.tuples(st.integers(-1, 10), st.integers(-1, 10)).map(list) | st.text(max_size=3) | st.integers(),
    "BigInt": st.integers(-2, 10) | st.integers() | st.text(max_size=3),
    "DateTime": TIMES_OF_DAY | st.text(max_size=5) | st.just("9999-12-31T23:59:59-14:00"),
    "JSON": st.recursive(
        st.none() | st.booleans() | st.integers(-5, 200) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
        max_leaves=8,
    ),
}
"""Values of the scalars of the schema, valid ones and others."""


def main() -> None:
    """Send the operations to a server of its own."""
    wanted = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="league-fuzz-") as folder, quiet_league(Path(folder)) as league:
        import_season(SEASON, league.store, clock, "fuzz")
        league.project()
        with serving(league.database.url) as server:
            server.http.headers["Authorization"] = f"Bearer {admin_token(league.database.url)}"
            ids = known_ids(server.http)
            answers, dear = Counter[str](), []
            for operation in operations(wanted, ids):
                before = server.cpu()
                answer = server.post(operation, {})
                codes = [error["extensions"]["code"] for error in answer.json().get("errors", ())] or ["no error"]
                if answer.status_code >= 500 or FAULTS.intersection(codes):
                    raise SystemExit(f"{answer.status_code}: {answer.text[:500]}\n{operation}")
                answers[codes[0]] += 1
                if server.cpu() - before >= DEAR:
                    dear.append(operation)
            say(f"{answers.total():,} operations, no server error: {dict(answers.most_common())}")
            say_dearest(server, dear)


def say_dearest(server: Server, dear: list[str]) -> None:
    """Print what the dearest operation costs, as a multiple of `{ __typename }`."""
    cheapest = cost(server, "{ __typename }", {}, CHEAPEST)
    dearest = max((cost(server, operation, {}, TIMES), operation) for operation in dear) if dear else (0.0, "none")
    ratio = dearest[0] / cheapest
    say(f"the dearest takes {ratio:.0f} times the CPU of `{{ __typename }}`: {dearest[1][:200]!r}")
    if ratio > MOST:
        raise SystemExit(f"more than {MOST:,} times")


def operations(wanted: int, ids: list[str]) -> Iterator[str]:
    """About so many operations, as many for each field of the queries and mutations; always the same ones."""
    for name, values in SCALARS.items():
        schemathesis.graphql.scalar(name, values.map(literal))
    fields = [found.ok() for found in schemathesis.graphql.from_path(SCHEMA).get_all_operations()]
    for field in fields:
        chance = random.Random(field.label)
        for operation in operations_with(field, wanted // len(fields) + 1):
            yield with_known_ids(operation, ids, chance)


def operations_with(field: Any, count: int) -> list[str]:
    """So many operations with a field of the queries or mutations."""
    made: list[str] = []

    @seed(7)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=field.as_strategy())
    def make(case: Any) -> None:
        made.append(case.body)

    make()
    return made


def with_known_ids(operation: str, ids: list[str], chance: random.Random) -> str:
    """The operation, in half of the cases with ids of the league."""
    if chance.random() < 0.5:
        return operation
    return ID_ARGUMENT.sub(lambda found: f"{found[1]}: {json.dumps(chance.choice(ids))}", operation)


def known_ids(http: httpx.Client) -> list[str]:
    """Ids of players and matches, as the API and as the league writes them."""
    query = (
        "{ matches(first: 30) { nodes { id league: matchId } } players(first: 30) { nodes { id league: playerId } } }"
    )
    lists = http.post("/graphql", json={"query": query}).json()["data"].values()
    return [id_ for found in lists for node in found["nodes"] for id_ in node.values()]


def admin_token(url: str) -> str:
    """A token that allows everything."""
    command = [sys.executable, "-m", "league", "token", "fuzz", "--role", "admin"]
    environment = {**os.environ, "LEAGUE_DATABASE_URL": url, "LEAGUE_SECRET": SECRET}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def literal(value: Any) -> graphql.ValueNode:
    """A value as it is written in a document."""
    match value:
        case list():
            return graphql.ListValueNode(values=tuple(map(literal, value)))
        case dict():
            fields = [
                graphql.ObjectFieldNode(name=graphql.NameNode(value=key), value=literal(item))
                for key, item in value.items()
            ]
            return graphql.ObjectValueNode(fields=tuple(fields))
        case _:
            return graphql.parse_value(json.dumps(value))


if __name__ == "__main__":
    main()
