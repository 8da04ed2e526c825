"""Plain fields are read column by column, with the answers of graphql-core."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import strawberry
from graphql import ExecutionResult, parse
from graphql.execution import execute_subscription_event
from hypothesis import given
from hypothesis import strategies as st
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from league.api.graphql.executing.operations import LeagueSchema
from league.api.graphql.executing.plain_fields import MOST_PLANS, FieldLoad, ReadsPlainFields, plans
from league.api.graphql.shaping.object_fields import made_field


@strawberry.type
class Tile:
    pips: int
    weight: float | None
    name: str
    next: Tile | None = None
    others: list[Tile | None] | None = None

    @strawberry.field
    def twice(self) -> int:
        return 2 * self.pips


@strawberry.type
class Query:
    root: strawberry.Private[Any]

    @strawberry.field
    def tiles(self) -> list[Tile]:
        found: list[Tile] = self.root
        return found


schema = LeagueSchema(Query)  # another one would change introspection for the whole process
DOCUMENTS = (
    "{ tiles { pips weight name } }",
    "{ tiles { __typename twice next { pips twice } } }",
    "{ tiles { others { name next { weight } } ...rest } } fragment rest on Tile { name others { pips } }",
)

tiles: st.SearchStrategy[Any] = st.deferred(
    lambda: st.builds(
        Tile,
        pips=st.integers(0, 9) | st.sampled_from([None, 2**31, "six", 1.0, True]),
        weight=st.none() | st.floats() | st.integers(-5, 5) | st.just("heavy"),
        name=st.text(max_size=3) | st.sampled_from([None, 3]),
        next=st.none() | tiles,
        others=st.none() | st.lists(st.none() | tiles, max_size=3),
    )
)


def answer(executor: type[StrawberryGraphQLCoreExecutionContext], document: str, found: Any) -> ExecutionResult:
    built: Any = executor.build(schema._schema, parse(document), root_value=Query(root=found))
    result = built.execute_operation()
    assert isinstance(result, ExecutionResult)
    return result


@pytest.mark.heavy
@given(st.sampled_from(DOCUMENTS), st.lists(tiles, max_size=4))
def test_answers_and_errors_are_those_of_graphql_core(document: str, found: list[Any]) -> None:
    """Also where a value is null or of another type than its field may have: the same data, errors and paths."""
    ours, theirs = (answer(kind, document, found) for kind in (ReadsPlainFields, StrawberryGraphQLCoreExecutionContext))
    assert repr(ours.data) == repr(theirs.data)  # by their texts: NaN is not equal to itself
    assert [error.formatted for error in ours.errors or ()] == [error.formatted for error in theirs.errors or ()]


@pytest.mark.parametrize(
    "document",
    [
        "query ($no: Boolean!) { tiles { pips name @skip(if: $no) } }",
        "query ($no: Boolean!) { tiles { pips ...rest @skip(if: $no) } } fragment rest on Tile { name }",
        "query ($no: Boolean!) { tiles { ...rest } } fragment rest on Tile { pips name @skip(if: $no) }",
    ],
)
def test_what_a_variable_leaves_out_is_there_without_it(document: str) -> None:
    """A document that is executed again selects its fields by the variables of that time."""
    parsed, root = parse(document), Query(root=[Tile(pips=6, weight=None, name="doble")])

    def fields(*, skipped: bool) -> list[str]:
        built: Any = ReadsPlainFields.build(
            schema._schema, parsed, root_value=root, raw_variable_values={"no": skipped}
        )
        return list(built.execute_operation().data["tiles"][0])

    assert [fields(skipped=skipped) for skipped in (True, False, True)] == [["pips"], ["pips", "name"], ["pips"]]


def test_a_document_in_another_place_of_memory_is_read_anew() -> None:
    """Plans are found by where a document is in memory, and hold it there."""
    found: list[Any] = []
    for name in ("pips", "name", "twice") * (MOST_PLANS // 2):
        built: Any = ReadsPlainFields.build(
            schema._schema,
            parse(f"{{ tiles {{ {name} }} }}"),
            root_value=Query(root=[Tile(pips=6, weight=None, name="")]),
        )
        found += built.execute_operation().data["tiles"][0]
    assert found == ["pips", "name", "twice"] * (MOST_PLANS // 2)
    assert len(plans) == MOST_PLANS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_events_of_a_subscription_leave_nothing_behind(document: str) -> None:
    """What is remembered of a document is remembered once: a socket may be open for weeks."""
    executor: Any = ReadsPlainFields.build(schema._schema, parse(document))

    def remembered() -> int:
        event = Query(root=[Tile(pips=6, weight=None, name="doble")])
        execute_subscription_event(executor.build_per_event_executor(event))
        return sum(
            len(kept) for kept in (*vars(executor).values(), *vars(executor._plan).values()) if isinstance(kept, dict)
        )

    first = remembered()
    assert [remembered() for _ in range(3)] == [first] * 3


# ---------------------------------------------------------------- loaded fields


class Shelf:
    """Finds names by number, and counts the questions. There is no name for 9; nobody may ask for a negative number."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self._known: dict[int, str | None] = {}

    def known(self, _ask: Any) -> dict[int, str | None]:
        return self._known

    async def load_all(self, _ask: Any, keys: list[int]) -> None:
        self.asked.append(sorted({*keys}))
        if min(keys) < 0:
            raise ValueError("no such number")
        self._known |= {key: f"name {key}" if key != 9 else None for key in keys}

    async def load_together(self, wanted: Sequence[tuple[Any, Sequence[int]]]) -> None:
        await self.load_all(None, [key for _, keys in wanted for key in keys])


