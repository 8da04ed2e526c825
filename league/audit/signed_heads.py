"""Signed heads: the size and root of a log when it was signed (Ed25519). Auditors store them out of its writers' reach.

This module also reads JSON that has only one notation, checks whether the times of heads can be true, and finds the
key that signs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from struct import Struct
from typing import TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from league.audit.merkle import MerkleTree
from league.domain.refusals import InvalidInput
from league.domain.sentences import Sentence, say
from league.eventlog.encoded_rows import microseconds, moment
from league.infra.durable_files import stored_secret
from league.infra.settings import BadSetting, Settings

# ---------------------------------------------------------------- exact JSON


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


# ---------------------------------------------------------------- heads


HEAD = b"\x02"
"""The prefix of the signed bytes, so that they cannot be mistaken for an event or a node of the tree."""
HASH_BYTES = 32
LAST_POSITION = 2**63 - 1

NOT_SIGNED = say("is not what its key signed")
OTHER_PEAKS = say("has peaks, which are not signed, that do not give its root")

_NUMBERS = Struct(">qq").pack


class LogHead(msgspec.Struct, frozen=True):
    """The state of the log, and the signature over it."""

    position: int
    hash: bytes
    """The hash of the event at this position."""
    root: bytes
    """The root of the Merkle tree over all events up to this position."""
    signed_at: datetime
    key: bytes
    """The public key, 32 bytes."""
    signature: bytes
    peaks: tuple[bytes, ...]
    """The peaks of the tree. Not signed: the root follows from them. They narrow down where another log differs."""


class BadHead(Exception):
    """A text is not a list of signed heads."""


class BadKey(Exception):
    """A text is not an Ed25519 key."""


def sign(key: Ed25519PrivateKey, tree: MerkleTree, hash_: bytes, at: datetime) -> LogHead:
    """A head for a log whose events are the leaves of `tree`; the last has this hash."""
    root, public = tree.root(), raw(key.public_key())
    signature = key.sign(_signed(tree.size, at, hash_, root))
    return LogHead(tree.size, hash_, root, at, public, signature, tuple(tree.peaks))


def is_genuine(head: LogHead) -> bool:
    """Whether the head's key has signed it, and its peaks give its root."""
    return flaw_of(head) is None


def flaw_of(head: LogHead) -> str | None:
    """What is wrong with a head, as the end of a sentence that begins with the head. None for a genuine head."""
    # The signed bytes are these parts in a row: with other lengths they would be those of another head.
    if not 0 < head.position <= LAST_POSITION or not len(head.hash) == len(head.root) == HASH_BYTES:
        return NOT_SIGNED
    try:
        signed = _signed(head.position, head.signed_at, head.hash, head.root)
        Ed25519PublicKey.from_public_bytes(head.key).verify(head.signature, signed)
    except (InvalidSignature, ValueError):
        return NOT_SIGNED
    full_trees = len(head.peaks) == head.position.bit_count() and all(len(peak) == HASH_BYTES for peak in head.peaks)
    if not full_trees or MerkleTree(head.position, head.peaks).root() != head.root:
        return OTHER_PEAKS
    return None


def _signed(position: int, at: datetime, hash_: bytes, root: bytes) -> bytes:
    return HEAD + _NUMBERS(position, microseconds(at)) + hash_ + root


def stored_head(
    position: int, hash_: bytes, root: bytes, signed_at: datetime, key: bytes, signature: bytes, peaks: bytes
) -> LogHead:
    """A head from its database row, where the peaks are joined."""
    apart = tuple(bytes(peaks[at : at + HASH_BYTES]) for at in range(0, len(peaks), HASH_BYTES))
    return LogHead(position, bytes(hash_), bytes(root), signed_at, bytes(key), bytes(signature), apart)


# ---------------------------------------------------------------- keys


def read_private_key(text: str) -> Ed25519PrivateKey:
    """A key as PEM (PKCS 8, not encrypted) or as the base64 of its 32 bytes. Raises BadKey."""
    try:
        if "-----BEGIN" in text:
            key = load_pem_private_key(text.encode(), password=None)
            if not isinstance(key, Ed25519PrivateKey):
                raise BadKey(say("it is a key of another kind than Ed25519"))
            return key
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(text.strip(), validate=True))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadKey(say("it is neither PEM nor the base64 of 32 bytes")) from error


def read_public_key(text: str) -> bytes:
    """A public key as PEM, or as 64 hexadecimal digits; its 32 bytes. Raises BadKey."""
    try:
        if "-----BEGIN" in text:
            key = load_pem_public_key(text.encode())
            if not isinstance(key, Ed25519PublicKey):
                raise BadKey(say("it is a key of another kind than Ed25519"))
            return raw(key)
        return raw(Ed25519PublicKey.from_public_bytes(bytes.fromhex(text.strip())))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadKey(say("it is neither PEM nor 64 hexadecimal digits")) from error


def new_seed() -> str:
    """A new key, as the base64 of its 32 bytes."""
    return base64.b64encode(Ed25519PrivateKey.generate().private_bytes_raw()).decode()


