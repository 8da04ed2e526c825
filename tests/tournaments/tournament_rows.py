"""The rows that would be exported of a tournament that is played without a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from league.tournaments.domain import events as e
from league.tournaments.domain.corrected_results import RoundThen
from league.tournaments.domain.results import MatchSummary
from league.tournaments.exports import EXPORTS, entries_of, pairings_of, rounds_of, standing_of
from league.tournaments.seen_tournaments import SeenTournament

Drawings = dict[tuple[int, int], e.RoundDrawn]
Rows = dict[str, list[dict[str, Any]]]


def drawings_in(events: Iterable[Any]) -> Drawings:
    """The drawings among events, by the number of the round and the number of the drawing."""
    found: Drawings = {}
    numbers: Counter[int] = Counter()
    for event in events:
        if isinstance(event, e.RoundDrawn):
            numbers[event.round] += 1
            found[event.round, numbers[event.round]] = event
    return found


def rows_of(seen: SeenTournament, drawings: Drawings, then: Mapping[int, RoundThen] | None = None) -> Rows:
    """The rows that would be exported of a tournament. `then`: its rounds when the next one was published."""
    parts = {
        "tournaments": [seen],
        "entries": entries_of(seen),
        "rounds": rounds_of(seen, drawings, {}),
        "pairings": pairings_of(seen, drawings, then or {}),
        "tournament_standings": standing_of(seen),
    }
    return {what: written(what, rows) for what, rows in parts.items()}


def written(what: str, rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Rows with the columns of an export."""
    return [{name: value(row) for name, value in EXPORTS[what].columns.items()} for row in rows]


def rows_of_matches(results: Mapping[str, MatchSummary]) -> Rows:
    """The rows of matches, and one of a hand for each match that was begun."""
    return {
        "hands": [
            {"match": match, "hand": 1, "points": list(result.best_hands), "counted": True}
            for match, result in results.items()
            if result.begun or result.status != "open"
        ],
        "matches": [
            {"match": match, "score": None if result.score is None else list(result.score)}
            for match, result in results.items()
        ],
    }
