"""What a reader sees: one state of the official run, whatever is committed meanwhile."""

from msgspec import Struct
from sqlalchemy import Connection, Engine, select

from league.projections import tables as t
from league.projections.official import hold

NO_RUN = -1
"""No row has this run: before the first projection every question has an empty answer."""


class Snapshot(Struct, frozen=True):
    """A read-only transaction, the run it reads, and the position up to which that run is folded."""

    conn: Connection
    run: int
    position: int


def take_snapshot(engine: Engine) -> Snapshot:
    """Begin to read. The caller closes `conn`."""
    conn = engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    official = select(t.runs.c.run, t.runs.c.position).join(t.official_run, t.official_run.c.run == t.runs.c.run)
    try:
        while (row := conn.execute(official).one_or_none()) is not None:
            if hold(conn, row.run):
                return Snapshot(conn, row.run, row.position)
    except BaseException:
        conn.close()
        raise
    return Snapshot(conn, NO_RUN, 0)
