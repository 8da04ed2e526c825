"""The ratings that a match met: how each of them had come about."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, column, func, literal, select, true, tuple_
from sqlalchemy.dialects.postgresql import ARRAY

from league.projections import tables as t
from league.projections.reads.snapshot import Snapshot

c = t.changes.c


def changes_before(snapshot: Snapshot, change: Row[Any], ids: Sequence[str]) -> Sequence[Row[Any]]:
    """Of each of these ids, the last change in the mode before this one; who had none is left out."""
    asked = func.unnest(literal(list(ids), ARRAY(t.Id))).table_valued(column("id", t.Id)).render_derived(name="asked")
    latest = (
        select(t.changes)
        .where(
            c.run == snapshot.run,
            c.subject == change.subject,
            c.id == asked.c.id,
            c.mode == change.mode,
            tuple_(c.decided_at, c.match_id) < tuple_(literal(change.decided_at), literal(change.match_id, t.Id)),
        )
        .order_by(c.decided_at.desc(), c.match_id.desc())
        .limit(1)
        .lateral("latest")
    )
    return snapshot.conn.execute(select(latest).select_from(asked.join(latest, true())).order_by(latest.c.id)).all()
