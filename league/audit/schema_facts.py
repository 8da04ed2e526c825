"""Whether the objects of the database are those that the migrations make, with the same owners and rights.

`make schema` writes what they make to `migrations/schema.txt`. Any other trigger, rule, policy, default or function can
change what a statement does, so each deviation is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from league.domain.sentences import say
from league.infra.database import SCHEMA, SCHEMA_OF_RUNS, SEARCH_PATH
from league.infra.shipped_files import shipped

Conn = psycopg.Connection[Any]
Facts = dict[str, str]
"""What each object is, by its name: a kind, and a name with its schema."""

FACTS = Path(__file__).with_name("schema_facts.sql")
EXPECTED = "migrations/schema.txt"

PUBLICATIONS = """
    SELECT DISTINCT pubname::text FROM pg_catalog.pg_publication_tables WHERE schemaname = ANY(%s) ORDER BY pubname
"""

_NUMBERED = re.compile(rf"\b{SCHEMA_OF_RUNS}\.\w+_(\d+|#)")
"""A table of a run, by its name."""


class Found(NamedTuple):
    """A fact of the database."""

    object: str
    canonical: str
    """The same with # in place of the number of a run."""
    detail: str
    """Canonical, too."""


def schema_faults(conn: Conn) -> Iterator[str]:
    """The objects and rights that are not as the migrations make them, by name."""
    found, expected = found_facts(conn), expected_facts()
    for fact in found:
        should = expected.get(fact.canonical)
        if should is None:
            yield say("{object} is none of the migrations': {detail}", object=fact.object, detail=fact.detail)
        elif should != fact.detail:
            yield say(
                "{object} is not as the migrations make it: {detail} instead of {expected}",
                object=fact.object,
                detail=fact.detail,
                expected=should,
            )
    there = {fact.object for fact in found}
    for name in _expected_objects(found, expected):
        if name not in there:
            yield say("{object} is missing: the migrations make it", object=name)


def _expected_objects(found: Sequence[Found], expected: Facts) -> Iterator[str]:
    """The objects that the migrations make, and those that the functions of the migrations make for each run."""
    of_runs = dict[str, list[str]]()
    for name in expected:
        if table := _NUMBERED.search(name):
            of_runs.setdefault(table[0], []).append(name)
        else:
            yield name
    for fact in found:
        # A run that is being folded gets its last indexes when it is attached.
        table = _NUMBERED.search(fact.object)
        if table and fact.object.startswith("table ") and "partition of" in fact.detail:
            for name in of_runs.get(table[0].removesuffix(table[1]) + "#", ()):
                yield name.replace("#", table[1])


def found_facts(conn: Conn) -> list[Found]:
    """The facts of the database, in order."""
    # Names are written with their schemas, and nothing outside of the system's catalogue is called.
    conn.execute("SET LOCAL search_path = pg_catalog, pg_temp")
    try:
        rows = conn.execute(FACTS.read_bytes()).fetchall()
    finally:
        if conn.info.transaction_status != psycopg.pq.TransactionStatus.INERROR:
            conn.execute(f"SET LOCAL search_path = {SEARCH_PATH}".encode())
    return sorted(_fact(*row) for row in rows)


def publications(conn: Conn) -> list[str]:
    """The publications that send tables of the league to subscribers elsewhere, by name."""
    rows = conn.execute(PUBLICATIONS, [[SCHEMA, SCHEMA_OF_RUNS]]).fetchall()
    return [name for (name,) in rows]


def expected_facts() -> Facts:
    """The facts of the migrations. Raises FileMissing."""
    lines = shipped(EXPECTED).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def as_text(facts: list[Found]) -> str:
    """The facts of a database as the file has them."""
    return "".join(f"{name}: {detail}\n" for name, detail in sorted({fact[1:] for fact in facts}))


def _fact(name: str, detail: str) -> Found:
    name, detail = " ".join(name.split()), " ".join(detail.split())
    run = _NUMBERED.search(name)
    if run is None:
        return Found(name, name, detail)
    number = re.compile(rf"(\b{SCHEMA_OF_RUNS}\.\w+_|\(run = |FOR VALUES IN \(){run[1]}\b")
    return Found(name, number.sub(r"\1#", name), number.sub(r"\1#", detail))
