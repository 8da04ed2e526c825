"""Runs Alembic: one process at a time, the two roles first, then every migration as the owner of the tables.

The roles belong to the server, not to one database, so every run creates them if needed, and no migration does.
"""

from __future__ import annotations

import time

import sqlalchemy
from alembic import context
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from league.infra.database import OWNER, WRITER

# Any fixed number; nothing else in the database may take this advisory lock.
MIGRATION_LOCK = 7_120_431_150
ATTEMPTS = 20


def migrate(connection: sqlalchemy.Connection) -> None:
    """Run the migrations on `connection`, whose user is a superuser, or owns the database and has CREATEROLE."""
    # The user may be a superuser until it becomes the owner: call nothing outside the system catalog.
    connection.execute(text("SET search_path = pg_catalog, pg_temp"))
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": MIGRATION_LOCK})
    connection.commit()
    for role in (OWNER, WRITER):
        make_role(connection, role)
    # The owner creates the tables of the log.
    connection.execute(text(f"GRANT USAGE, CREATE ON SCHEMA public TO {OWNER}"))
    # The writer creates the read tables, and later a partition of each for every run.
    connection.execute(text(f"GRANT USAGE, CREATE ON SCHEMA public TO {WRITER}"))
    # For the session: rolling back a failed migration must not restore the superuser.
    connection.execute(text(f"SET ROLE {OWNER}"))
    connection.execute(text("SET search_path = public, pg_temp"))
    connection.commit()
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()


def make_role(connection: sqlalchemy.Connection, role: str) -> None:
    """Create `role` if it is missing, and let the current user SET ROLE to it.

    Another process may be migrating another database of the same server at this moment, and does the same.
    """
    for attempt in range(ATTEMPTS):
        try:
            _make_role(connection, role)
            connection.commit()
            return
        except DBAPIError as error:
            connection.rollback()
            state = getattr(error.orig, "sqlstate", None)
            # duplicate_object, unique_violation, and internal_error for "tuple concurrently updated".
            if state not in ("42710", "23505", "XX000") or attempt == ATTEMPTS - 1:
                raise
            time.sleep(0.05)


def _make_role(connection: sqlalchemy.Connection, role: str) -> None:
    exists = connection.scalar(text("SELECT true FROM pg_roles WHERE rolname = :role"), {"role": role})
    if not exists:
        connection.execute(text(f"CREATE ROLE {role} NOLOGIN"))
    # Since PostgreSQL 16 the user who creates a role may grant it, but is not a member who may become it.
    becomes = connection.dialect.server_version_info >= (16,)  # type: ignore[operator]
    may_become = text("SELECT pg_has_role(current_user, :role, :right)")
    if not connection.scalar(may_become, {"role": role, "right": "SET" if becomes else "MEMBER"}):
        options = " WITH INHERIT FALSE, SET TRUE" if becomes else ""
        connection.execute(text(f"GRANT {role} TO CURRENT_USER{options}"))


migrate(context.config.attributes["connection"])
