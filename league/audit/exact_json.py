"""JSON files that say the same to everybody who reads them."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def read_exactly(text: bytes, kind: type[T]) -> T:
    """The value that a text was written for. Raises ValueError for a text that is not written so, but for white space.

    A field that comes twice, or digits that a reader drops, would let a file say one thing to us and another elsewhere.
    """
    try:
        value = msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    written = msgspec.json.encode(value)
    if text.rstrip() != written and msgspec.json.format(text, indent=-1) != written:
        raise ValueError("it has more in it, or writes it otherwise, than the league does")
    return value


def read_digits(text: str) -> bytes:
    """The bytes that a text of hexadecimal digits stands for. Raises ValueError for digits that are not written so."""
    value = bytes.fromhex(text)
    if value.hex() != text:
        raise ValueError("hexadecimal digits can be written in one way only")
    return value
