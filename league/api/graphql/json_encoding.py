"""JSON of answers: fast, in UTF-8, and with whatever text a client has sent."""

import json
from typing import Any

import msgspec


def encode_json(data: object) -> bytes:
    """JSON in UTF-8. What is a `msgspec.Raw` is encoded already. Lone surrogates, which have no UTF-8, become `?`."""
    try:
        return msgspec.json.encode(data)
    except (UnicodeEncodeError, OverflowError):  # a number of more than 64 bits
        return json.dumps(data, default=_read, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _read(raw: msgspec.Raw) -> Any:
    return json.loads(bytes(raw))
