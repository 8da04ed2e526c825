"""JSON files that every reader reads alike."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def read_exactly(text: bytes, kind: type[T]) -> T:
    """The value of a text in the league's own notation. Raises ValueError for another notation, except for white space.

    With a duplicate field, or digits that some readers drop, a file could mean one thing here and another elsewhere.
    """
    try:
        value = msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    written = msgspec.json.encode(value)
    if text.rstrip() != written and msgspec.json.format(text, indent=-1) != written:
        raise ValueError("it has other fields, or another notation, than the league writes")
    return value


def read_digits(text: str) -> bytes:
    """The bytes of a text of hexadecimal digits. Raises ValueError for digits in another notation."""
    value = bytes.fromhex(text)
    if value.hex() != text:
        raise ValueError("hexadecimal digits can be written in one way only")
    return value
