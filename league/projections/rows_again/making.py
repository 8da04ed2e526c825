"""Makes the rows that commands write with their events again, from the whole log: each row has one definition.

What writes a row with its event writes it here, too: into temporary tables that hide those of the league. So
verification compares the two, and a rebuild or a restore replaces the rows that differ.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from psycopg import sql

from league.eventlog.store import EventStore
from league.features import declared
from league.infra.database import SEARCH_PATH
from league.projections.rows_again.bookkeeping import bookkeeping
from league.projections.rows_again.declaration import RowsAgain, Sampled
from league.projections.rows_again.members import MEMBER_ROWS
from league.projections.rows_again.tokens import TOKEN_ROWS, record_revocations
from league.projections.runs import Conn

# Names without a schema mean the temporary tables, until the transaction ends.
HIDE = f"SET LOCAL search_path = pg_temp, {SEARCH_PATH}"
SHOW = f"SET LOCAL search_path = {SEARCH_PATH}, pg_temp"
MAKE_APART = "CREATE TEMPORARY TABLE {table} (LIKE league.{table} INCLUDING ALL) ON COMMIT DROP"
COLUMNS = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = ('league.' || %s)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
KEYS = """
    SELECT ARRAY(SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (attnum, place)
                 JOIN pg_attribute USING (attnum) WHERE attrelid = indrelid ORDER BY place)
    FROM pg_index WHERE indrelid = ('league.' || %s)::regclass AND indisunique ORDER BY indisprimary DESC, indexrelid
"""

LAST_HASH = "SELECT hash FROM stored_events ORDER BY position DESC LIMIT 1"

# A row that is as it should be stays, with what no event says of it.
REMOVE = """
    DELETE FROM league.{table} AS official
    WHERE NOT EXISTS (SELECT FROM pg_temp.{table} AS anew WHERE {same_row} AND {same_values})
"""
ADD = """
    INSERT INTO league.{table} SELECT * FROM pg_temp.{table} AS anew
    WHERE NOT EXISTS (SELECT FROM league.{table} AS official WHERE {same_row})
"""


class Columns(Struct, frozen=True):
    """The columns of a table of rows that are made again."""

    key: tuple[str, ...]
    compared: tuple[str, ...]
    """Those that follow from the log, the key among them: all but those in `bookkeeping`."""


def all_rows_again() -> list[RowsAgain]:
    """What the core and the installed features declare."""
    return [MEMBER_ROWS, TOKEN_ROWS, *declared("rows_again")]


def tables_made_again() -> list[str]:
    """The tables whose rows are written with their events."""
    return [table for rows in all_rows_again() for table in rows.tables]


def make_apart(conn: Conn, store: EventStore) -> None:
    """Make all these rows in temporary tables, which hide those of the league until the transaction ends."""
    for table in tables_made_again():
        conn.execute(sql.SQL(MAKE_APART).format(table=sql.Identifier(table)))
    conn.execute(HIDE)
    log = store.seen_by(conn)
    for rows in all_rows_again():
        rows.make(conn, log)


def sample_again(conn: Conn, store: EventStore) -> Iterator[Sampled]:
    """Compute a few of the long results again, once the rows are made apart."""
    (last,) = conn.execute(LAST_HASH).fetchone() or (b"",)
    for rows in all_rows_again():
        if rows.sample is not None:
            yield rows.sample(conn, store.seen_by(conn), bytes(last))


def write_again(conn: Conn, store: EventStore) -> None:
    """Replace the rows that are not what their events say, in one transaction, under the lock of the log."""
    with conn.transaction():
        store.lock(conn)
        record_revocations(conn, store)
        make_apart(conn, store)
        conn.execute(SHOW)  # triggers find what they need
        for table in tables_made_again():
            for statement in _replacing(table, columns_of(conn, table)):
                conn.execute(statement)


def columns_of(conn: Conn, table: str) -> Columns:
    """The columns of a table. Its key is the first unique one of which no column is in `bookkeeping`."""
    compared = [name for (name,) in conn.execute(COLUMNS, (table,)) if f"{table}.{name}" not in bookkeeping()]
    key = next(columns for (columns,) in conn.execute(KEYS, (table,)) if set(columns) <= set(compared))
    return Columns(tuple(key), tuple(compared))


def _replacing(table: str, columns: Columns) -> Iterator[sql.Composed]:
    parts = {
        "table": sql.Identifier(table),
        "same_row": sql.SQL("{} = {}").format(_row("anew", columns.key), _row("official", columns.key)),
        "same_values": sql.SQL("{} IS NOT DISTINCT FROM {}").format(
            _row("anew", columns.compared), _row("official", columns.compared)
        ),
    }
    for statement in (REMOVE, ADD):
        yield sql.SQL(statement).format(**parts)


def _row(of: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("ROW({})").format(sql.SQL(", ").join(sql.Identifier(of, name) for name in columns))
