"""Whether the objects of the database are those that the migrations make, with the same owners and rights.

The migrations' own are facts in `migrations/schema.txt`, which `make schema` writes. A trigger, rule, policy, default or
function of another kind can change what a statement does, so each deviation is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from league.domain.sentences import say
from league.infra.database import SCHEMA_OF_RUNS, SEARCH_PATH
from league.infra.shipped_files import shipped

Conn = psycopg.Connection[Any]
Facts = dict[str, str]
"""What each object is, by its name: a kind, and a name with its schema."""

FACTS = Path(__file__).with_name("schema_facts.sql")
EXPECTED = "migrations/schema.txt"

_RUN = re.compile(rf"\b{SCHEMA_OF_RUNS}\.\w+?_(\d+)\b")
"""A partition, by its name."""
_PARTITION = re.compile(rf"^table {SCHEMA_OF_RUNS}\.(\w+)$")


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
    yield from _missing({fact.object for fact in found}, found, expected)


def _missing(there: set[str], found: list[Found], expected: Mapping[str, str]) -> Iterator[str]:
    of_runs = {name for name in expected if f" {SCHEMA_OF_RUNS}." in name}
    for name in expected:
        if name not in of_runs and name not in there:
            yield say("{object} is missing: the migrations make it", object=name)
    for fact in found:
        # A run gets its last indexes when it is attached, so one that is being folded may still miss them.
        if (table := _PARTITION.match(fact.object)) and "partition of" in fact.detail:
            run = table[1].rpartition("_")[2]
            own = f"{fact.canonical.removeprefix('table ')}"
            for name in of_runs:
                if re.search(rf" {re.escape(own)}(?![\w#])", name) and _of_run(name, run) not in there:
                    yield say("{object} is missing: the migrations make it", object=_of_run(name, run))


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


def expected_facts() -> Facts:
    """The facts of the migrations. Raises FileMissing."""
    lines = shipped(EXPECTED).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def as_text(facts: list[Found]) -> str:
    """The facts of a database as the file has them."""
    return "".join(f"{name}: {detail}\n" for name, detail in sorted({fact[1:] for fact in facts}))


def _fact(name: str, detail: str) -> Found:
    name, detail = " ".join(name.split()), " ".join(detail.split())
    run = _RUN.search(name)
    if run is None:
        return Found(name, name, detail)
    number = run[1]
    return Found(name, _canonical(name, number), _canonical(detail, number))


def _canonical(text: str, run: str) -> str:
    return re.sub(rf"(?<![0-9A-Za-z]){run}(?![0-9A-Za-z])", "#", text)


def _of_run(name: str, run: str) -> str:
    return name.replace("#", run)
