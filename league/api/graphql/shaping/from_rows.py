"""Objects of the schema's types, made from rows by the names of their fields."""

from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin

from league.api.graphql.shaping.relay import global_id

T = TypeVar("T")

Convert = Callable[[Any], Any]


class FromRow:
    """A type of the schema whose objects are made from rows: from structs, named tuples, anything with attributes.

    A field takes the attribute of its name. The field's type decides how the value is converted: to a member of an
    enum, by the type's own `of`, or to a list from any sequence. None stays None. Other values are copied, and so are
    private fields, except that a field `row` is the row itself. A class states what differs beside its bases:

        class Season(FromRow, Node, key="season_id", start="starts_at", end="ends_at"): ...

    `key` names the attribute that makes the global `id`, or several in a tuple, which are joined by colons. The other
    keywords are fields whose attribute has another name; `seat="turn.seat"` is an attribute of an attribute. Subclasses
    inherit
    both. A type with fields that have to be computed has an `of` of its own, which gives them to `made_of`.
    """

    row_key: ClassVar[tuple[str, ...]] = ()
    row_attributes: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, *, key: str | tuple[str, ...] = (), **attributes: str) -> None:
        super().__init_subclass__()
        cls.row_key = ((key,) if isinstance(key, str) else key) or cls.row_key
        cls.row_attributes = cls.row_attributes | attributes

    @classmethod
    def of(cls, row: Any) -> Self:
        """An object made from a row."""
        # Not `made_of`, which costs a call more: a page has fifty of them.
        made: Self = _maker(cls)(row, {})  # type: ignore[arg-type]  # a class is hashable
        return made


class FromItems:
    """A type of the schema whose objects are made from lists or tuples, which hold its fields in their order."""

    @classmethod
    def of(cls, items: Any) -> Self:
        """An object made from a list or a tuple."""
        return made_of(cls, items)


def made_of(kind: type[T], row: Any, /, **others: Any) -> T:
    """An object of this type made from a row, by the rules of `FromRow`; `others` are fields given by value."""
    make: Callable[..., T] = _maker(kind, tuple(others))  # type: ignore[arg-type]  # a class is hashable
    return make(row, others)


@cache
def _maker(kind: Any, others: tuple[str, ...] = ()) -> Callable[..., Any]:
    """The function that makes an object from a row and other fields. It is compiled: as fast as if written by hand.

    For `Season`: `lambda row, others: kind(id=global_id('Season', f'{row.season_id}'), name=row.name, …)`.
    """
    annotations: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        annotations |= get_annotations(base)  # as written: Strawberry's fields say other types
    key, attributes = getattr(kind, "row_key", ()), getattr(kind, "row_attributes", {})
    scope: dict[str, Any] = {"kind": kind, "global_id": global_id}
    values = [f"{name}=others[{name!r}]" for name in others]
    for place, name in enumerate(field.name for field in fields(kind) if field.init and field.name not in others):
        value = f"row[{place}]" if issubclass(kind, FromItems) else f"row.{attributes.get(name, name)}"
        convert = _conversion(annotations[name])
        if name == "row":
            value = "row"
        elif name == "id" and key:
            local = ":".join(f"{{row.{part}}}" for part in key)
            value = f"global_id({kind.__name__!r}, f'{local}')"
        elif convert is not None:
            scope[f"to_{name}"] = convert
            value = f"to_{name}({value})"
        values.append(f"{name}={value}")
    made: Callable[..., Any] = eval(  # noqa: S307  # of names in our own code, like the `__init__` of a dataclass
        f"lambda row, others: kind({', '.join(values)})", scope
    )
    return made


def _conversion(kind: Any) -> Convert | None:
    """The function that converts a value of a row to this type; None: it is copied."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if hasattr(kind, "of"):
        made: Convert = kind.of
        return made
    inner = [part for part in get_args(kind) if part is not NoneType]
    convert = _conversion(inner[0]) if len(inner) == 1 else None
    if get_origin(kind) is list:
        return list if convert is None else lambda values: [convert(value) for value in values]
    if convert is None or not isinstance(kind, UnionType):
        return None
    return lambda value: None if value is None else convert(value)
