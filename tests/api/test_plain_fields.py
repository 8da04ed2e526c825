"""Plain fields are read column by column, with the answers of graphql-core."""

from __future__ import annotations

from typing import Any

import pytest
import strawberry
from graphql import ExecutionResult, parse
from graphql.execution import execute_subscription_event
from hypothesis import given
from hypothesis import strategies as st
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from league.api.graphql.executing.operations import LeagueSchema
from league.api.graphql.executing.plain_fields import ReadsPlainFields


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


@given(st.sampled_from(DOCUMENTS), st.lists(tiles, max_size=4))
def test_answers_and_errors_are_those_of_graphql_core(document: str, found: list[Any]) -> None:
    """Also where a value is null or of another type than its field may have: the same data, errors and paths."""
    ours, theirs = (answer(kind, document, found) for kind in (ReadsPlainFields, StrawberryGraphQLCoreExecutionContext))
    assert repr(ours.data) == repr(theirs.data)  # by their texts: NaN is not equal to itself
    assert [error.formatted for error in ours.errors or ()] == [error.formatted for error in theirs.errors or ()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_events_of_a_subscription_leave_nothing_behind(document: str) -> None:
    """What is remembered of a document is remembered once: a socket may be open for weeks."""
    executor: Any = ReadsPlainFields.build(schema._schema, parse(document))

    def remembered() -> int:
        event = Query(root=[Tile(pips=6, weight=None, name="doble")])
        execute_subscription_event(executor.build_per_event_executor(event))
        return sum(len(kept) for kept in vars(executor).values() if isinstance(kept, dict))

    first = remembered()
    assert [remembered() for _ in range(3)] == [first] * 3
