"""Folds the log again without changing the league, and reports differences from its rows, or a digest.

The log of a database is folded into temporary tables, which hide the read tables from this session only. An exported
log is folded in a temporary PostgreSQL. A digest can be published as a file.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from psycopg import OperationalError, sql

from league.audit.row_comparison import differing_rows, differing_rows_again, journal_faults
from league.audit.signed_heads import read_exactly
from league.audit.verification import Rows
from league.domain.refusals import InvalidInput, WrongState
from league.domain.sentences import say
from league.eventlog import codec, encoded_rows
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.database import SEARCH_PATH, connect, migrate
from league.infra.embedded_postgres import temporary_postgres
from league.projections import runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.projector import Projector
from league.projections.row_part import SampledResults
from league.projections.rows_again import make_in_temporary_tables, sample_again
from league.projections.runs import Conn, run_digest, table_of
from league.projections.tables import RUN_TABLES
from league.projections.writers.play_metrics import count_play

# Names without a schema mean the temporary tables first.
HIDE = f"SET search_path = pg_temp, {SEARCH_PATH}"
READ_TABLES = """
    SELECT relname, pg_get_partkeydef(oid) FROM pg_class
    WHERE relnamespace = 'league'::regnamespace AND relkind IN ('r', 'p')
      AND relname <> 'stored_events' AND has_table_privilege(oid, 'SELECT')
"""
OFFICIAL = """
    SELECT run, position, code, adopted > position, hold_run(run),
           (SELECT coalesce(max(position), 0) FROM stored_events)
    FROM league.official_run JOIN league.runs USING (run)
"""
ANOTHER_VERSION = "SELECT FROM official_run JOIN runs USING (run) WHERE code <> %s"
ERASED_SINCE = "SELECT originator_id FROM stored_events WHERE topic = 'player-erased/1' AND position > %s"
TAKE_NAMES = """
    UPDATE pg_temp.players AS anew SET name = official.name FROM league.players AS official
    WHERE official.player_id = anew.player_id AND 'player:' || anew.player_id = ANY(%s)
"""

ATTEMPTS = 5
"""How often another run may become the official one before a comparison or a digest gives up."""

REBUILD = say("`league project --rebuild` folds it again")

Progress = Callable[[int, int], None]
"""Called with (position reached, position of the end)."""


class RunComparison(Struct, frozen=True):
    """The official run, compared with the same part of the log folded again."""

    run: int | None
    """None: there is no official run, or its rows are gone."""
    position: int
    digest: str | None
    """The digest that the log folds to; None if the run cannot be compared with it."""
    faults: list[str]
    """Messages on what is wrong with the official run, and with rows that commands write with their events."""
    notes: list[str] = []
    """Messages on what could not be compared."""
    rebuild_mends: bool = False
    """Whether a rebuild would replace rows that differ."""


class AheadOfLog(Exception):
    """A run was promoted, and is not yet folded up to the adoption of its rules."""


class ShadowProjector(Projector):
    """A projector that starts with nothing, changes nothing, and leaves nothing behind: it never commits."""

    def _open(self, url: str) -> Conn:
        conn = connect(url)
        # The official rows as they are now, unaffected by later projections.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        tables = conn.execute(READ_TABLES).fetchall()
        conn.execute(HIDE)
        for name, partition_key in tables:
            by = sql.SQL("" if partition_key is None else f"PARTITION BY {partition_key}")
            make = sql.SQL("CREATE TABLE pg_temp.{} (LIKE league.{} INCLUDING ALL) {}")
            conn.execute(make.format(sql.Identifier(name), sql.Identifier(name), by))
        return conn

    def _hold_names(self) -> None:
        """Takes no lock on names: no reader sees these tables."""

    def _make_run(self, rules: RulesTimeline, position: int) -> int:
        """Make a run of this session in temporary tables, which the writer owns."""
        run = runs.number_of_new_run(self._conn, rules, position)
        for table in (table.name for table in RUN_TABLES):
            make = sql.SQL("CREATE TABLE pg_temp.{} PARTITION OF pg_temp.{} FOR VALUES IN ({})")
            self._conn.execute(make.format(table_of(run, table), sql.Identifier(table), run))
        return run

    def _attach(self) -> None:
        """The tables of the run are attached from the beginning."""
        self._conn.execute("UPDATE runs SET ready = true WHERE run = %s", (self._run,))

    def _sweep(self) -> None:
        """Removes no run: its own end with the session, and by number they would be the league's."""

    def _analyze(self, position: int) -> None:
        """Tell the planner what the temporary tables hold, to compare them."""
        self._conn.execute("SET LOCAL default_statistics_target = 25")  # as `analyze_run` does
        tables = sql.SQL(", ").join(table_of(self._run, table.name) for table in RUN_TABLES)
        self._conn.execute(sql.SQL("ANALYZE {}").format(tables))

    def compare(self, url: str, progress: Progress | None) -> RunComparison | None:
        """Fold the log up to the official run's position and compare the rows.

        None if the run was just removed. Raises AheadOfLog.
        """
        row = self._conn.execute(OFFICIAL).fetchone()
        if row is None:
            return RunComparison(None, 0, None, [say("there is no official run; `league project` folds one")])
        run, position, code, ahead, held, head = row
        if not held:
            return None
        if ahead:
            raise AheadOfLog
        if code != runs.FOLDS:
            says = say(
                "run {run} was folded by another version of the program; `league project` folds it again", run=run
            )
            return RunComparison(run, position, None, [says])
        if position > head:
            of = {"run": run, "position": position, "head": head, "rebuild": REBUILD}
            says = say("run {run} is folded up to {position}, but the log ends at {head}; {rebuild}", **of)
            return RunComparison(run, position, None, [says])
        self.rebuild(progress, until=position, rows_of_commands=False)
        # The official rows of play may be a moment behind the others.
        counted = runs.first_value(self._conn, "SELECT least(max(position), %s) FROM league.play_progress", (position,))
        count_play(self._conn, self._store, counted or 0)
        with connect(url) as conn:
            erased = [stream for (stream,) in conn.execute(ERASED_SINCE, (position,))]
        # The log no longer contains erased names that the official run may still have.
        self._conn.execute(TAKE_NAMES, (erased,))
        differing = list(differing_rows(self._conn, run, self._run))
        faults: list[str] = [*differing, *journal_faults(self._conn)]
        return RunComparison(run, position, run_digest(self._conn, self._run), faults, rebuild_mends=bool(differing))


