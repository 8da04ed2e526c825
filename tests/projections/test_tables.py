"""The read tables as the migrations make them and as the queries know them."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql

from league.infra.database import engine
from league.projections.tables import RUN_TABLES, metadata

pytestmark = pytest.mark.also_on_server


def test_a_read_table_is_what_the_queries_take_it_for(database_url: str) -> None:
    """Columns, their types, collations and keys are the same in the migrated database and in `tables.py`."""
    pool = engine(database_url, pool_size=1)
    dialect = postgresql.dialect()
    with pool.connect() as conn:
        inspector = inspect(conn)
        for table, known in metadata.tables.items():
            made = {
                column["name"]: (column["type"].compile(dialect), column["nullable"])
                for column in inspector.get_columns(table)
            }
            key = inspector.get_pk_constraint(table)["constrained_columns"]
            expected = {column.name: (column.type.compile(dialect), column.nullable) for column in known.columns}
            assert made == expected, table
            assert set(key) == {column.name for column in known.primary_key}, table
    pool.dispose()


def test_every_table_with_a_run_is_known(database_url: str) -> None:
    """Every partitioned table is in `RUN_TABLES`, so each run has a partition of it."""
    pool = engine(database_url, pool_size=1)
    with pool.connect() as conn:
        found = conn.exec_driver_sql("SELECT relname FROM pg_class WHERE relkind = 'p'").scalars().all()
    pool.dispose()
    assert set(found) == {table.name for table in RUN_TABLES}
