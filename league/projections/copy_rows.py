"""Loads rows into the read tables by COPY, as CSV made from JSON; and copies rows from one run to another.

msgspec writes JSON several times faster than psycopg writes COPY's own format. Without its brackets, a JSON array is a
line of CSV: commas between the values, texts in quotes, and a backslash before a quote or a backslash in them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from psycopg import sql
from sqlalchemy import LargeBinary, Table

from league.projections.runs import Conn, table_of
from league.projections.tables import metadata, written_columns

ROWS_AT_ONCE = 500
"""The rows of a block: the database stores one block while the next is made."""

COPY = "COPY {} ({}) FROM STDIN (FORMAT csv, ESCAPE '\\', NULL 'null', ENCODING 'UTF8')"

_JSON = msgspec.json.Encoder()
_OF_CONTROL = re.compile(rb"\\[bfnrtu]")
"""Matches every escape of a control character, and perhaps other text that looks like one."""
_ESCAPE = re.compile(rb"\\(u00..|.)")
_CONTROL = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
"""Control characters by the letter of their JSON escape. The others are written as `u00` and two hexadecimal digits."""


def copy_rows(conn: Conn, table: Table, rows: Iterable[Sequence[Any]], run: int | None = None) -> None:
    """Load rows, in the form that `as_blocks` takes, into a table or into the partition of `run`."""
    copy_blocks(conn, table, as_blocks(table, rows), run)


def copy_blocks(conn: Conn, table: Table, blocks: Iterable[bytes], run: int | None = None) -> None:
    """Load rows that are CSV already."""
    blocks = iter(blocks)
    first = next(blocks, None)
    if first is None:
        return
    columns = sql.SQL(", ").join(map(sql.Identifier, written_columns(table)))
    into = sql.Identifier(table.name) if run is None else table_of(run, table.name)
    query = sql.SQL(COPY).format(into, columns)
    with conn.cursor() as cursor, cursor.copy(query) as copy:
        copy.write(first)
        for block in blocks:
            copy.write(block)


def as_blocks(table: Table, rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """The rows of a table as blocks of CSV. Each row has all `written_columns`, in their order.

    A value is one that JSON can hold, a time, or bytes for a column of bytes. Arrays and documents are texts in
    PostgreSQL's format.
    """
    binary = [n for n, name in enumerate(written_columns(table)) if isinstance(table.columns[name].type, LargeBinary)]
    rows = iter(rows)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        if binary:
            some = [_with_hexadecimal(row, binary) for row in some]
        yield as_csv(some)


def as_csv(rows: Sequence[Sequence[Any]]) -> bytes:
    """The rows as CSV with the options of `COPY`."""
    lines = b"\n".join([_JSON.encode(row)[1:-1] for row in rows]) + b"\n"
    # CSV does not escape control characters.
    return _ESCAPE.sub(_unescaped, lines) if _OF_CONTROL.search(lines) else lines


def _unescaped(escape: re.Match[bytes]) -> bytes:
    said = escape[1]
    return bytes([int(said[1:], 16)]) if len(said) > 1 else _CONTROL.get(said, escape[0])


def _with_hexadecimal(row: Sequence[Any], binary: Sequence[int]) -> Sequence[Any]:
    found = list(row)
    for n in binary:
        if found[n] is not None:
            found[n] = "\\x" + found[n].hex()
    return found


ALL = sql.SQL("WHERE true")


def copy_to_run(
    conn: Conn,
    table: str,
    run: int,
    other: int,
    rows: sql.Composable = ALL,
    parameters: Sequence[Any] = (),
    values: Mapping[str, sql.Composable] = {},
) -> None:
    """Copy rows of a table from `run` to the run `other`.

    `rows`: the joins and conditions that follow the table's name, with `parameters`. `values`: by column, what replaces
    the copied value.
    """
    columns = written_columns(metadata.tables[table])
    values = {"run": sql.Literal(other), **values}
    query = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} AS copied {}").format(
        table_of(other, table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(values.get(column) or sql.Identifier("copied", column) for column in columns),
        table_of(run, table),
        rows,
    )
    conn.execute(query, parameters)
