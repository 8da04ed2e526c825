"""Writes which objects and rights the migrations make, so that `league verify` can compare: `make schema`."""

from pathlib import Path

import psycopg

from league.audit.database_checks import EXPECTED, as_text, found_facts
from league.infra.database import SEARCH_PATH, migrate
from league.infra.embedded_postgres import temporary_postgres
from league.projections.runs import Conn


def facts_of_migrations(conn: Conn) -> str:
    """The objects and rights of a migrated database without a run, and of the tables that each run gets."""
    conn.execute(f"SET LOCAL search_path = {SEARCH_PATH}".encode())
    conn.execute("SELECT make_run(1), attach_run(1)")
    return as_text(found_facts(conn))


def main() -> None:
    """Migrate a temporary database, and write its objects and rights."""
    with temporary_postgres() as url:
        migrate(url)
        with psycopg.connect(url) as conn:
            Path(EXPECTED).write_text(facts_of_migrations(conn), encoding="utf-8")
            conn.rollback()


if __name__ == "__main__":
    main()
