"""Checks of a database beyond its log: its objects and rights, and the records of requests. Each check runs on its own.

The migrations define the objects, their owners and the rights; `make schema` writes them to `migrations/schema.txt`.
Any other trigger, rule, policy, default or function can change what a statement does, so each deviation is a fault.
Each append has stored a record of its request, with the position of its last event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import psycopg

from league.audit.verification import FaultKind, VerificationFault
from league.domain.sentences import say
from league.eventlog.envelopes import Envelope
from league.infra.database import SCHEMA, SCHEMA_OF_RUNS, SEARCH_PATH
from league.infra.league_version import shipped
from league.projections.runs import Conn

FactsByName = dict[str, str]
"""The description of each database object by its name, which is its kind followed by its qualified name."""

# ---------------------------------------------------------------- objects and rights


FACTS = Path(__file__).with_name("schema_facts.sql")
EXPECTED = "migrations/schema.txt"

PUBLICATIONS = """
    SELECT DISTINCT pubname::text FROM pg_catalog.pg_publication_tables WHERE schemaname = ANY(%s) ORDER BY pubname
"""

_NUMBERED = re.compile(rf"\b{SCHEMA_OF_RUNS}\.\w+_(\d+|#)")
"""Matches the name of a run's table; the group is the number of the run, or # for any run."""


class DatabaseFact(NamedTuple):
    """A database object, and what is true of it."""

    object: str
    canonical: str
    """The name of the object, with # in place of the number of a run."""
    detail: str
    """The description of the object, also with # in place of the number of a run."""


def schema_faults(conn: Conn) -> Iterator[str]:
    """A message for each object or right that differs from what the migrations make."""
    found, expected = found_facts(conn), expected_facts()
    for fact in found:
        should = expected.get(fact.canonical)
        of = {"object": fact.object, "detail": fact.detail, "expected": should}
        if should is None:
            yield say("{object} is none of the migrations': {detail}", **of)
        elif should != fact.detail:
            yield say("{object} is not as the migrations make it: {detail} instead of {expected}", **of)
    there = {fact.object for fact in found}
    for name in _expected_objects(found, expected):
        if name not in there:
            yield say("{object} is missing: the migrations make it", object=name)


def _expected_objects(found: Sequence[DatabaseFact], expected: FactsByName) -> Iterator[str]:
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


def found_facts(conn: Conn) -> list[DatabaseFact]:
    """The objects and rights of the database, ordered by name."""
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


def expected_facts() -> FactsByName:
    """The objects and rights that the migrations make, from `migrations/schema.txt`. Raises FileMissing."""
    lines = shipped(EXPECTED).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def as_text(facts: list[DatabaseFact]) -> str:
    """Objects and rights in the format of `migrations/schema.txt`."""
    return "".join(f"{name}: {detail}\n" for name, detail in sorted({fact[1:] for fact in facts}))


def _fact(name: str, detail: str) -> DatabaseFact:
    name, detail = " ".join(name.split()), " ".join(detail.split())
    run = _NUMBERED.search(name)
    if run is None:
        return DatabaseFact(name, name, detail)
    number = re.compile(rf"(\b{SCHEMA_OF_RUNS}\.\w+_|\(run = |FOR VALUES IN \(){run[1]}\b")
    return DatabaseFact(name, number.sub(r"\1#", name), number.sub(r"\1#", detail))


# ---------------------------------------------------------------- records of requests


NOT_CHECKED = say("hashes of inputs, and records of requests without a key, are not checked")

# Rows are compared in Python: as JSON in the log, and as text here, the same key may be spelled differently.
RECORDED = """
    SELECT actor, key, r.position, state FROM requests AS r LEFT JOIN stored_events AS e ON e.position = r.position
    ORDER BY r.position, actor, key
"""
KEYED = """
    SELECT position, state FROM stored_events
    WHERE between_marks(state, ',"key":', ',"played_at":') <> 'null' ORDER BY position
"""
NEWEST = """
    SELECT position, EXISTS (SELECT FROM requests AS r WHERE r.position = e.position)
    FROM stored_events AS e ORDER BY position DESC LIMIT 1
"""


def request_faults(conn: Conn) -> Iterator[tuple[int, str]]:
    """Positions at which the record of a request is missing or wrong, each with a message. The log must be valid.

    Every key that a client gave must lead to its own request. A missing record of a request without a key is noticed
    only at the end of the log.
    """
    recorded = dict[tuple[str, str], int]()
    with conn.cursor("recorded") as rows:
        for actor, key, position, state in rows.execute(RECORDED):
            recorded[actor, key] = position
            stored = None if state is None else msgspec.json.decode(state, type=Envelope[msgspec.Raw])
            # The program makes a key that begins with ~ for a request that has none.
            given = None if stored is None else stored.key or (key if key.startswith("~") else None)
            if stored is None or (stored.actor, given) != (actor, key):
                of = {"key": key, "actor": actor}
                says = say("the record of the request {key!r} of {actor} leads to an event of another request", **of)
                yield position, says
    last = dict[tuple[str, str], int]()
    with conn.cursor("keyed") as rows:
        for position, state in rows.execute(KEYED):
            stored = msgspec.json.decode(state, type=Envelope[msgspec.Raw])
            if stored.key is not None:
                last[stored.actor, stored.key] = position
    for (actor, key), position in last.items():
        of = {"key": key, "actor": actor}
        if (actor, key) not in recorded:
            says = say("the record of the request {key!r} of {actor} is missing: a repeat would be stored again", **of)
            yield position, says
        elif recorded[actor, key] != position:
            yield position, say("the record of the request {key!r} of {actor} does not lead to its last event", **of)
    newest = conn.execute(NEWEST).fetchone()
    if newest is not None and not newest[1]:
        yield newest[0], say("the newest event has no record of its request")


# ---------------------------------------------------------------- running each check on its own


def faults_of(conn: Conn, kind: FaultKind, check: Callable[[], Iterable[VerificationFault]]) -> list[VerificationFault]:
    """Run a check and return its faults. If it stops at data that it cannot read, that is one more fault.

    The transaction can be used afterwards. Raises psycopg.Error if the connection is lost.
    """
    found: list[VerificationFault] = []
    try:
        with conn.transaction():
            found.extend(check())
    except Exception as error:  # altered data can make a check fail in any way
        if conn.closed:
            raise
        found.append(stopped(kind, error))
    return found


def stopped(kind: FaultKind, error: Exception) -> VerificationFault:
    """The fault that says that a check did not reach its end."""
    reason = " ".join(str(error).split())
    return VerificationFault(kind, say("the check stopped: {error}", error=f"{type(error).__name__}: {reason}"))
