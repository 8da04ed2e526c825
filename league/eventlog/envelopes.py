"""Turns events into rows of the log and back. A row has an envelope: the request, and the event with sealed fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import psycopg

from league.domain.deciders import Event
from league.eventlog import sealing
from league.eventlog.recorder import NewEvent, Recorder
from league.eventlog.records import Append, AppendRequest, LoggedEvent, SealingKeyDestroyed

Row = tuple[int, str, int, str, datetime, bytes]
"""Position, stream, version, name, recorded_at, state."""


class Codec(Protocol):
    """The store's interface to kinds of events. The module `league.eventlog.codec` implements it."""

    def name_of(self, event: Event, /) -> str:
        """The name and version under which an event is stored, such as `hand-recorded/1`."""

    def encode_body(self, event: Event, /) -> bytes:
        """The event as a JSON object."""

    def decode_body(self, name: str, body: bytes, /) -> Event:
        """The event with a body that was stored under `name`; a private field may be null."""

    def type_of(self, name: str, /) -> type[Event] | None:
        """The type to which a body stored under `name` can be decoded directly; None if it needs `decode_body`."""

    def private_fields(self, name: str, /) -> tuple[str, ...]:
        """The fields of a body stored under `name` that are sealed with the key of the stream."""

    def hand_secrets(self, name: str, /) -> tuple[str, ...]:
        """The fields of a body stored under `name` that are sealed until a hand ends."""

    def destroys_key(self, name: str, /) -> bool:
        """Whether an event stored under `name` destroys the key of the stream."""


Body = TypeVar("Body")


class Envelope(msgspec.Struct, Generic[Body], frozen=True, gc=False):
    """The document in the column `state`."""

    actor: str
    source: str
    key: str | None
    played_at: datetime | None
    body: Body


class Envelopes:
    """Makes rows of events, and events of rows."""

    def __init__(self, recorder: Recorder, codec: Codec, table_secret: str | None) -> None:
        """`table_secret`: the secret that seals the hands of live tables."""
        self._recorder, self._codec, self._table_secret = recorder, codec, table_secret
        self._undecoded = msgspec.json.Decoder(Envelope[msgspec.Raw])
        self._decoders: dict[str, Callable[[bytes], Envelope[Event]] | None] = {}
        """Decoders by stored name. Each decodes envelope and event at once; None for names whose body needs more."""

    def with_recorder(self, recorder: Recorder) -> Envelopes:
        """Envelopes that read keys with another recorder."""
        return Envelopes(recorder, self._codec, self._table_secret)

    def rows_of(self, appends: Sequence[Append], request: AppendRequest) -> list[NewEvent]:
        """The rows of new events. Raises SealingKeyDestroyed."""
        codec = self._codec
        named = [[(codec.name_of(event), event) for event in append.events] for append in appends]
        sealed = {
            append.stream
            for append, events in zip(appends, named, strict=True)
            if any(codec.private_fields(name) for name, _ in events)
        }
        keys = self.keys(sealed, sealing.make_keys)
        stored = []
        for append, events in zip(appends, named, strict=True):
            for version, (name, event) in enumerate(events, append.version + 1):
                body = codec.encode_body(event)
                if private := codec.private_fields(name):
                    if append.stream not in keys:
                        raise SealingKeyDestroyed(append.stream)
                    body = sealing.seal(body, private, append.stream, keys)
                if secrets := codec.hand_secrets(name):
                    body = sealing.seal_hand(body, secrets, append.stream, self._table_secret)
                envelope = Envelope(request.actor, request.source, request.key, append.played_at, msgspec.Raw(body))
                stored.append((append.stream, version, name, msgspec.json.encode(envelope)))
        return stored

    def erased_by(self, appends: Sequence[Append]) -> set[str]:
        """The streams whose sealing key these events destroy."""
        codec = self._codec
        return {a.stream for a in appends if any(codec.destroys_key(codec.name_of(event)) for event in a.events)}

    def events_of(self, rows: Sequence[Row]) -> list[LoggedEvent]:
        """The events of rows, in their order."""
        names = {row[3] for row in rows}
        private = {name for name in names if self._codec.private_fields(name)}
        keys = self.keys({row[1] for row in rows if row[3] in private}, sealing.keys_of)
        whole = {name: self._decoder_of(name) for name in names}
        stored = []
        for position, stream, version, name, recorded_at, state in rows:
            decode = whole[name]
            envelope = self._opened(state, name, stream, keys) if decode is None else decode(state)
            stored.append(
                LoggedEvent(
                    position, stream, version, name, recorded_at,
                    envelope.played_at, envelope.actor, envelope.source, envelope.key, envelope.body,
                )
            )  # fmt: skip
        return stored

    def _decoder_of(self, name: str) -> Callable[[bytes], Envelope[Event]] | None:
        if name not in self._decoders:
            kind = self._codec.type_of(name)
            self._decoders[name] = None if kind is None else msgspec.json.Decoder(Envelope[kind]).decode  # type: ignore[valid-type]
        return self._decoders[name]

    def _opened(self, state: bytes, name: str, stream: str, keys: sealing.Keys) -> Envelope[Event]:
        """The envelope with its event, whose sealed fields are decrypted."""
        envelope = self._undecoded.decode(state)
        body = bytes(envelope.body)
        if private := self._codec.private_fields(name):
            body = sealing.unseal(body, private, stream, keys)
        if secrets := self._codec.hand_secrets(name):
            body = sealing.unseal_hand(body, secrets, stream, self._table_secret)
        event = self._codec.decode_body(name, body)
        return Envelope(envelope.actor, envelope.source, envelope.key, envelope.played_at, event)

    def keys(
        self, streams: set[str], find: Callable[[psycopg.Connection[Any], set[str]], sealing.Keys]
    ) -> sealing.Keys:
        """The sealing keys of streams, which `find` reads or makes."""
        if not streams:
            return {}
        with self._recorder.connection() as connection:
            return find(connection, streams)
