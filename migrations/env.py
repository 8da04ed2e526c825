"""Runs Alembic: one process at a time, first the roles and schemas, then every migration as the owner.

The roles belong to the server, not to one database, so every run checks them, and no migration does.

The user may be a superuser, and a function that runs as the owner can become that user again (`RESET ROLE`). Therefore
nothing may run here that another role could have created: names are looked up only in pg_catalog and in the owner's
schema, and all tables, functions and triggers that a migration uses belong to the owner.
"""

from __future__ import annotations

import time

import sqlalchemy
from alembic import context
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from league.infra.database import OWNER, READER, SCHEMA, SCHEMA_OF_RUNS, WRITER, UntrustedSchema

# Any fixed number; nothing else in the database may take this advisory lock.
MIGRATION_LOCK = 7_120_431_150
ATTEMPTS = 20


def migrate(connection: sqlalchemy.Connection) -> None:
    """Run the migrations on `connection`. Its user must be a superuser, or own the database and have CREATEROLE."""
    # The user may be a superuser until it becomes the owner: call nothing outside the system catalog.
    connection.execute(text("SET search_path = pg_catalog, pg_temp"))
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": MIGRATION_LOCK})
    connection.commit()
    for role in (OWNER, WRITER, READER):
        make_role(connection, role)
    # Every user who may become the writer may also become the reader.
    if not connection.scalar(text(f"SELECT pg_has_role('{WRITER}', '{READER}', 'MEMBER')")):
        connection.execute(text(f"GRANT {READER} TO {WRITER}"))
        connection.commit()
    if connection.scalar(text("SELECT true FROM pg_namespace WHERE nspname = 'public'")):
        # In a database that was upgraded from PostgreSQL 14 every user may create objects there.
        connection.execute(text(f"REVOKE CREATE ON SCHEMA public FROM PUBLIC, {WRITER}"))
    for schema in (SCHEMA, SCHEMA_OF_RUNS):
        make_schema(connection, schema)
    # Set for the session: the rollback of a failed migration must not make the superuser the role again.
    connection.execute(text(f"SET ROLE {OWNER}"))
    # New tables are created in the first schema. PostgreSQL searches pg_catalog before it, and pg_temp for tables only.
    connection.execute(text(f"SET search_path = {SCHEMA}, pg_temp"))
    connection.commit()
    context.configure(connection=connection, version_table_schema=SCHEMA)
    with context.begin_transaction():
        context.run_migrations()


def make_schema(connection: sqlalchemy.Connection, schema: str) -> None:
    """Create `schema` for the owner if it is missing. No other role may create objects in it.

    Raises UntrustedSchema.
    """
    query = text("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = :schema")
    owner = connection.scalar(query, {"schema": schema})
    if owner is None:
        connection.execute(text(f"CREATE SCHEMA {schema} AUTHORIZATION {OWNER}"))
    elif owner != OWNER:
        raise UntrustedSchema(schema, owner)
    creators = text("""
        SELECT grantee::regrole::text FROM pg_namespace, aclexplode(nspacl)
        WHERE nspname = :schema AND privilege_type = 'CREATE' AND grantee <> nspowner
    """)
    if others := connection.scalars(creators, {"schema": schema}).all():
        raise UntrustedSchema(schema, ", ".join(others))
    connection.execute(text(f"SET LOCAL ROLE {OWNER}"))
    connection.execute(text(f"GRANT USAGE ON SCHEMA {schema} TO {WRITER}, {READER}"))
    connection.commit()


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
