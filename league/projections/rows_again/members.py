"""The row of each member, which signing in reads: what the events of members make of it."""

from typing import Any

from psycopg import Connection

from league.domain.deciders import Event
from league.domain.members import (
    AccessDeclined,
    AccessGranted,
    AccessRequested,
    MemberAdded,
    MemberChanged,
    MemberRemoved,
)
from league.eventlog.sealing import MEMBER_STREAM
from league.eventlog.store import EventStore
from league.projections.rows_again.declaration import RowsAgain

# The times are those of the log.
INSERT = """
    INSERT INTO members (member_id, subject, name, player_id, roles, standing, since)
    SELECT %s, %s, %s, %s, %s, %s, recorded_at FROM stored_events
    WHERE originator_id = %s AND originator_version = 1
"""
CHANGE = "UPDATE members SET player_id = %s, roles = %s, standing = 'member' WHERE member_id = %s"
DECLINE = "UPDATE members SET standing = 'declined' WHERE member_id = %s"
REMOVE = "DELETE FROM members WHERE member_id = %s"
NAMES = (
    "member-added/1", "access-requested/1", "access-granted/1", "access-declined/1", "member-changed/1",
    "member-removed/1",
)  # fmt: skip


def write_member(conn: Connection[Any], stream: str, event: Event) -> None:
    """Write what an event of a member makes of the member's row."""
    member = stream.removeprefix(MEMBER_STREAM)
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


def _insert(conn: Connection[Any], stream: str, subject: str | None, columns: tuple[object, ...]) -> None:
    if subject is not None:  # of a member who was removed since, it is erased
        conn.execute(INSERT, (stream.removeprefix(MEMBER_STREAM), *columns, stream))


def _make(conn: Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(NAMES):
        write_member(conn, stored.stream, stored.event)


MEMBER_ROWS = RowsAgain(("members",), _make)
