"""Seals personal fields with a key of their stream, a player's or a member's, and secrets of hands at live tables.

Each personal value in a body is replaced by the base64 of a nonce and its AES-256-GCM ciphertext. The stream and the
field are authenticated as well, so a sealed value cannot be moved to another place. Without the key it cannot be read.

Secrets of a hand are sealed until the hand ends. Their key is never stored: it is HKDF-SHA-256 of the secret for live
tables (`LEAGUE_TABLE_SECRET`), with the stream and the number of the hand as its info. Without that secret, or with
another one, a sealed value cannot be opened.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import psycopg
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from league.domain.sentences import say

PLAYER_STREAM = "player:"
MEMBER_STREAM = "member:"
NONCE_BYTES = 12
NAMES = 7_120_433_000
"""The advisory lock that separates erasures from processes that write names to the read tables."""

INSERT = """
    INSERT INTO sealing_keys (stream, key)
    SELECT stream, key FROM unnest(%s::text[], %s::bytea[]) AS new (stream, key)
    WHERE NOT EXISTS (SELECT FROM stored_events WHERE originator_id = stream)
    ON CONFLICT DO NOTHING
"""

# Every stream with a personal field has a key until an erasure destroys it.
KEY_FAULTS = """
    SELECT originator_id, erased
    FROM (SELECT originator_id, bool_or(topic = ANY(%s)) AS erased FROM stored_events
          WHERE topic = ANY(%s) GROUP BY originator_id) AS known
    WHERE erased = EXISTS (SELECT FROM sealing_keys WHERE stream = originator_id)
    ORDER BY originator_id COLLATE "C"
"""
UNUSED = """
    SELECT stream FROM sealing_keys WHERE NOT EXISTS (SELECT FROM stored_events WHERE originator_id = stream)
    ORDER BY stream COLLATE "C"
"""
SEALED = """
    SELECT originator_id, topic, state, key FROM stored_events JOIN sealing_keys ON originator_id = stream
    WHERE topic = ANY(%s) ORDER BY originator_id COLLATE "C", originator_version
"""
KEY_LOST = say("the key that opens the names is gone, and no erasure destroyed it: they cannot be read any more")
KEY_CAME_BACK = say("erased, but a key that opens the names is there; `league project --rebuild` destroys it")

KEY_OPENS_NOTHING = say(
    "the key there does not open the name: it is not the one that sealed it, so it cannot be read any more"
)

Keys = dict[str, bytes]
"""Sealing keys by stream."""


class NoSealingKey(Exception):
    """An event has a personal field, but its stream is of a kind without sealing keys, such as a match."""


def check_sealed(stream: str) -> None:
    """Raise NoSealingKey unless the stream is of a kind that has sealing keys."""
    if not stream.startswith((PLAYER_STREAM, MEMBER_STREAM)):
        raise NoSealingKey(say("{stream!r} is the stream of neither a player nor a member", stream=stream))


def keys_of(connection: psycopg.Connection[Any], streams: Iterable[str]) -> Keys:
    """The existing keys, by stream."""
    query = "SELECT stream, key FROM sealing_keys WHERE stream = ANY(%b)"
    with connection.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
        return {stream: bytes(key) for stream, key in cursor.execute(query, [list(streams)])}


def make_keys(connection: psycopg.Connection[Any], streams: Iterable[str]) -> Keys:
    """The keys of these streams; streams without events get new ones. Raises NoSealingKey.

    A stream that has events but no key was erased. It never gets another key.
    """
    wanted = sorted(set(streams))
    for stream in wanted:
        check_sealed(stream)
    keys = keys_of(connection, wanted)
    missing = [stream for stream in wanted if stream not in keys]
    if not missing:
        return keys
    made = [AESGCM.generate_key(bit_length=256) for _ in missing]
    connection.execute(INSERT, [missing, made])
    # Read back: another process may have created one of them first.
    return keys | keys_of(connection, missing)


def hold_names(connection: psycopg.Connection[Any]) -> None:
    """Block erasures until the transaction ends, so that it can copy names from the log to the read tables."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", [NAMES])


def erase(connection: psycopg.Connection[Any], stream: str) -> None:
    """Destroy the key of a stream, remove its names from the read tables, and sign the person out.

    Waits for transactions that called `hold_names`.
    """
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [NAMES])
    destroy_key(connection, stream)
    kind, _, id_ = stream.partition(":")
    if kind == "player":
        connection.execute("UPDATE players SET name = NULL WHERE player_id = %s", [id_])
        connection.execute("DELETE FROM web_sessions WHERE sub = %s", [id_])
        connection.execute("DELETE FROM sign_in_links WHERE sub = %s", [id_])
    else:
        connection.execute("DELETE FROM members WHERE member_id = %s", [id_])
        connection.execute("DELETE FROM web_sessions WHERE member_id = %s", [id_])


def tell_of_erasure(connection: psycopg.Connection[Any]) -> None:
    """Make every process drop its cached answers. Call it last in the transaction, since others wait for its lock."""
    connection.execute("SELECT raise_generation()")


