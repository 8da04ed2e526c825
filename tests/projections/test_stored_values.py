"""Stored values are compared byte by byte with those that the log gives: equal values are stored as equal bytes."""

import subprocess
import sys
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from league.domain.match import MatchState
from league.domain.result import AnnouncedResult
from league.domain.rulebook import Rulebook
from league.domain.timeline import EditionSpan
from league.projections.folds.match_fold import DecidedMatch
from league.projections.rows_again import bookkeeping, tables_made_again
from league.projections.runs import HashSpan
from league.projections.tables import metadata
from league.review.hand import HandResultParts, ReviewedMove
from league.tournaments import tournament_states
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.state import TournamentState
from league.tournaments.explained_rounds import Choices

SCHEMA = Path(__file__).parents[2] / "migrations" / "schema.txt"

UNSORTED: dict[str, Any] = {
    "match_facts.state": MatchState,
    "matches.decided": DecidedMatch,
    "matches.announced": AnnouncedResult,
    "matches.terms": tuple[tuple[int, str, int], ...],
    "hands.terms": tuple[tuple[int, str, int], ...],
    "changes.modifier_terms": tuple[tuple[str, float], ...],
    "achievements.best": dict[str, int],
    "runs.timeline": list[HashSpan],
    "adoptions.timeline": tuple[EditionSpan, ...],
    "hand_reviews.moves": list[ReviewedMove],
    "hand_reviews.parts": tuple[HandResultParts, ...],
    "tournament_choices.choices": Choices,
}
"""The columns whose values are stored as they come. PostgreSQL sorts the keys of a JSON object, but no array."""
SORTED: dict[str, Any] = {
    "tournaments.state": TournamentState,
    "tournament_drawings.drawing": RoundDrawn,
    "editions.document": Rulebook,
}
"""What an encoder sorts."""

PACKED = """
from datetime import UTC, datetime
from league.tournaments.tournament_states import PACK
from league.tournaments.domain import events as e
from league.tournaments.domain.state import TournamentState
from league.tournaments.domain.evolve import evolve

state = TournamentState("copa")
for number in range(6):
    state = evolve(state, e.SeedCommitted(f"p{number}", f"{number:064x}"), datetime(2026, 3, 1, tzinfo=UTC))
print(PACK.encode(state).hex())
"""


def documents() -> dict[str, bool]:
    """The columns that are compared and hold more than one value, and whether PostgreSQL sorts the keys of objects."""
    compared = {table for table in (*metadata.tables, *tables_made_again()) if table not in bookkeeping()}
    found = {}
    for line in SCHEMA.read_text().splitlines():
        if line.startswith("column league.") and (kind := line.split()[2].rstrip(",")) in ("bytea", "jsonb"):
            table, name = line.split()[1].rstrip(":").split(".")[1:]
            if table in compared and f"{table}.{name}" not in bookkeeping():
                found[f"{table}.{name}"] = kind == "jsonb"
    return found


def without_order(of: inspect.Type, known: set[type]) -> Iterator[type[inspect.Type]]:
    """The kinds of values without an order of their own that a type holds."""
    if isinstance(of, inspect.SetType | inspect.FrozenSetType | inspect.DictType):
        yield type(of)
    if isinstance(of, inspect.StructType):
        if of.cls in known:
            return
        known.add(of.cls)
    for name in of.__struct_fields__:
        held = getattr(of, name)
        for one in held if isinstance(held, tuple) else (held,):
            if isinstance(one, inspect.Field):
                one = one.type  # noqa: PLW2901  # the type of the field
            if isinstance(one, inspect.Type):
                yield from without_order(one, known)


def test_every_document_that_is_compared_is_listed_here() -> None:
    """The list has every compared document, with its type and whether it is sorted when it is stored."""
    assert documents().keys() == UNSORTED.keys() | SORTED.keys()


@pytest.mark.parametrize("column", UNSORTED)
def test_what_is_stored_as_it_comes_has_an_order(column: str) -> None:
    """A set comes in another order in each process, a dict in that in which it was filled."""
    found = set(without_order(inspect.type_info(UNSORTED[column]), set()))
    assert found <= ({inspect.DictType} if documents()[column] else set())


@pytest.mark.heavy
def test_a_state_is_stored_as_the_same_bytes_by_every_process() -> None:
    """Python orders a set of texts by hashes that are others in each process."""
    packed = {
        subprocess.run(
            [sys.executable, "-c", PACKED],
            env={**environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(packed) == 1


def test_a_drawing_from_a_file_is_stored_as_the_log_has_it() -> None:
    """The log sorts the tables that competitors keep; a file may have them in any order."""
    one, other = (RoundDrawn(1, (), fixed=fixed) for fixed in ({"b": 2, "a": 1}, {"a": 1, "b": 2}))
    assert tournament_states.PACK.encode(one) == tournament_states.PACK.encode(other)
