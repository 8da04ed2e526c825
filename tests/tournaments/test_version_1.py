"""Tournaments that were planned before version 2 of the rules keep every byte of their exports, but for new columns.

`version-1.jsonl` was written by the program before version 2: one random tournament a line, with the results of its
matches and its exported rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from random_plans import RULEBOOK
from random_tournaments import START
from tournament_rows import drawings_in, rows_of

from league.tournaments.domain.plan import Plan, parse_plan, plan_hash
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.state import TournamentState
from league.tournaments.events import CACHED
from league.tournaments.recorded_events import RecordedTournament, steps_of
from league.tournaments.recorded_lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.seen_tournaments import SeenTournament

RECORDED = [json.loads(line) for line in (Path(__file__).parent / "version-1.jsonl").read_text().splitlines()]


def decoded(rows: list[dict[str, Any]], kind: Any) -> list[Any]:
    return [msgspec.json.decode(json.dumps(row), type=kind) for row in rows]


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_a_tournament_of_version_1_is_exported_as_before(number: int) -> None:
    """Unwon byes are lost, absences add nothing to `buchholz`, and scores are those that count, as they always were."""
    rows = RECORDED[number]["rows"]
    (line,) = decoded(rows["tournaments"], TournamentLine)
    recorded = RecordedTournament(
        line,
        decoded(rows["entries"], EntryLine),
        decoded(rows["rounds"], RoundLine),
        decoded(rows["pairings"], PairingLine),
    )
    state, steps = TournamentState("copa"), steps_of(recorded, START)
    for step in steps:
        state = CACHED.after(state, step.events, [step.at] * len(step.events))
    results = msgspec.convert(RECORDED[number]["results"], dict[str, MatchSummary])
    seen = SeenTournament(state, START, RULEBOOK.rulesets[line.plan.ruleset], results)
    drawings = drawings_in(event for step in steps for event in step.events)
    now = json.loads(msgspec.json.encode(rows_of(seen, drawings)))
    for name, before in rows.items():
        assert written(before) == written(without_new_columns(now[name], before)), name


def test_version_1_has_neither_a_version_nor_new_settings_in_its_document() -> None:
    """The document has no `rules`, so its hash stays; a plan made now has another hash, under the newest rules."""
    (row,) = RECORDED[0]["rows"]["tournaments"]
    old = msgspec.convert(row["plan"], Plan)
    assert (old.rules, plan_hash(old)) == (1, row["plan_hash"])
    assert json.loads(msgspec.json.encode(old)) == row["plan"]
    new = parse_plan(row["plan"])
    assert (new.rules, plan_hash(new) == row["plan_hash"]) == (2, False)


def without_new_columns(rows: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the columns and keys that the rows before had, in the order of now."""
    return [_as_before(row, old) for row, old in zip(rows, before, strict=True)]


def _as_before(now: Any, old: Any) -> Any:
    """The value without the keys, here and further down, that the one before did not have."""
    if isinstance(now, dict) and isinstance(old, dict):
        return {key: _as_before(value, old[key]) for key, value in now.items() if key in old}
    if isinstance(now, list) and isinstance(old, list) and len(now) == len(old):
        return [_as_before(one, other) for one, other in zip(now, old, strict=True)]
    return now


def written(rows: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(row) for row in rows]
