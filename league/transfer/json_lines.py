"""Reads a line of JSON as a type, and reports every fault with its path."""

import json
from collections import Counter
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from league.domain.collected_refusals import Faults
from league.domain.refusals import InvalidInput, shortened
from league.domain.sentences import say

T = TypeVar("T")

WHOLE = "(line)"
"""The field of a fault that concerns the line as a whole."""


def read_line(line: bytes, kind: type[T]) -> T:
    """A line as the required type. Raises InvalidInput, or Faults if there are several."""
    try:
        repeated = _repeated_keys(line)
        read = msgspec.json.decode(line)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidInput(WHOLE, say("not JSON: {error}", error=error)) from None
    except RecursionError:
        raise InvalidInput(WHOLE, say("is nested too deeply")) from None
    try:
        fitting = msgspec.convert(read, kind)
    except msgspec.ValidationError:
        Faults.check([*repeated, *_misfits("", read, kind)])
        raise
    Faults.check(repeated)
    return fitting


class _Repeating(dict[str, Any]):
    """An object of JSON of which some keys were written more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.repeated = sorted(key for key, count in counts.items() if count > 1)


def _repeated_keys(line: bytes) -> list[InvalidInput]:
    """A fault for each key that an object of the line has more than once."""
    repeating = False

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeating
        document = dict(pairs)
        if len(document) == len(pairs):
            return document
        repeating = True
        return _Repeating(pairs)

    document = json.loads(line, object_pairs_hook=read_object)
    return [*_repeated_in("", document)] if repeating else []


def _repeated_in(at: str, value: Any) -> Iterator[InvalidInput]:
    if isinstance(value, _Repeating):
        for key in value.repeated:
            yield InvalidInput(_join(at, shortened(key)), say("is written more than once"))
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _repeated_in(_join(at, key), item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _repeated_in(_join(at, number), item)


def _misfits(at: str, value: Any, kind: Any) -> Iterator[InvalidInput]:
    """Where a value does not match a type: unknown and missing keys, and values of other types."""
    if value is not None:
        kind = _without_none(kind)
    if isinstance(value, dict) and _is_object(kind):
        yield from _misfits_in_object(at, value, kind)
    elif isinstance(value, list) and get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        for number, item in enumerate(value):
            yield from _misfits(_join(at, number), item, get_args(kind)[0])
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            yield _misfit(at, error)


def _misfits_in_object(at: str, value: dict[str, Any], kind: type[Struct]) -> Iterator[InvalidInput]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields:
            yield InvalidInput(at or WHOLE, say("Object contains unknown field `{key}`", key=key))
    for key, field in fields.items():
        if key in value:
            yield from _misfits(_join(at, key), value[key], field.type)
        elif field.required:
            yield InvalidInput(at or WHOLE, say("Object missing required field `{key}`", key=key))


def _without_none(kind: Any) -> Any:
    """The one type of `X | None`; other types as they are."""
    some = [one for one in get_args(kind) if one is not NoneType]
    return some[0] if get_origin(kind) in (Union, UnionType) and len(some) == 1 else kind


def _misfit(at: str, error: msgspec.ValidationError) -> InvalidInput:
    reason, _, path = str(error).partition(" - at `$")
    below = path.rstrip("`").replace("[", ".").replace("]", "").lstrip(".")
    return InvalidInput(_join(at, below) if below else at or WHOLE, reason)


def _is_object(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct) and not kind.__struct_config__.array_like


def _join(at: str, key: str | int) -> str:
    return f"{at}.{key}" if at else str(key)