def compare(
    url: str, store: EventStore, project: Callable[[], None], progress: Progress | None = None
) -> RunComparison:
    """Fold the log up to the official run's position and compare the rows that readers see.

    Calls `project` when a run has just been promoted: until it is folded up to its adoption, no log gives its rows.
    """
    for _ in range(ATTEMPTS):
        try:
            with ShadowProjector(url, store) as shadow:
                folded = shadow.compare(url, progress)
            if folded is not None:
                differing, sampled = compare_rows_of_commands(url, store)
                return replace(
                    folded,
                    faults=[*folded.faults, *differing, *sampled.faults],
                    notes=sampled.notes,
                    rebuild_mends=folded.rebuild_mends or bool(differing),
                )
        except AheadOfLog:
            project()
    return RunComparison(None, 0, None, [say("the rows of the official run are gone; {rebuild}", rebuild=REBUILD)])


def compare_rows_of_commands(url: str, store: EventStore) -> tuple[list[str], SampledResults]:
    """Compare the rows that commands write with their events to what the events say.

    Returns messages on the differences, and what was found when a few long results were computed again.
    """
    with connect(url) as conn:
        # The events and their rows as they are now: they were committed together.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        if conn.execute(ANOTHER_VERSION, (runs.FOLDS,)).rowcount:
            return [], SampledResults([], [])  # another version of the folds, which `compare` reports
        make_in_temporary_tables(conn, store)
        differing: list[str] = [*differing_rows_again(conn)]
        faults, notes = list[str](), list[str]()
        for sampled in sample_again(conn, store):
            faults += sampled.faults
            notes += sampled.notes
        conn.rollback()
    return differing, SampledResults(faults, notes)


# ---------------------------------------------------------------- digests


OFFICIAL_RUN = "SELECT run, position, code, adopted > position, hold_run(run) FROM official_run JOIN runs USING (run)"


class LeagueDigest(Struct, frozen=True):
    """Identifies a state of ratings, standings and badges: equal leagues have equal digests. Contains no names."""

    position: int
    """The position of the last event that it includes."""
    folds: str
    """The version of the folds (`runs.FOLDS`); digests of different versions cannot be compared."""
    digest: str
    """Hexadecimal."""


def official_digest(url: str, project: Callable[[], None]) -> LeagueDigest:
    """The digest of the official run's rows. Raises WrongState before there are any, and when a rebuild is needed.

    Calls `project` when a run has just been promoted: until it is folded up to its adoption, no log gives its rows.
    """
    for _ in range(ATTEMPTS):
        with connect(url) as conn:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            row = conn.execute(OFFICIAL_RUN).fetchone()
            if row is None:
                raise WrongState(say("the league"), say("not projected yet"), say("`league project` folds it"))
            run, position, code, ahead, held = row
            if held and not ahead:  # if not held, another run has just replaced it
                return LeagueDigest(runs.last_folded(conn, position), code, run_digest(conn, run))
        if ahead:
            project()
    # The log has lost the adoption of the run's rules, or the database the run's rows.
    raise WrongState(say("the official run"), say("without a digest"), REBUILD)


def digest_in(file: Path) -> LeagueDigest:
    """The digest in a file. Raises InvalidInput."""
    try:
        return read_exactly(file.read_bytes(), LeagueDigest)
    except FileNotFoundError:
        raise InvalidInput("digest", say("{file} is not there", file=file)) from None
    except (OSError, ValueError) as error:
        raise InvalidInput("digest", f"{file}: {error}") from error


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
