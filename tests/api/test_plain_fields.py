"""Plain fields are answered as graphql-core answers them: values, nulls, errors and their paths."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum
from random import Random
from typing import Any

import pytest
import strawberry
from api_server import Served
from graphql import ExecutionResult, execute, parse, validate
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from random_documents import random_document
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from league.api.graphql.live import Live
from league.api.graphql.loaded_fields import loaded_field
from league.api.graphql.operations import LeagueSchema
from league.api.graphql.plain_fields import PlainFieldsExecutor
from league.api.graphql.reader import Reader, Source
from league.api.schema import core
from league.api.schema import schema as schema_of_league
from league.projections.queries.snapshot import Snapshot


@strawberry.enum
class Suit(Enum):
    RED = "red"
    BLACK = "black"


@strawberry.interface
class Named:
    name: str


@strawberry.type
class Leaf(Named):
    number: int
    ratio: float | None
    suit: Suit | None
    marks: list[bool | None] | None
    key: strawberry.ID

    @strawberry.field
    def loud(self) -> str:
        return self.name.upper()

    @strawberry.field
    async def slow(self) -> str | None:
        await asyncio.sleep(0)
        return str(self.name)

    @strawberry.field
    def times(self, by: int = 2) -> int:
        return self.number * by

    @classmethod
    def of(cls, found: Any) -> Any:
        return found


LEAVES: dict[str, Any] = {}
"""What can be loaded in an example."""


def leaves_by_key(_: Snapshot, keys: Sequence[str]) -> dict[str, Any]:
    """A question to the database, which may fail."""
    if "broken" in keys:
        raise ConnectionError("broken")  # however many keys came together
    return {key: LEAVES[key] for key in keys if key in LEAVES}


@strawberry.type
class Branch(Named):
    first: Leaf | None
    must: Leaf
    leaves: list[Leaf]
    maybe: list[Leaf | None] | None
    any: Named | None
    all: list[Named]
    wanted: strawberry.Private[str | None]
    loaded = loaded_field(Leaf | None, "By its key.", leaves_by_key, lambda branch: branch.wanted)


@strawberry.type
class Query:
    branches: list[Branch | None]
    branch: Branch | None
    leaf: Leaf


OWN = LeagueSchema(Query, types=[Leaf, Branch])._schema

NAMES = st.sampled_from(["a", "ñ", "", 3, None, ValueError("no name")])
NUMBERS = st.sampled_from([0, -7, 2**31 - 1, 2**31, 1.0, 1.5, True, "5", "x", None])
RATIOS = st.sampled_from([0.5, 3, float("nan"), "1.5", True, None])
SUITS = st.sampled_from([Suit.RED, "RED", "BLACK", "red", 7, None])
MARKS = st.sampled_from([None, [], [True, None], [1, False], "no list", 5, (True, False)])


def leaves() -> st.SearchStrategy[Any]:
    """Leaves with valid values and others."""
    rarely = st.sampled_from(["no leaf", 5, ValueError("no leaf")])
    return st.one_of(
        *[st.builds(Leaf, name=NAMES, number=NUMBERS, ratio=RATIOS, suit=SUITS, marks=MARKS, key=NAMES)] * 4,
        st.none(),
        rarely,
    )


def branches() -> st.SearchStrategy[Any]:
    """Branches, some with leaves that are missing or no leaves."""
    many = st.lists(leaves(), max_size=3)
    return st.builds(
        Branch,
        name=NAMES,
        first=leaves(),
        must=leaves(),
        leaves=many,
        maybe=many | st.none(),
        any=leaves(),
        all=many,
        wanted=st.sampled_from(["x", "y", "unknown", "broken", None]),
    )


class Connection:
    """Of a snapshot that reads nothing."""

    def close(self) -> None:
        """Nothing was opened."""


class Context:
    """What the executor and loaded fields need of a context."""

    def __init__(self) -> None:
        self.reader = Reader(Source(None, Live("")))  # type: ignore[arg-type]
        self.reader.read_from(lambda: Snapshot(Connection(), 1, 1))  # type: ignore[arg-type]


async def executed(executor: type[StrawberryGraphQLCoreExecutionContext], document: str, root: Query) -> Any:
    """The data; the errors of fields that are null by them; and the places that are null by an error below them.

    Which of several errors below one place is told depends on what is awaited, as the specification allows.
    """
    context = Context()
    found = execute(OWN, parse(document), root, context, executor_class=executor)
    result = found if isinstance(found, ExecutionResult) else await found
    await context.reader.close()
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)
    errors = [(tuple(error.path or ()), error.message) for error in result.errors or ()]
    own = {(path, message) for path, message in errors if _null_at(result.data, path) == path}
    return result.data, own, {_null_at(result.data, path) for path, _ in errors}


def _null_at(data: Any, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The place on the way to a place at which there is null."""
    for depth, step in enumerate(path):
        if data is None:
            return path[:depth]
        data = data[step]
    assert data is None
    return path


@given(
    st.randoms(use_true_random=False),
    st.lists(branches() | st.none(), max_size=4),
    branches(),
    leaves(),
    leaves(),
    leaves(),
)
@settings(max_examples=150, deadline=None)
def test_random_documents_are_answered_as_by_graphql_core(
    random: Random, many: list[Any], one: Any, leaf: Any, x: Any, y: Any
) -> None:
    """Also where objects hold what is not valid, and where what should be loaded is missing or fails."""
    document = random_document(random, OWN, {"Leaf.times": "(by: 3)"}, depth=4)
    note(document)
    assert not validate(OWN, parse(document))
    LEAVES.clear()
    LEAVES.update({key: value for key, value in (("x", x), ("y", y)) if isinstance(value, Leaf)})
    root = Query(branches=many, branch=one, leaf=leaf)
    plain = asyncio.run(executed(PlainFieldsExecutor, document, root))
    assert plain == asyncio.run(executed(StrawberryGraphQLCoreExecutionContext, document, root))


ARGUMENTS = {
    "Query.player": '(id: "p001")',
    "Query.team": '(id: "p001+p002")',
    "Query.match": '(id: "m001")',
    "Query.badge": '(key: "matches-10")',
    "Query.board": "(kind: ONE_ON_ONE, includeInactive: true)",
    "Query.matches": "(first: 3)",
    "Query.players": "(first: 3)",
    "Board.places": "(first: 4)",
    "Board.around": '(of: "p001", radius: 101)',
    "Player.rating": "(mode: ONE_ON_ONE)",
    "Player.ratingSeries": "(points: 3)",
}


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_league_answers_random_documents_as_with_graphql_core(season: Served, random: Random) -> None:
    """Byte for byte: values, errors and their order of fields."""
    document = random_document(random, core, ARGUMENTS, depth=5)
    note(document)
    with pytest.MonkeyPatch.context() as patch:
        plain = season.post(document)
        patch.setattr(schema_of_league, "execution_context_class", StrawberryGraphQLCoreExecutionContext)
        theirs = season.post(document)
    assert _without_request_ids(plain.text) == _without_request_ids(theirs.text)


def _without_request_ids(text: str) -> str:
    return text.partition('"requestId"')[0]
