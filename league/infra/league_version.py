"""Finds the league in a database and its version, and the files that ship with this version of the program.

Reads the migrations without Alembic, since importing Alembic takes longer than most commands run.
"""

from __future__ import annotations

import functools
import re
from datetime import date, datetime
from pathlib import Path
from typing import Literal

import psycopg
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue
from psycopg.rows import TupleRow

from league.domain.sentences import Sentence, say

# ---------------------------------------------------------------- shipped files


PACKAGE = Path(__file__).parents[1]


class FileMissing(Exception):
    """The installation is incomplete: a file that ships with the program is missing."""


def shipped(path: str) -> Path:
    """A file or folder by its path in the repository. A wheel has it inside the package, a checkout beside it.

    Raises FileMissing.
    """
    for found in (PACKAGE / path, PACKAGE.parent / path):
        if found.exists():
            return found
    raise FileMissing(
        say("{path} is neither in {package} nor beside it; install the program again", path=path, package=PACKAGE)
    )


# ---------------------------------------------------------------- migrations


@functools.cache
def known_migrations() -> frozenset[str]:
    """The migrations of this program, by revision. Raises FileMissing."""
    return frozenset(re.findall('^revision = "(\\w+)"', _texts(), re.MULTILINE))


@functools.cache
def newest_migration() -> str:
    """The revision that `migrate` upgrades a database to. Raises FileMissing."""
    (newest,) = known_migrations() - set(re.findall('^down_revision = "(\\w+)"', _texts(), re.MULTILINE))
    return newest


def date_of(revision: str) -> date | None:
    """The date at the beginning of a revision's name; None if it has none. Dates of later revisions are not earlier."""
    try:
        return datetime.strptime(revision[:8], "%Y%m%d").date()  # noqa: DTZ007  # a date without a time
    except ValueError:
        return None


def _texts() -> str:
    files = sorted((shipped("migrations") / "versions").glob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


# ---------------------------------------------------------------- the league in a database


Age = Literal["older build", "not migrated", "newer"]
Conn = psycopg.Connection[TupleRow]

# Finds the tables of a league in any schema: the first builds had them in the schema `public`. A revision is read only
# from a plain table with a plain column, so that no code runs that somebody else has planted.
FIND = """
    SELECT nspname, array_agg(relname::text) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname !~ '^pg_' AND relkind = 'r' AND (
        relname IN ('stored_events', 'sealing_keys')
        OR relname = 'alembic_version' AND EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = pg_class.oid
            AND attname = 'version_num' AND atttypid IN ('text'::regtype, 'varchar'::regtype)
        )
    )
    GROUP BY nspname ORDER BY nspname
"""


class LeagueOfAnotherVersion(Exception):
    """The database holds a league with which this version of the program does not work."""

    def __init__(self, age: Age, schema: str, revision: str | None) -> None:
        super().__init__(_what_to_do(age, _described(schema, revision)))
        self.age = age
        self.schema = schema
        """The schema of its tables."""
        self.revision = revision
        """Its newest migration; None if it is not known."""


def version_in(conn: Conn, schema: str, writer: str) -> str | None:
    """The newest migration of the league in a database; None if there is no league. Changes nothing.

    `schema`: the schema of this program's tables; `writer`: the role that may read them. The connection must be in
    autocommit mode, as the user of the URL. Raises LeagueOfAnotherVersion if any schema has a league of a newer
    program or of a build that cannot be upgraded, and InsufficientPrivilege if the user may not read the tables.
    """
    conn.execute("SET search_path = pg_catalog")
    found = {name: set(tables) for name, tables in conn.execute(FIND)}
    ours = found.pop(schema, set())
    revision = _revision(conn, schema, writer) if "alembic_version" in ours else None
    if "stored_events" in ours:
        if revision is None:
            raise LeagueOfAnotherVersion("older build", schema, None)
        if revision not in known_migrations():
            raise LeagueOfAnotherVersion("newer" if _is_later(revision) else "older build", schema, revision)
        if "sealing_keys" not in ours:
            # An earlier build had a revision of the same name, with the keys of the log elsewhere.
            raise LeagueOfAnotherVersion("older build", schema, revision)
        if not found or _is_begun(conn, schema, writer):
            return revision
    for other, tables in found.items():
        of_other = _revision_if_readable(conn, other, writer) if "alembic_version" in tables else None
        # Other programs may use Alembic beside a league.
        if "stored_events" in tables or (of_other and date_of(of_other)):
            raise LeagueOfAnotherVersion("older build", other, of_other)
    return revision


def _is_later(revision: str) -> bool:
    """Whether a newer program may have made a revision that this one does not know."""
    known, newest = date_of(revision), date_of(newest_migration())
    return known is not None and newest is not None and known >= newest


def _revision(conn: Conn, schema: str, writer: str) -> str | None:
    row = _row(conn, sql.SQL("SELECT version_num FROM {}.alembic_version").format(sql.Identifier(schema)), writer)
    return None if row is None else str(row[0])


def _revision_if_readable(conn: Conn, schema: str, writer: str) -> str | None:
    try:
        return _revision(conn, schema, writer)
    except InsufficientPrivilege:
        return None


def _is_begun(conn: Conn, schema: str, writer: str) -> bool:
    query = sql.SQL("SELECT FROM {}.stored_events LIMIT 1").format(sql.Identifier(schema))
    return _row(conn, query, writer) is not None


def _row(conn: Conn, query: sql.Composed, writer: str) -> TupleRow | None:
    """The first row, read as the user, or as the writer if the user may not read but may act as the writer."""
    try:
        return conn.execute(query).fetchone()
    except InsufficientPrivilege as error:
        try:
            conn.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(writer)))
        except InvalidParameterValue:
            raise error from None  # there is no such role
        row = conn.execute(query).fetchone()
        conn.execute("RESET ROLE")
        return row


def _described(schema: str, revision: str | None) -> Sentence:
    if revision is None:
        return say("a league in the schema {schema}, which does not say its migration", schema=repr(schema))
    return say(
        "a league in the schema {schema}, at the migration {revision}", schema=repr(schema), revision=_dated(revision)
    )


def _dated(revision: str) -> Sentence | str:
    date = date_of(revision)
    return revision if date is None else say("{revision} of {date}", revision=revision, date=date.isoformat())


def _what_to_do(age: Age, league: Sentence) -> Sentence:
    from importlib.metadata import version  # noqa: PLC0415  # reads the installed packages; only this error needs it

    values = {"league": league, "version": version("domino-league"), "newest": _dated(newest_migration())}
    if age == "not migrated":
        return say(
            "the database holds {league}. This program, version {version}, works with the migration {newest}. Make a "
            "backup with the program that used the league last, then run `league migrate` (docs/upgrading.md)",
            **values,
        )
    if age == "newer":
        return say(
            "the database holds {league}. A newer program has migrated it: the newest migration that this one, version "
            "{version}, knows is {newest}. Use the newer program, or restore a backup from before that migration into "
            "an empty database (docs/upgrading.md)",
            **values,
        )
    return say(
        "the database holds {league}. An older build made it, and this program, version {version}, cannot upgrade it "
        "to the migration {newest}. Back it up with the program that made it, and restore that backup into an empty "
        "database with this one (docs/upgrading.md)",
        **values,
    )
