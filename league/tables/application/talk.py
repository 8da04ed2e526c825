"""What players say to each other at a live table: sent to every process by a notification, and stored nowhere.

Only who does not want to hear whom is a row (Cuban text, Playful Banter: an optional part of the game).
"""

from datetime import datetime

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, text

CHANNEL = "league_talk"
"""The channel on which a phrase is announced to all processes."""

_SAY = text("""
    SELECT pg_notify(:channel, json_build_object(
        'table', CAST(:table AS text), 'seat', CAST(:seat AS integer), 'phrase', CAST(:phrase AS text), 'at', now(),
        'deaf', (
            SELECT coalesce(json_agg(player_id), '[]') FROM table_mutes WHERE table_id = :table AND muted_id = :player)
    )::text), now() AS at
""")
_MUTE = text(
    "INSERT INTO table_mutes (table_id, player_id, muted_id) VALUES (:table, :player, :muted) ON CONFLICT DO NOTHING"
)
_UNMUTE = text("DELETE FROM table_mutes WHERE table_id = :table AND player_id = :player AND muted_id = :muted")


class Said(Struct, frozen=True):
    """A phrase that a player has said."""

    table: str
    seat: int
    phrase: str
    """Its key in the catalogue."""
    at: datetime
    deaf: tuple[str, ...]
    """The players who have muted the one who said it."""


def say(conn: Connection, table: str, seat: int, player: str, phrase: str) -> datetime:
    """Tell all processes what a player says at a table. Returns the time."""
    given = {"channel": CHANNEL, "table": table, "seat": seat, "phrase": phrase, "player": player}
    at: datetime = conn.execute(_SAY, given).one().at
    return at


def heard(payload: str) -> Said:
    """What a notification says. Raises msgspec.DecodeError for one that is not ours."""
    return msgspec.json.decode(payload, type=Said)


def mute(conn: Connection, table: str, player: str, muted: str) -> None:
    """From now on a player does not hear what another one says at a table."""
    conn.execute(_MUTE, {"table": table, "player": player, "muted": muted})


def unmute(conn: Connection, table: str, player: str, muted: str) -> None:
    """From now on a player hears the other one again."""
    conn.execute(_UNMUTE, {"table": table, "player": player, "muted": muted})
