"""Rows of one run copied to another."""

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import sql

from league.projections import tables as t
from league.projections.runs import Conn, table_of

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
    """Copy rows of a table from a run to another one.

    `rows` follows the name of the table: conditions and joins, with `parameters`. `values` replace those of columns.
    """
    columns = t.written_columns(t.metadata.tables[table])
    values = {"run": sql.Literal(other), **values}
    query = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} AS copied {}").format(
        table_of(other, table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(values.get(column) or sql.Identifier("copied", column) for column in columns),
        table_of(run, table),
        rows,
    )
    conn.execute(query, parameters)
