"""The row of each member, which signing in reads. Written with the events of the member."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from league.application.stream_states import MEMBERS, StreamStates
from league.domain.deciders import Event
from league.domain.members import (
    AccessDeclined,
    AccessGranted,
    AccessRequested,
    MemberAdded,
    MemberChanged,
    MemberRemoved,
)
from league.eventlog.conflicts import Overtaken
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.infra.database import connect

# The times are those of the log, so that a restored league has the same rows.
INSERT = """
    INSERT INTO members (member_id, subject, name, player_id, roles, standing, since)
    SELECT %s, %s, %s, %s, %s, %s, recorded_at FROM stored_events
    WHERE originator_id = %s AND originator_version = 1
"""
CHANGE = "UPDATE members SET player_id = %s, roles = %s, standing = 'member' WHERE member_id = %s"
DECLINE = "UPDATE members SET standing = 'declined' WHERE member_id = %s"
REMOVE = "DELETE FROM members WHERE member_id = %s"
SINCE = """
    SELECT FROM stored_events WHERE position > %s AND position <= %s AND starts_with(originator_id, %s) LIMIT 1
"""


class MembersUnchanged:
    """Whether a decision still rests on all members."""

    def __init__(self, stream: str, decided_at: int) -> None:
        """`stream`: which is decided again if not; `decided_at`: the position up to which members are known."""
        self._stream, self._decided_at = stream, decided_at

    def check(self, conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        """Raise Overtaken where members have changed since."""
        if conn.execute(SINCE, (self._decided_at, before, MEMBERS)).rowcount:
            raise Overtaken(self._stream, "was decided before another member changed")


class MemberRows:
    """Writes the rows of the members that an append changes, in its transaction."""

    def __init__(self, appends: Sequence[Append], unchanged: MembersUnchanged) -> None:
        self._appends, self._unchanged = appends, unchanged

    @classmethod
    def of(cls, appends: Sequence[Append], states: StreamStates) -> Within | None:
        """What writes the rows of an append, if it has events of members."""
        ours = [append for append in appends if append.stream.startswith(MEMBERS)]
        return cls(ours, MembersUnchanged(ours[0].stream, states.members_at)).write if ours else None

    def write(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Write the rows. Raises Overtaken where members changed since this was decided: a subject is taken once."""
        self._unchanged.check(conn, before, last)
        for append in self._appends:
            for event in append.events:
                _write(conn, append.stream, event)


def write_missing_member_rows(store: EventStore, url: str) -> None:
    """Write the rows of the members of a league that was restored."""
    with connect(url) as conn:
        for stored in store.streams_until(MEMBERS, store.head()):
            _write(conn, stored.stream, stored.event)


def _write(conn: psycopg.Connection[Any], stream: str, event: Event) -> None:
    member = stream.removeprefix(MEMBERS)
    match event:
        case MemberAdded():
            given = (event.subject, None, event.player, list(event.roles), "member")
            _insert(conn, stream, event.subject, given)
        case AccessRequested():
            _insert(conn, stream, event.subject, (event.subject, event.name, None, [], "waiting"))
        case AccessGranted() | MemberChanged():
            conn.execute(CHANGE, (event.player, list(event.roles), member))
        case AccessDeclined():
            conn.execute(DECLINE, (member,))
        case MemberRemoved():
            conn.execute(REMOVE, (member,))


def _insert(conn: psycopg.Connection[Any], stream: str, subject: str | None, columns: tuple[object, ...]) -> None:
    if subject is not None:  # of a member who was removed since, it is erased
        conn.execute(INSERT, (stream.removeprefix(MEMBERS), *columns, stream))
