"""Private fields, encrypted with a key of their player: without the key they cannot be read.

Each private value in a body is replaced by the base64 of a nonce and its AES-256-GCM ciphertext. The stream and the
field are authenticated as well, so a sealed value cannot be moved to another place.
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

from league.domain.sentences import say

PLAYER_STREAM = "player:"
NONCE_BYTES = 12
NAMES = 7_120_433_000
"""The advisory lock between processes that write names they have read, and erasures."""

INSERT = """
    INSERT INTO player_keys (player_id, key)
    SELECT player, key FROM unnest(%s::text[], %s::bytea[]) AS new (player, key)
    WHERE NOT EXISTS (SELECT FROM stored_events WHERE originator_id = %s || player)
    ON CONFLICT DO NOTHING
"""

# Every registered player has a key until an erasure destroys it.
KEY_FAULTS = """
    SELECT originator_id, erased
    FROM (SELECT originator_id, bool_or(topic = 'player-erased/1') AS erased FROM stored_events
          WHERE topic IN ('player-registered/1', 'player-erased/1') GROUP BY originator_id) AS known
    WHERE erased = EXISTS (SELECT FROM player_keys WHERE %s || player_id = originator_id)
    ORDER BY originator_id COLLATE "C"
"""
UNREGISTERED = """
    SELECT player_id FROM player_keys WHERE NOT EXISTS (SELECT FROM stored_events WHERE originator_id = %s || player_id)
    ORDER BY player_id COLLATE "C"
"""
SEALED = """
    SELECT originator_id, topic, state, key FROM stored_events JOIN player_keys ON originator_id = %s || player_id
    WHERE topic = ANY(%s) ORDER BY originator_id COLLATE "C", originator_version
"""
KEY_LOST = say("the key that opens the names is gone, and no erasure destroyed it: they cannot be read any more")
KEY_CAME_BACK = say(
    "the player is erased, but a key that opens the names is there; `league project --rebuild` destroys it"
)

KEY_OPENS_NOTHING = say(
    "the key there does not open the name: it is not the one that sealed it, so it cannot be read any more"
)

Keys = dict[str, bytes]  # by player id


class NoOwner(Exception):
    """A private field in an event outside a player's stream, for which there is no key."""


def owner_of(stream: str) -> str:
    """The player whose key seals the private fields of `stream`. Raises NoOwner."""
    if not stream.startswith(PLAYER_STREAM):
        raise NoOwner(say("{stream!r} is not the stream of a player", stream=stream))
    return stream.removeprefix(PLAYER_STREAM)


def keys_of(connection: psycopg.Connection[Any], players: Iterable[str]) -> Keys:
    """The existing keys, by player."""
    query = "SELECT player_id, key FROM player_keys WHERE player_id = ANY(%b)"
    with connection.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
        return {player: bytes(key) for player, key in cursor.execute(query, [list(players)])}


def make_keys(connection: psycopg.Connection[Any], players: Iterable[str]) -> Keys:
    """The keys of these players; players without events get new ones.

    A player with events and no key was erased, and never gets another key.
    """
    wanted = sorted(set(players))
    keys = keys_of(connection, wanted)
    missing = [player for player in wanted if player not in keys]
    if not missing:
        return keys
    made = [AESGCM.generate_key(bit_length=256) for _ in missing]
    connection.execute(INSERT, [missing, made, PLAYER_STREAM])
    # Read back: another process may have created one of them first.
    return keys | keys_of(connection, missing)


def hold_names(connection: psycopg.Connection[Any]) -> None:
    """Block erasures until the transaction ends, so that it can write names that it has read to the read tables."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", [NAMES])


def erase(connection: psycopg.Connection[Any], player: str) -> None:
    """Destroy the key of `player`, and remove the name from the read tables. Waits for `hold_names`."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [NAMES])
    destroy_key(connection, player)
    connection.execute("UPDATE players SET name = NULL WHERE player_id = %s", [player])


def tell_of_erasure(connection: psycopg.Connection[Any]) -> None:
    """Make every process drop the answers that it has kept. Last in the transaction: others wait for it."""
    connection.execute("SELECT raise_generation()")


def destroy_key(connection: psycopg.Connection[Any], player: str) -> None:
    """Make the private fields of `player` unreadable for good, once the transaction is committed."""
    connection.execute("DELETE FROM player_keys WHERE player_id = %s", [player])


def seal(body: bytes, fields: Iterable[str], stream: str, keys: Keys) -> bytes:
    """`body` (a JSON object) with `fields` sealed by the key of the stream's player."""
    document = msgspec.json.decode(body)
    cipher = AESGCM(keys[owner_of(stream)])
    for field in fields:
        if document.get(field) is not None:
            nonce = os.urandom(NONCE_BYTES)
            sealed = cipher.encrypt(nonce, msgspec.json.encode(document[field]), _place(stream, field))
            document[field] = base64.b64encode(nonce + sealed).decode("ascii")
    return msgspec.json.encode(document)


def unseal(body: bytes, fields: Iterable[str], stream: str, keys: Keys) -> bytes:
    """`body` as it was before `seal`; fields whose key is destroyed are null."""
    document = msgspec.json.decode(body)
    key = keys.get(owner_of(stream))
    for field in fields:
        if document.get(field) is not None:
            document[field] = None if key is None else _open(document[field], key, _place(stream, field))
    return msgspec.json.encode(document)


def key_faults(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, str]]:
    """The streams of players whose key is gone without an erasure, or exists after one; and what that means."""
    for stream, erased in connection.execute(KEY_FAULTS, [PLAYER_STREAM]):
        yield stream, KEY_CAME_BACK if erased else KEY_LOST


def unregistered(connection: psycopg.Connection[Any]) -> list[str]:
    """The players who have a key but no event. A key is made before the event, so a refused registration leaves one."""
    return [player for (player,) in connection.execute(UNREGISTERED, [PLAYER_STREAM])]


def seal_faults(connection: psycopg.Connection[Any], private: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """The streams of players whose key does not open their sealed fields, and what that means.

    `private`: the sealed fields, by event name. The log must already be verified.
    """
    unopened = dict[str, str]()
    for stream, name, state, key in connection.execute(SEALED, [PLAYER_STREAM, list(private)]):
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
        # Sealed with a key other than the current one: the value is as lost as that key.
        return None
    return msgspec.json.decode(opened)


def _place(stream: str, field: str) -> bytes:
    return f"{stream}|{field}".encode()
