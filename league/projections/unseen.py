"""The log folded where nobody sees it: into temporary tables, which hide the read tables from one session only."""

from collections.abc import Callable

from msgspec import Struct
from psycopg import sql

from league.database import connect
from league.event_store import EventStore
from league.projections import runs
from league.projections.projector import Projector
from league.projections.runs import Conn

# Names without a schema mean the temporary tables first, and new tables are temporary, partitions too.
HIDE = "SET search_path = pg_temp, public"
READ_TABLES = """
    SELECT relname, pg_get_partkeydef(oid) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'stored_events'
"""

Progress = Callable[[int, int], None]
"""Told (position reached, position of the end)."""


class Folded(Struct, frozen=True):
    """The official run beside the same part of the log, folded anew."""

    run: int
    position: int
    official: str
    """The digest of the official run."""
    anew: str | None
    """The digest of what the log folds to; None where another version of the folds made the official run."""


class UnseenProjector(Projector):
    """A projector that starts with nothing, changes nothing, and leaves nothing behind."""

    def _open(self, url: str) -> Conn:
        conn = connect(url, autocommit=True)
        tables = conn.execute(READ_TABLES).fetchall()
        conn.execute(HIDE)
        for name, partition_key in tables:
            by = sql.SQL("" if partition_key is None else f"PARTITION BY {partition_key}")
            make = sql.SQL("CREATE TABLE pg_temp.{} (LIKE public.{} INCLUDING ALL) {}")
            conn.execute(make.format(sql.Identifier(name), sql.Identifier(name), by))
        return conn

    def _hold_names(self) -> None:
        """Nobody waits for names that nobody sees."""

    def digest(self) -> str:
        """The digest of what has been folded."""
        run = runs.official_run(self._conn)
        assert run is not None, "nothing is folded yet"
        return runs.digest(self._conn, run)


def compare(url: str, store: EventStore, progress: Progress | None = None) -> Folded | None:
    """Fold the log as far as the official run, and take both digests. None where there is no official run."""
    with connect(url) as conn:
        # One snapshot: the rows and the position of a run belong together, and a run that is held stays.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        run = runs.official_run(conn)
        if run is None:
            return None
        if conn.execute("SELECT hold_run(%s)", (run,)).fetchone() != (True,):
            conn.rollback()
            return compare(url, store, progress)
        position, official = runs.position_of(conn, run), runs.digest(conn, run)
        if conn.execute("SELECT code FROM runs WHERE run = %s", (run,)).fetchone() != (runs.FOLDS,):
            return Folded(run, position, official, None)
    with UnseenProjector(url, store) as unseen:
        unseen.rebuild(progress, until=position)
        return Folded(run, position, official, unseen.digest())