def public_pem(key: Ed25519PrivateKey) -> str:
    """The public key as PEM, for publication."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def raw(key: Ed25519PublicKey) -> bytes:
    """The 32 bytes of a public key."""
    return key.public_bytes_raw()


# ---------------------------------------------------------------- as JSON


class WrittenHead(msgspec.Struct, frozen=True):
    """A head as written in files; bytes are hexadecimal digits."""

    position: int
    hash: str
    root: str
    signed_at: datetime
    """In UTC, to the microsecond."""
    key: str
    signature: str
    peaks: tuple[str, ...]

    def head(self) -> LogHead:
        """The head. Raises ValueError."""
        if self.signed_at.tzinfo != UTC:
            raise ValueError("`signed_at` is not in UTC")
        hash_, root, key, signature = map(read_digits, (self.hash, self.root, self.key, self.signature))
        return LogHead(self.position, hash_, root, self.signed_at, key, signature, tuple(map(read_digits, self.peaks)))


def as_json(head: LogHead) -> WrittenHead:
    """A head as written in files."""
    hash_, root, key, signature = (part.hex() for part in (head.hash, head.root, head.key, head.signature))
    at = moment(microseconds(head.signed_at))
    return WrittenHead(head.position, hash_, root, at, key, signature, tuple(peak.hex() for peak in head.peaks))


def read_heads(text: bytes) -> list[LogHead]:
    """The heads in a file: a JSON list of them, or one. Raises BadHead."""
    try:
        if text.lstrip().startswith(b"{"):
            return [read_exactly(text, WrittenHead).head()]
        return [written.head() for written in read_exactly(text, list[WrittenHead])]
    except ValueError as error:
        raise BadHead(say("it holds no signed heads ({error})", error=error)) from error


def earliest_first(heads: Sequence[LogHead]) -> list[LogHead]:
    """Heads in the order of the log."""
    return sorted(heads, key=lambda head: (head.position, head.signed_at, head.key))


# ---------------------------------------------------------------- in files


def heads_in(files: Sequence[Path]) -> list[LogHead]:
    """The heads in files. Raises InvalidInput."""
    found: list[LogHead] = []
    for file in files:
        try:
            heads = read_heads(file.read_bytes())
        except FileNotFoundError:
            raise InvalidInput("heads", say("{file} is not there", file=file)) from None
        except (OSError, BadHead) as error:
            raise InvalidInput("heads", f"{file}: {error}") from error
        if not heads:
            raise InvalidInput("heads", say("{file}: it holds no head, so nothing could be checked with it", file=file))
        found += heads
    return found


def public_keys_in(files: Sequence[Path]) -> list[bytes]:
    """The public keys in files, one in each. Raises InvalidInput."""
    found: list[bytes] = []
    for file in files:
        try:
            found.append(read_public_key(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise InvalidInput("public_key", say("{file} is not there", file=file)) from None
        except (OSError, UnicodeDecodeError, BadKey) as error:
            raise InvalidInput("public_key", f"{file}: {error}") from error
    return found


# ---------------------------------------------------------------- times of heads


CLOCK_TOLERANCE = timedelta(minutes=5)
"""The most by which the clocks of signers and checkers may differ."""

_TOLERANCE = CLOCK_TOLERANCE // timedelta(microseconds=1)


def faults_of_time(
    heads: Iterable[LogHead], recorded: Mapping[int, int], now: datetime | None
) -> Iterator[tuple[LogHead, Sentence]]:
    """The genuine heads whose time cannot be true, each with the reason.

    `recorded`: by position, the time at which the event there, or an earlier one, was recorded, in microseconds since
    2000, as in the log. `now`: the clock of whoever checks; None: heads dated in the future are not reported.
    """
    heads = list(heads)
    before_later = _later_than_a_later_one(heads)
    for head in heads:
        signed_at, event_at = microseconds(head.signed_at), recorded.get(head.position)
        of = {"position": head.position, "signed_at": _utc(head.signed_at)}
        if event_at is not None and signed_at < event_at - _TOLERANCE:
            says = say(
                "the head at {position} is dated {signed_at}, but its event was recorded at {recorded_at}: more than "
                "{minutes} minutes later",
                **of,
                recorded_at=_utc(moment(event_at)),
                minutes=CLOCK_TOLERANCE // timedelta(minutes=1),
            )
            yield head, says
        elif now is not None and signed_at > microseconds(now) + _TOLERANCE:
            says = say(
                "the head at {position} is dated {signed_at}, which is still to come: now it is {now}",
                **of,
                now=_utc(now),
            )
            yield head, says
        elif (later := before_later.get(head)) is not None:
            says = say(
                "the head at {position} is dated {signed_at}, and the head at {later}, which its key signed later, "
                "{earlier}: one of the two times is wrong",
                **of,
                later=later.position,
                earlier=_utc(later.signed_at),
            )
            yield head, says


def _later_than_a_later_one(heads: Iterable[LogHead]) -> dict[LogHead, LogHead]:
    """Heads whose time is after that of a head by the same key at a later position, each with the earliest of those."""
    found, earliest = dict[LogHead, LogHead](), dict[bytes, LogHead]()
    # Heads of one position come with the latest first, so none of them is later than one before it.
    for head in sorted(heads, key=lambda head: (head.position, head.signed_at), reverse=True):
        later = earliest.setdefault(head.key, head)
        if head.signed_at > later.signed_at:
            found[head] = later
        else:
            earliest[head.key] = head
    return found


def _utc(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC"


# ---------------------------------------------------------------- the key that signs


def signing_key_of(settings: Settings) -> Ed25519PrivateKey | None:
    """The key that signs heads: the configured one, or with the embedded database one stored beside it.

    None if a database server is used and no key is set: then no head is signed. Raises BadSetting and SecretTooShort.
    """
    if settings.signing_key is None and settings.database_url is not None:
        return None
    try:
        return read_private_key(settings.signing_key or stored_secret(settings, "signing-key", new_seed))
    except BadKey as error:
        raise BadSetting("LEAGUE_SIGNING_KEY", str(error)) from error


def required_key(settings: Settings) -> Ed25519PrivateKey:
    """The key that signs heads. Raises BadSetting if there is none, and SecretTooShort."""
    key = signing_key_of(settings)
    if key is None:
        raise BadSetting("LEAGUE_SIGNING_KEY", say("must be set: it signs heads of the log"))
    return key
