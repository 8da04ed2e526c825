"""Stored names and bodies of events: each kind has a literal name with a version; bodies are JSON.

A stored name stays readable for ever: upcasters convert old versions. The domain knows only the newest version.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from league.domain.deciders import Event
from league.eventlog.kinds import KINDS

NAMES: dict[str, type[Event]] = {kind.name: kind.event for kind in KINDS}
"""The type of every event, by its newest stored name."""

UPCASTERS: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""The next version of each old stored name, and the function that converts a body of the old version to it."""

PRIVATE: dict[str, tuple[str, ...]] = {kind.name: kind.sealed for kind in KINDS if kind.sealed}
"""The personal fields of each event that has some, by its stored name."""
HAND_SECRETS: dict[str, tuple[str, ...]] = {
    kind.name: kind.sealed_until_the_end for kind in KINDS if kind.sealed_until_the_end
}
ERASING = tuple(kind.name for kind in KINDS if kind.erases)
UNFOLDED = tuple(kind.name for kind in KINDS if not kind.is_folded)

_NAME_OF: dict[type[Event], str] = {kind: name for name, kind in NAMES.items()}
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in NAMES.items()}
_ENCODER = msgspec.json.Encoder(decimal_format="number", order="deterministic")


def name_of(event: Event) -> str:
    """The stored name of an event."""
    return _NAME_OF[type(event)]


def encode_body(event: Event) -> bytes:
    """The event as JSON."""
    return _ENCODER.encode(event)


def decode_body(name: str, body: bytes) -> Event:
    """The event with this stored name and JSON body, at its newest version. Raises KeyError for an unknown name."""
    if name in UPCASTERS:
        document = msgspec.json.decode(body)
        while name in UPCASTERS:
            name, upcast = UPCASTERS[name]
            document = upcast(document)
        body = _ENCODER.encode(document)
    event: Event = _DECODERS[name].decode(body)
    return event


def type_of(name: str) -> type[Event] | None:
    """The type to which a body with this name can be decoded directly; None for old names, and if fields are sealed."""
    return None if name in PRIVATE or name in HAND_SECRETS else NAMES.get(name)


def private_fields(name: str) -> tuple[str, ...]:
    """The names of an event's fields that are sealed with the key of its stream."""
    return PRIVATE.get(name, ())


def hand_secrets(name: str) -> tuple[str, ...]:
    """The names of an event's fields that are sealed until the hand ends."""
    return HAND_SECRETS.get(name, ())


def destroys_key(name: str) -> bool:
    """Whether this event destroys the key of its stream."""
    return name in ERASING
