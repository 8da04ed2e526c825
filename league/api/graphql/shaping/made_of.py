"""The fields of a type from a row, by their names."""

from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Self, TypeVar, get_args, get_origin

T = TypeVar("T")

Convert = Callable[[Any], Any]


def made_of(kind: type[T], row: Any, /, **others: Any) -> T:
    """An object of a type of the schema whose fields are those of the row, as the type has them; `others` by value.

    A value becomes an enum's member, or an object that its own type's `of` makes; so do those of a list. None stays.
    """
    known: Any = kind  # hashable, which the type checker does not know
    copied, copy, converted = _taken(known, tuple(others))
    if copied:
        others.update(zip(copied, copy(row), strict=True))
    for name, convert in converted:
        others[name] = convert(getattr(row, name))
    return kind(**others)


class OfRow:
    """A type all of whose fields have the names of a row's."""

    @classmethod
    def of(cls, row: Any) -> Self:
        """A row."""
        return made_of(cls, row)


@cache
def _taken(
    kind: Any, others: tuple[str, ...]
) -> tuple[list[str], Callable[[Any], tuple[Any, ...]], list[tuple[str, Convert]]]:
    """What the type takes from a row: the names of what is copied, what copies it, and what is converted how."""
    annotations: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        annotations |= get_annotations(base)  # as written: Strawberry's fields say other types
    conversions = {
        field.name: _conversion(annotations[field.name])
        for field in fields(kind)
        if field.init and field.name not in others
    }
    copied = [name for name, convert in conversions.items() if convert is None]
    copy = attrgetter(*copied) if len(copied) > 1 else lambda row: tuple(getattr(row, name) for name in copied)
    return copied, copy, [(name, convert) for name, convert in conversions.items() if convert is not None]


def _conversion(kind: Any) -> Convert | None:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if hasattr(kind, "of"):
        made: Convert = kind.of
        return made
    inner = [part for part in get_args(kind) if part is not NoneType]
    convert = _conversion(inner[0]) if len(inner) == 1 else None
    if convert is None:
        return None
    if get_origin(kind) is list:
        return lambda values: [convert(value) for value in values]
    if isinstance(kind, UnionType):
        return lambda value: None if value is None else convert(value)
    return None
