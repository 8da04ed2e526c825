"""The row of each member, which signing in reads. Written with the events of the member."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from league.application.stream_states import MEMBERS, StreamStates
from league.eventlog.conflicts import Overtaken
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.projections.rows_again.members import write_member

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
                write_member(conn, append.stream, event)
