"""Plain fields are answered as graphql-core answers them: values, nulls, errors and their paths."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum
from random import Random
from types import CodeType
from typing import Any

import pytest
import strawberry
from api_server import Served
from graphql import ExecutionResult, OperationDefinitionNode, execute, parse, validate
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from random_documents import random_document
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from league.api.graphql import completing_code, plain_fields, selections
from league.api.graphql.kept_by_size import KeptBySize
from league.api.graphql.live import Live
from league.api.graphql.loaded_fields import loaded_field
from league.api.graphql.operations import LeagueSchema
from league.api.graphql.plain_fields import PlainFieldsExecutor
from league.api.graphql.reader import Reader, Source
from league.api.graphql.selections import Selections
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
    theirs = asyncio.run(executed(StrawberryGraphQLCoreExecutionContext, document, root))
    for _ in range(3):  # by graphql-core; compiled; and by what was compiled
        assert asyncio.run(executed(PlainFieldsExecutor, document, root)) == theirs


@pytest.mark.parametrize("first", [True, False])
def test_a_document_whose_variables_decide_what_is_selected_is_read_anew(first: bool) -> None:
    """In each execution, at any depth."""
    document = parse("query ($yes: Boolean!) { leaf { name key @include(if: $yes) } }")
    leaf = Leaf(name="a", number=1, ratio=None, suit=None, marks=None, key=strawberry.ID("k"))
    for yes in (first, not first, first, not first):
        given = {"variable_values": {"yes": yes}, "executor_class": PlainFieldsExecutor}
        result = execute(OWN, document, Query(branches=[], branch=None, leaf=leaf), Context(), **given)
        assert result == ExecutionResult({"leaf": {"name": "a", **({"key": "k"} if yes else {})}}, None)


LEAF = Leaf(name="a", number=1, ratio=None, suit=None, marks=None, key=strawberry.ID("k"))


def answered(document: str, root: Query) -> Any:
    """The data."""
    return asyncio.run(executed(PlainFieldsExecutor, document, root))[0]


def texts_compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compiled from now on."""
    texts: list[str] = []

    def noted(text: str) -> CodeType:
        texts.append(text)
        return compile(text, "<selection>", "exec")

    monkeypatch.setattr(completing_code, "compiled", noted)
    return texts


def test_a_document_is_compiled_when_it_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time graphql-core answers it: to compile it would take longer."""
    compiled, document, root = (
        texts_compiled(monkeypatch),
        "{ leaf { again: name } }",
        Query(branches=[], branch=None, leaf=LEAF),
    )
    after = []
    for _ in range(3):
        assert answered(document, root) == {"leaf": {"again": "a"}}
        after.append(len(compiled))
    assert after == [0, 1, 1]


def test_nothing_is_compiled_for_an_empty_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no rows to answer."""
    compiled = texts_compiled(monkeypatch)
    for _ in range(3):
        assert answered("{ branches { none: name } }", Query(branches=[], branch=None, leaf=LEAF)) == {"branches": []}
    assert compiled == []


def test_code_that_cannot_be_compiled_leaves_the_answer_to_graphql_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the fields of an object, and for the rows of a list."""

    def too_deep(_: str) -> CodeType:
        raise RecursionError("too deep")

    monkeypatch.setattr(completing_code, "compiled", too_deep)
    one = Branch(name="b", first=None, must=LEAF, leaves=[], maybe=None, any=None, all=[], wanted=None)
    for _ in range(3):
        data = answered(
            "{ leaf { deep: name } branches { deep: name } }", Query(branches=[one], branch=None, leaf=LEAF)
        )
        assert data == {"leaf": {"deep": "a"}, "branches": [{"deep": "b"}]}


def test_what_is_kept_of_documents_is_bounded_by_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many come twice, and however large they are."""
    monkeypatch.setattr(selections, "_KEPT", KeptBySize(1000, 100, lambda found: found.size))
    many = " ".join(f"a{number}: name" for number in range(30))
    for number in range(10):
        for _ in range(2):
            answered(f"{{ leaf {{ {many} n{number}: name }} }}", Query(branches=[], branch=None, leaf=LEAF))
    assert selections.selections_of(core, _operation("{ a }")).size == 0  # what has grown meanwhile is forgotten
    assert 31 <= selections._KEPT.size <= 100


def _operation(text: str) -> OperationDefinitionNode:
    [operation] = parse(text).definitions
    assert isinstance(operation, OperationDefinitionNode)
    return operation


def test_the_least_used_is_forgotten() -> None:
    """Beyond the number, beyond the size, and when a value has grown."""
    kept = KeptBySize[str, list[int]](2, 10, len)
    a, b = [1], [2]
    kept.add("a", a)
    kept.add("b", b)
    assert kept.get("a") is a
    kept.add("c", [3])
    assert (kept.get("b"), len(kept)) == (None, 2)
    a.extend(range(20))
    assert kept.get("c") == [3] or kept.get("a") is None
    assert kept.size <= 10


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
        patch.setattr(plain_fields, "selections_of", lambda *_: Selections(compiles=True))
        plain = season.post(document)
        patch.setattr(schema_of_league, "execution_context_class", StrawberryGraphQLCoreExecutionContext)
        theirs = season.post(document)
    assert _without_request_ids(plain.text) == _without_request_ids(theirs.text)


def _without_request_ids(text: str) -> str:
    return text.partition('"requestId"')[0]
