"""The log as a file: one JSON object per line with every column of an event, to be checked without a database."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from struct import error as OutOfRange  # noqa: N812  # its own name says nothing
from typing import BinaryIO

import msgspec

from league.audit.exact_json import read_exactly
from league.audit.verification import Rows, Unreadable
from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.eventlog.hash_chain import Entry, decode, encode, microseconds, moment


class Line(msgspec.Struct, frozen=True):
    """An event as written in files."""

    position: int
    version: int
    recorded_at: datetime
    """In UTC, to the microsecond."""
    stream: str
    name: str
    state: str
    """The stored bytes, in base64."""
    hash: str
    """Hexadecimal."""


def line_of(entry: Entry, hash_: bytes) -> Line:
    """The line for an event."""
    state = b64encode(entry.state).decode()
    return Line(entry.position, entry.version, moment(entry.recorded_at), entry.stream, entry.name, state, hash_.hex())


def entry_of(line: Line) -> tuple[Entry, bytes]:
    """The event of a line, and its hash. Raises ValueError."""
    if line.recorded_at.tzinfo != UTC:
        raise ValueError("`recorded_at` is not in UTC")
    time, state = microseconds(line.recorded_at), b64decode(line.state, validate=True)
    entry, hash_ = Entry(line.position, line.version, time, line.stream, line.name, state), bytes.fromhex(line.hash)
    if b64encode(state).decode() != line.state or hash_.hex() != line.hash:
        raise ValueError("base64 or hexadecimal digits can be written in one way only")
    return entry, hash_


def write_log(rows: Rows, out: BinaryIO) -> int:
    """Write encoded events; returns their number. Raises WrongState for a time that a file cannot represent."""
    count, encoder = 0, msgspec.json.Encoder()
    for count, (encoded, hash_) in enumerate(rows, 1):
        entry = decode(encoded)
        try:
            line = line_of(entry, hash_)
        except OverflowError as error:
            reason = say("its time lies beyond the calendar; see `league verify`")
            raise WrongState(say("the event at {count}", count=count), say("not as it was appended"), reason) from error
        out.write(encoder.encode(line) + b"\n")
    return count


def read_log(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """The rows of a written file. Raises Unreadable for an invalid line."""
    for number, text in enumerate(file, 1):
        try:
            entry, hash_ = entry_of(read_exactly(text, Line))
            yield encode(entry), hash_
        except (ValueError, OutOfRange) as error:
            raise Unreadable(say("line {number} holds no event ({error})", number=number, error=error)) from error
