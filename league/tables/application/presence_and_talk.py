"""What happens at a live table apart from its events: who is connected, and what players say to each other.

Signs of life are rows, which every process can read. Players say phrases from a catalogue. A notification sends a
phrase to every process, and phrases are not stored; only mutes are rows (Cuban text, Playful Banter: an optional part
of the game).
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
import psycopg
import sqlalchemy as sa
import structlog
from msgspec import Struct

from league.domain.player import is_id
from league.infra.database import connect
from league.infra.outages import outages
from league.tables.domain.commands_and_events import NoteAway, NoteBack

Connection = psycopg.Connection[Any]

RENEWAL = 2.0
"""Seconds between two signs of life of a connected player."""
KEPT = 3600.0
"""Seconds after which a sign of life is deleted."""

# Write rows only of seated players, under the ids of their seats. Rows are ordered, so that two processes cannot
# deadlock.
_RENEW = """
    INSERT INTO live_presence (table_id, player_id, seen_at)
    SELECT *, clock_timestamp() FROM (
        SELECT DISTINCT table_id, sits.player_id
        FROM unnest(%s::text[], %s::text[]) AS seen (table_id, player_id)
        JOIN live_tables USING (table_id) CROSS JOIN unnest(players) AS sits (player_id)
        LEFT JOIN player_aliases AS sent ON sent.player_id = seen.player_id
        LEFT JOIN player_aliases AS known ON known.player_id = sits.player_id
        WHERE coalesce(sent.canonical_id, seen.player_id) = coalesce(known.canonical_id, sits.player_id)
    ) AS seated
    ORDER BY 1, 2
    ON CONFLICT (table_id, player_id) DO UPDATE SET seen_at = excluded.seen_at
"""
_CHANGED = """
    SELECT table_id, player_id, is_away
    FROM live_tables CROSS JOIN LATERAL (
        SELECT player_id, false AS is_away FROM unnest(present) AS player_id
        UNION ALL SELECT player_id, true FROM unnest(away) AS player_id
    ) AS seated
    LEFT JOIN live_presence USING (table_id, player_id)
    WHERE phase NOT IN ('open', 'closed') AND stood_until IS NULL
    AND is_away = (
        CASE WHEN is_away THEN coalesce(seen_at, '-infinity') ELSE greatest(seen_at, silence_from) END
        > clock_timestamp() - away_after_seconds * interval '1 second'
    )
    ORDER BY table_id, player_id
"""
# Running tables at which a player who should be present has no sign of life: signs were lost, or none came yet.
_RESTART_SILENCE = """
    UPDATE live_tables AS live SET silence_from = greatest(silence_from, clock_timestamp())
    WHERE phase NOT IN ('open', 'closed') AND EXISTS (
        SELECT player_id FROM unnest(present) AS player_id
        EXCEPT SELECT player_id FROM live_presence AS seen WHERE seen.table_id = live.table_id
    )
