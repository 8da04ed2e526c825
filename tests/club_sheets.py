"""Recorded seasons as a club would have written them down: totals of sides, stated winners, no turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from league.domain.hand import HandFacts, corridos_by_side, pips_by_seat, pips_by_side
from league.domain.match import ImportMatch, MatchState, evolve
from league.domain.match_decider import import_match
from league.domain.result import MatchFacts, ScoredMatch
from league.domain.rules import Mode, Rulebook
from league.domain.scoring import HandScore
from league.projections.folds.match_fold import DecidedMatch, HashedEdition, decide_match
from league.transfer.recorded_lines import MatchLine, hands_of, opening_of, read_line

Kept = Literal["totals", "paper"]
"""What the club keeps. `totals`: all that was seen of a hand, but the pips and the pases corridos by side. `paper`:
who won, how, the pips by side, the pases corridos, and whether there was a capicúa."""


class Folded(Struct, frozen=True):
    """A match under an edition."""

    read: MatchLine
    played: MatchFacts
    result: ScoredMatch
    decided: DecidedMatch | None


def recorded(folder: Path, edition: HashedEdition) -> Iterator[Folded]:
    """The matches of a recorded season, scored."""
    for line in (folder / "matches.jsonl").read_bytes().splitlines():
        yield folded(read_line(line, MatchLine), edition)


def as_written(full: Folded, kept: Kept, edition: HashedEdition) -> Folded:
    """Read a match back from the line that the club would write for it."""
    line = msgspec.to_builtins(full.read)
    hands = zip(full.played.hands, full.result.hands, strict=True)
    line["hands"] = [hand_as_written(facts, score, full.read.mode, kept) for facts, score in hands]
    return folded(read_line(json.dumps(line).encode(), MatchLine), edition)


def folded(read: MatchLine, edition: HashedEdition) -> Folded:
    """A line, imported and scored."""
    rulebook: Rulebook = edition.rulebook
    command = ImportMatch(
        opening_of(read, read.played_at),
        hands_of(read, rulebook.rulesets[read.ruleset]),
        read.announced,
        read.forfeited_by,
    )
    events = import_match(command, rulebook, frozenset(read.seats), read.played_at)
    state = MatchState()
    for position, event in enumerate(events, 1):
        state = evolve(state, event, read.played_at, position)
    assert state.played is not None
    result, decided = decide_match(read.match, state, edition)
    return Folded(read, state.played, result, decided)


def hand_as_written(facts: HandFacts, score: HandScore, mode: Mode, kept: Kept) -> dict[str, Any]:
    """A hand of a line."""
    pips = pips_by_seat(facts)
    said: dict[str, Any] = {
        "ended": {"by": facts.ended_by},
        "side_leftover": pips_by_side(facts, pips, mode),
        "stated_winner": score.winner,
        "stated_capicua": score.capicua,
        "passes": {"opening_pass": facts.opening_pass, "corridos_by_side": corridos_by_side(facts, mode)},
    }
    if kept == "totals":
        seat = "seat" if facts.ended_by == "domino" else "locker"
        said["starter"] = facts.starter
        said["ended"] |= {seat: facts.seat, **msgspec.structs.asdict(facts.closing)}
        said["passes"]["drew"] = facts.drew
    return said
