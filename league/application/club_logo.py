"""Stores the picture of the club's logo. The log has only its hash, so a logo that is removed is gone.

A picture is stored before the event that names it, and shown once the league names it. The transaction of the event
removes all other pictures. If the event is refused, or was stored before, nobody sees the picture, and the next change
removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import psycopg

from league.application.stream_states import StreamStates
from league.domain.league import SettingsChanged
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.infra.database import connect

STORE = "INSERT INTO logos (sha256, content) VALUES (%s, %s) ON CONFLICT DO NOTHING"
FIND = "SELECT content FROM logos WHERE sha256 = %s"
SHOWN = "SELECT content FROM logos WHERE sha256 = %s AND sha256 = (SELECT logo FROM league)"
REMOVE_OTHERS = "DELETE FROM logos WHERE sha256 <> %s"


def store_logo(url: str, content: bytes) -> str:
    """Store a picture, and return the hash that `ChangeSettings` takes. Blocks."""
    hash_ = sha256(content).hexdigest()
    with connect(url) as conn:
        conn.execute(STORE, (hash_, content))
    return hash_


def stored_logo(url: str, hash_: str) -> bytes | None:
    """The picture with this hash; None if it is not the logo. Blocks."""
    with connect(url) as conn:
        row = conn.execute(SHOWN, (hash_,)).fetchone()
    return None if row is None else bytes(row[0])


class LogoRows:
    """Removes the pictures that are no logo any more, in the transaction of the event that says so."""

    def __init__(self, logo: str) -> None:
        self._logo = logo

    @classmethod
    def of(cls, appends: Sequence[Append], _states: StreamStates) -> Within | None:
        """The function that removes them; None if the appends change no logo."""
        events = [event for append in appends for event in append.events if isinstance(event, SettingsChanged)]
        logos = [event.logo for event in events if event.logo is not None]
        return cls(logos[-1]).write if logos else None

    def write(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Remove all pictures but the logo. Raises InvalidInput if another change has just removed that, too."""
        if self._logo and not conn.execute(FIND, (self._logo,)).rowcount:
            raise InvalidInput("logo", say("somebody else has just changed the logo: send it again"))
        conn.execute(REMOVE_OTHERS, (self._logo,))
