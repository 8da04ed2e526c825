"""The digest of an exported log, computed in a temporary PostgreSQL."""

from collections.abc import Callable

from psycopg import OperationalError

from league.audit.verification import Rows
from league.eventlog import codec, encoded_rows
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.database import connect, migrate
from league.infra.embedded_postgres import temporary_postgres
from league.projections import runs
from league.projections.digest import run_digest
from league.projections.projector import Projector

Progress = Callable[[int, int], None]
"""Called with (position reached, position of the end)."""


class DoesNotFold(Exception):
    """The log contains what no version of the program, or only a different one, could have appended."""


def digest_of(rows: Rows, until: int, progress: Progress | None = None) -> str:
    """The digest of the league that the first `until` events of a log fold to.

    Without keys no name can be read, and no name is part of the digest. Raises DoesNotFold, EmbeddedDatabaseMissing,
    EmbeddedDatabaseFailed.
    """
    with temporary_postgres() as url:
        migrate(url)
        with EventStore(url, codec) as store, connect(url) as conn:
            try:
                encoded_rows.copy_in(conn, rows)
                conn.commit()
                with Projector(url, store) as projector:
                    # An export has no keys: what is sealed in it can not be read.
                    projector.rebuild(progress, until=until, rows_of_commands=False)
            except (OperationalError, StoreUnavailable):
                raise
            except Exception as error:
                # A forged log can contain anything, so a fold can fail in any way.
                raise DoesNotFold(f"{type(error).__name__}: {error}") from error
            run = runs.official_run(conn)
            assert run is not None, "the projector has just folded it"
            return run_digest(conn, run)
