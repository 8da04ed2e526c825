"""Objects of the schema's types made from rows, by the rules that `FromRow` states."""

from enum import Enum
from typing import Any, NamedTuple

import pytest
import strawberry

from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.relay import Node, global_id


@strawberry.enum
class Kind(Enum):
    FIRST = "first"
    SECOND = "second"


@strawberry.type
class Point(FromItems):
    kind: Kind
    count: int


class Inner(NamedTuple):
    seat: int


class Row(NamedTuple):
    thing_id: str
    number: int
    kind: str | None
    points: tuple[tuple[str, int], ...]
    seats: tuple[tuple[int, int], ...]
    inner: Inner


@strawberry.type
class Thing(FromRow, Node, key=("thing_id", "number"), local="thing_id", seat="inner.seat"):
    local: str
    kind: Kind | None
    points: list[Point]
    seats: list[list[int]]
    seat: int
    row: strawberry.Private[Any]


@strawberry.type
class CountedThing(Thing, local="number"):
    count: int

    @classmethod
    def of(cls, row: Row) -> "CountedThing":
        """A thing whose points are counted."""
        return made_of(cls, row, count=len(row.points))


ROW = Row("t1", 7, "first", (("second", 3),), ((5, 6), (1, 2)), Inner(2))


def test_takes_attributes_by_name_in_the_form_of_its_field() -> None:
    """Words become members of enums, tuples lists, pairs objects; ids, names and paths are as the class says."""
    thing = Thing.of(ROW)
    assert (thing.id, thing.local, thing.seat) == (global_id("Thing", "t1:7"), "t1", 2)
    assert (thing.kind, thing.points) == (Kind.FIRST, [Point(kind=Kind.SECOND, count=3)])
    assert (thing.seats, thing.row) == ([[5, 6], [1, 2]], ROW)


def test_none_stays() -> None:
    """A field that may be null takes None as it is."""
    assert Thing.of(ROW._replace(kind=None)).kind is None


def test_subclasses_inherit_the_key_and_the_names() -> None:
    """A subclass names only what differs; its global id has its own name. Computed fields are given by value."""
    thing = CountedThing.of(ROW)
    assert thing.id == global_id("CountedThing", "t1:7")
    assert vars(thing) | {"local": 7, "seat": 2, "count": 1} == vars(thing)


def test_refuses_fields_that_the_type_does_not_have() -> None:
    """A value for an unknown field is an error, not ignored."""
    with pytest.raises(TypeError, match="colour"):
        made_of(Thing, ROW, colour="red")