"""
_FORGET = "DELETE FROM live_presence WHERE seen_at < clock_timestamp() - %s * interval '1 second'"

log = structlog.get_logger()


class SignOfLife(NamedTuple):
    """A sign of life of a player at a table."""

    table: str
    player: str


class Presence:
    """Tracks the players who are connected to this process, and writes their signs of life.

    Safe to share between threads.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connected: Counter[SignOfLife] = Counter()
        self._seen: set[SignOfLife] = set()
        self._changes, self._changed, self._ended = threading.Lock(), threading.Event(), threading.Event()

    @contextmanager
    def connected(self, table: str, player: str) -> Iterator[None]:
        """Inside this context the player is connected to the table. A player may be connected by several devices."""
        sign = SignOfLife(table, player)
        with self._changes:
            self._connected[sign] += 1
        self.seen(table, player)
        try:
            yield
        finally:
            with self._changes:
                self._connected[sign] -= 1
                if not self._connected[sign]:
                    del self._connected[sign]

    def seen(self, table: str, player: str) -> None:
        """Note that a player has given a sign of life, such as a move. Texts that cannot be ids are ignored."""
        if not (is_id(table) and is_id(player)):
            return  # the database may refuse such a text, and with it the signs of all others
        with self._changes:
            self._seen.add(SignOfLife(table, player))
        self._changed.set()

    @contextmanager
    def written(self) -> Iterator[None]:
        """Inside this context a thread writes signs of life: new ones at once, and all connected players repeatedly."""
        thread = threading.Thread(target=self._write_signs, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            self._changed.set()
            thread.join()

    def _write_signs(self) -> None:
        while not self._ended.is_set():
            try:
                with connect(self._url, autocommit=True) as conn:
                    self._write_until_lost(conn)
            except psycopg.OperationalError as error:
                outages.note(error)
            except Exception:
                log.exception("presence_failed")
            self._ended.wait(RENEWAL)

    def _write_until_lost(self, conn: Connection) -> None:
        everyone_at = time.monotonic()
        while not self._ended.is_set():
            now = time.monotonic()
            renew(conn, self._take(everyone=now >= everyone_at))
            if now >= everyone_at:
                everyone_at = now + RENEWAL
            self._changed.wait(everyone_at - time.monotonic())

    def _take(self, *, everyone: bool) -> set[SignOfLife]:
        with self._changes:
            self._changed.clear()
            new, self._seen = self._seen, set()
            return new | set(self._connected) if everyone else new


def renew(conn: Connection, signs: set[SignOfLife]) -> None:
    """Write signs of life with the time of the database's clock."""
    if signs:
        tables, players = zip(*sorted(signs), strict=True)
        conn.execute(_RENEW, [list(tables), list(players)])


def changes(conn: Connection) -> list[NoteAway | NoteBack]:
    """The changes that running tables have to note: players silent for as long as the rules allow, and players back."""
    rows = conn.execute(_CHANGED).fetchall()
    return [NoteBack(table, player) if is_away else NoteAway(table, player) for table, player, is_away in rows]


def restart_silence(conn: Connection) -> None:
    """Count silence from now on at tables with missing signs of life. A crash of the database loses all of them."""
    conn.execute(_RESTART_SILENCE)


def forget(conn: Connection) -> None:
    """Delete old signs of life."""
    conn.execute(_FORGET, [KEPT])


# ---------------------------------------------------------------- talk

Language = Literal["es", "en"]


class Phrase(NamedTuple):
    """A phrase in both languages."""

    es: str
    en: str


PHRASES: dict[str, Phrase] = {
    "hello": Phrase("¡Buenas, familia!", "Hello, family!"),
    "give-water": Phrase("¡Dale agua al dominó!", "Give the dominoes some water!"),
    "throw-the-fat-one": Phrase("¡Bota la gorda!", "Throw away the fat one!"),
    "good-one": Phrase("¡Buena esa!", "Good one!"),
    "i-am-out": Phrase("¡Me pegué!", "And out I go!"),
    "knock-knock": Phrase("Toc, toc: ¿quién pasa?", "Knock, knock: who passes?"),
    "take-a-walk": Phrase("Date un paseíto.", "Take a little walk."),
    "smells-of-block": Phrase("Esto huele a tranque.", "I smell a block."),
    "block-it": Phrase("¡Tranca y cuenta!", "Block it and count!"),
    "capicua": Phrase("¡Capicúa, caballeros!", "Capicúa, my friends!"),
    "pollona": Phrase("Van derechito a la pollona.", "You are on the straight road to a pollona."),
    "pack-your-bags": Phrase("Haz la maleta, que viene la viajera.", "Pack your bags: the viajera is coming."),
    "ate-the-salida": Phrase("¡Te comiste la salida, compay!", "You ate the salida, my friend!"),
    "coffee-gets-cold": Phrase("Se enfría el café…", "The coffee is getting cold…"),
    "grandmother": Phrase("Mi abuela juega más rápido.", "My grandmother plays faster."),
    "is-it-asleep": Phrase("¿Esa ficha duerme, o la tienes tú?", "Is that tile asleep, or do you hold it?"),
    "i-count": Phrase("Las tengo todas contadas.", "I have counted every one of them."),
    "luck-and-science": Phrase("Lo tuyo es suerte; lo mío, ciencia.", "Yours is luck. Mine is science."),
    "free-lesson": Phrase("La clase de hoy es gratis.", "Today's lesson is free."),
    "on-fire": Phrase("¡Esto está que arde!", "This is on fire!"),
    "not-over-yet": Phrase("Todavía no has visto nada.", "You have not seen anything yet."),
    "who-shuffled": Phrase("¿Quién barajó esto?", "Who shuffled this?"),
    "my-respects": Phrase("Mis respetos, maestro.", "My respects, maestro."),
    "another": Phrase("¡Otra, otra!", "Another one!"),
    "thanks": Phrase("Gracias por el juego.", "Thanks for the game."),
}
"""Phrases by key. Clients send keys, so a key stays when its texts are improved."""


CHANNEL = "league_talk"
"""The channel on which a phrase is announced to all processes."""

_SAY = sa.text("""
    SELECT pg_notify(:channel, json_build_object(
        'table', CAST(:table AS text), 'seat', CAST(:seat AS integer), 'phrase', CAST(:phrase AS text), 'at', now(),
        'deaf', (
            SELECT coalesce(json_agg(player_id), '[]') FROM table_mutes WHERE table_id = :table AND muted_id = :player)
    )::text), now() AS at
""")
_MUTE = sa.text(
    "INSERT INTO table_mutes (table_id, player_id, muted_id) VALUES (:table, :player, :muted) ON CONFLICT DO NOTHING"
)
_UNMUTE = sa.text("DELETE FROM table_mutes WHERE table_id = :table AND player_id = :player AND muted_id = :muted")


class SaidPhrase(Struct, frozen=True):
    """A phrase that a player said at a table."""

    table: str
    seat: int
    phrase: str
    """The key of the phrase."""
    at: datetime
    deaf: tuple[str, ...]
    """The players who have muted the speaker."""


def announce(conn: sa.Connection, table: str, seat: int, player: str, phrase: str) -> datetime:
    """Tell all processes what a player says at a table. Returns the time."""
    given = {"channel": CHANNEL, "table": table, "seat": seat, "phrase": phrase, "player": player}
    at: datetime = conn.execute(_SAY, given).one().at
    return at


def heard(payload: str) -> SaidPhrase:
    """Decode a notification. Raises msgspec.DecodeError if it is not one of these."""
    return msgspec.json.decode(payload, type=SaidPhrase)


def mute(conn: sa.Connection, table: str, player: str, muted: str) -> None:
    """Mute a player for another player at a table."""
    conn.execute(_MUTE, {"table": table, "player": player, "muted": muted})


def unmute(conn: sa.Connection, table: str, player: str, muted: str) -> None:
    """Stop muting a player for another player at a table."""
    conn.execute(_UNMUTE, {"table": table, "player": player, "muted": muted})
