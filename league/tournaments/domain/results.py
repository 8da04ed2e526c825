"""Results of the matches at the tables of a tournament."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.result import MatchFacts, result_of
from league.domain.rules import Ruleset

TableStatus = Literal[
    "scheduled",
    "open",
    "pending",
    "completed",
    "cut_short",
    "announced",
    "forfeited",
    "walkover",
    "double_absence",
    "voided",
]
UNDECIDED: frozenset[TableStatus] = frozenset({"scheduled", "open", "voided"})
"""Statuses of tables at which somebody can still win."""
COUNTED: frozenset[TableStatus] = frozenset({"pending", "completed", "cut_short", "announced", "forfeited"})
"""Statuses of tables whose match counts. A pending match counts provisionally."""


class MatchSummary(Struct, frozen=True, gc=False):
    """What a tournament needs to know about a match."""

    status: TableStatus
    winner: int | None = None
    score: tuple[int, ...] | None = None
    """Match points by side; None if they are unknown."""
    best_hands: tuple[int, ...] = (0, 0)
    """The most points in one counted hand, by side."""
    begun: bool = False
    """Whether anything was played."""


OPEN = MatchSummary("open")

Results = Mapping[str, MatchSummary]
"""Results by the id of the match."""


def match_result(played: MatchFacts, ruleset: Ruleset) -> MatchSummary:
    """The result of a match under a ruleset."""
    result = result_of(played, ruleset)
    sides = range(len(played.sides))
    best = tuple(max((hand.points[side] for hand in result.hands if hand.counted), default=0) for side in sides)
    begun = bool(played.hands) or played.ended_at is not None
    return MatchSummary(result.status, result.winner, result.score, best, begun)


def as_if_ended_now(results: Results) -> dict[str, MatchSummary] | None:
    """The results if each open match ended now: the leading side has won, and a level match counts nothing.

    None if no open match has a leading side. A match without points has none. Only the provisional standing reads this
    (rules, Tournaments, Provisional standing): no drawing, no export, and no bounds of ranks.
    """
    led = {match: side for match, found in results.items() if (side := _leading(found)) is not None}
    if not led:
        return None
    ended = {match: replace(results[match], status="cut_short", winner=side) for match, side in led.items()}
    return {**results, **ended}


def _leading(found: MatchSummary) -> int | None:
    """The leading side of an open match; None if it is not open, level, or has no points."""
    if found.status != "open" or found.score is None or found.score[0] == found.score[1]:
        return None
    return int(found.score[1] > found.score[0])
