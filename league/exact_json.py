"""JSON files that say the same to everybody who reads them."""

from __future__ import annotations

from typing import Any

import msgspec


def is_exact(text: bytes, value: Any) -> bool:
    """Whether a text is what is written for this value, but for white space. Raises ValueError for no JSON.

    A field that comes twice, or digits that a reader drops, would let a file say one thing to us and another elsewhere.
    """
    return msgspec.json.format(text, indent=-1) == msgspec.json.encode(value)