NAMES = FieldLoad(lambda _, __: {}, lambda box: box.numbers, lambda _, found: [one for one in found if one] or None)


@strawberry.type
class Box:
    numbers: list[int]
    boxes: list[Box] = strawberry.field(default_factory=list)
    names = made_field(list[str] | None, "The names.", NAMES)


def box(*numbers: int, inside: Sequence[Box] = ()) -> Box:
    return Box(numbers=[*numbers], boxes=[*inside])


@strawberry.type
class Boxes:
    root: strawberry.Private[list[Box]]

    @strawberry.field
    def boxes(self) -> list[Box]:
        return self.root


boxes = LeagueSchema(Boxes)


def ask_boxes(found: list[Box]) -> tuple[ExecutionResult, Shelf]:
    shelf = Shelf()
    document = parse("{ boxes { names boxes { names boxes { names } } } }")
    context: Any = SimpleNamespace(reader=shelf)
    built: Any = ReadsPlainFields.build(boxes._schema, document, root_value=Boxes(root=found), context_value=context)
    return asyncio.run(built.execute_operation()), shelf


def test_what_the_objects_of_a_list_load_is_one_question() -> None:
    """Also what objects below them load is in it. A box without numbers asks nothing."""
    answer, shelf = ask_boxes([box(inside=[box(1, 2, inside=[box(3)]), box(2, 9, inside=[box(1)])])])
    assert answer.errors is None
    assert answer.data == {"boxes": [{"names": None, "boxes": [
        {"names": ["name 1", "name 2"], "boxes": [{"names": ["name 3"]}]},
        {"names": ["name 2"], "boxes": [{"names": ["name 1"]}]},
    ]}]}  # fmt: skip
    assert shelf.asked == [[1, 2, 3, 9]]


def test_a_question_that_fails_is_an_error_at_its_field() -> None:
    """The answer says at which object, as graphql-core does; the others have their values."""
    answer, _ = ask_boxes([box(inside=[box(1), box(-1)])])
    assert answer.data == {"boxes": [{"names": None, "boxes": [
        {"names": ["name 1"], "boxes": []}, {"names": None, "boxes": []},
    ]}]}  # fmt: skip
    assert [error.path for error in answer.errors or ()] == [["boxes", 0, "boxes", 1, "names"]]