def destroy_key(connection: psycopg.Connection[Any], stream: str) -> None:
    """Make the personal fields of a stream unreadable for good, once the transaction is committed."""
    connection.execute("DELETE FROM sealing_keys WHERE stream = %s", [stream])


def seal(body: bytes, fields: Iterable[str], stream: str, keys: Keys) -> bytes:
    """`body`, a JSON object, with `fields` sealed by the key of the stream."""
    document = msgspec.json.decode(body)
    cipher = AESGCM(keys[stream])
    for field in fields:
        if document.get(field) is not None:
            nonce = os.urandom(NONCE_BYTES)
            sealed = cipher.encrypt(nonce, msgspec.json.encode(document[field]), _place(stream, field))
            document[field] = base64.b64encode(nonce + sealed).decode("ascii")
    return msgspec.json.encode(document)


def unseal(body: bytes, fields: Iterable[str], stream: str, keys: Keys) -> bytes:
    """`body` as it was before `seal`; fields whose key is destroyed are null."""
    document = msgspec.json.decode(body)
    key = keys.get(stream)
    for field in fields:
        if document.get(field) is not None:
            document[field] = None if key is None else _open(document[field], key, _place(stream, field))
    return msgspec.json.encode(document)


def key_faults(
    connection: psycopg.Connection[Any], private: Iterable[str], erasing: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The streams whose key is missing without an erasure, or exists after one, each with a sentence on the fault.

    `private`: the names of events with sealed fields; `erasing`: the names of events that destroy the key.
    """
    for stream, erased in connection.execute(KEY_FAULTS, [list(erasing), [*private, *erasing]]):
        yield stream, KEY_CAME_BACK if erased else KEY_LOST


def unused_keys(connection: psycopg.Connection[Any]) -> list[str]:
    """The streams that have a key but no event. A key is made first, so a refused registration leaves one behind."""
    return [stream for (stream,) in connection.execute(UNUSED)]


def seal_faults(connection: psycopg.Connection[Any], private: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """The streams whose key does not open their sealed fields, each with a sentence on the fault.

    `private`: the sealed fields, by event name. The log must already be verified.
    """
    unopened = dict[str, str]()
    for stream, name, state, key in connection.execute(SEALED, [list(private)]):
        body = msgspec.json.decode(state)["body"]
        for field in private[name]:
            value = body.get(field)
            if value is not None and _open(value, bytes(key), _place(stream, field)) is None:
                unopened[stream] = KEY_OPENS_NOTHING
    yield from unopened.items()


def _open(value: str, key: bytes, place: bytes) -> Any:
    sealed = base64.b64decode(value)
    try:
        opened = AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place)
    except InvalidTag:
        # It was sealed with another key than the present one, and is lost with that key.
        return None
    return msgspec.json.decode(opened)


def _place(stream: str, field: str) -> bytes:
    return f"{stream}|{field}".encode()


# ---------------------------------------------------------------- secrets of hands


HAND_KEY_BYTES = 32


class NoTableSecret(Exception):
    """A hand was to be shuffled on a server that has no secret for live tables."""


def seal_hand(body: bytes, fields: Iterable[str], stream: str, secret: str | None) -> bytes:
    """`body`, a JSON object that names its hand, with `fields` sealed. Raises NoTableSecret."""
    if secret is None:
        raise NoTableSecret(say("LEAGUE_TABLE_SECRET is not set"))
    document = msgspec.json.decode(body)
    cipher, place = AESGCM(_hand_key(secret, stream, document["hand"])), _hand_place(stream, document["hand"])
    for field in fields:
        if document.get(field) is not None:
            nonce = os.urandom(NONCE_BYTES)
            sealed = cipher.encrypt(nonce, document[field].encode(), place)
            document[field] = base64.b64encode(nonce + sealed).decode("ascii")
    return msgspec.json.encode(document)


def unseal_hand(body: bytes, fields: Iterable[str], stream: str, secret: str | None) -> bytes:
    """`body` as it was before `seal_hand`; fields that the secret does not open are null."""
    document = msgspec.json.decode(body)
    for field in fields:
        if document.get(field) is not None:
            document[field] = None if secret is None else _open_hand(document, field, stream, secret)
    return msgspec.json.encode(document)


def _open_hand(document: dict[str, Any], field: str, stream: str, secret: str) -> str | None:
    sealed, hand = base64.b64decode(document[field]), document["hand"]
    try:
        opened = AESGCM(_hand_key(secret, stream, hand)).decrypt(
            sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _hand_place(stream, hand)
        )
    except InvalidTag:
        return None
    return opened.decode()


def _hand_key(secret: str, stream: str, hand: int) -> bytes:
    return HKDF(SHA256(), HAND_KEY_BYTES, salt=None, info=_hand_place(stream, hand)).derive(secret.encode())


def _hand_place(stream: str, hand: int) -> bytes:
    return f"{stream}|hand {hand}".encode()
