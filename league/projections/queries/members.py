"""Members, and who asked to be one. The table changes with the log itself, before anything is folded."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import DateTime, column, select, table
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.members import Standing
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot
from league.projections.tables import Id, Text

COLUMNS = (
    column("member_id", Id),
    column("subject", Id),
    column("name", Text),
    column("player_id", Id),
    column("roles", ARRAY(Text)),
    column("standing", Text),
    column("since", DateTime(timezone=True)),
)
members = table("members", *COLUMNS)
m = members.c

OLDEST_FIRST = Order((m.since, m.member_id))


class MemberRow(NamedTuple):
    """A member, or somebody who asked to be one."""

    member_id: str
    subject: str
    name: str | None
    """What the identity provider calls them."""
    player_id: str | None
    roles: list[str]
    standing: Standing
    since: datetime
    """When they were added, or asked."""


def all_members(standing: Standing | None) -> Query:
    """All of them, or those of one standing."""
    query = select(members)
    return query if standing is None else query.where(m.standing == standing)


def member_with(snapshot: Snapshot, member: str) -> MemberRow | None:
    """The member with an id; None when there is none."""
    return next(typed(MemberRow, snapshot.conn.execute(all_members(None).where(m.member_id == member))), None)
