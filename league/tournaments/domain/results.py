"""What the tables of a tournament came to: the results of their matches, byes and absences (rules, Tournaments)."""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from league.domain.result import Played, result_of
from league.domain.rules import Ruleset
from league.tournaments.domain.plan import Awarded, Plan
from league.tournaments.domain.standing import Kind, Outcome
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState

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
"""Tables at which somebody can still win."""
COUNTED: frozenset[TableStatus] = frozenset({"pending", "completed", "cut_short", "announced", "forfeited"})
"""Tables whose match counts; a pending one provisionally."""


class MatchResult(Struct, frozen=True):
    """What a tournament needs of a match."""

    status: TableStatus
    winner: int | None = None
    score: tuple[int, ...] | None = None
    """By side; None where it is not known."""
    best_hands: tuple[int, ...] = (0, 0)
    """By side, the most points of a counted hand."""
    begun: bool = False
    """Whether anything was played."""


OPEN = MatchResult("open")
Results = Mapping[str, MatchResult]
"""By match."""


class TableResult(Struct, frozen=True):
    """What a table came to."""

    status: TableStatus
    winner: int | None = None
    score: tuple[int, int] | None = None
    """By side, as the standing counts it."""
    known: bool = True
    """False where the match counts 0 and 0, for nobody wrote its score down."""
    best_hands: tuple[int, ...] = (0, 0)


class Points(Struct, frozen=True):
    """What the plan makes of results, with the numbers of the ruleset."""

    cap: int
    """The most points of a side that count."""
    bye: tuple[bool, int, int]
    """Whether it is won, points, points against."""
    walkover: tuple[bool, int, int]


def match_result(played: Played, ruleset: Ruleset) -> MatchResult:
    """The result of a match under a ruleset."""
    result = result_of(played, ruleset)
    sides = range(len(played.sides))
    best = tuple(max((hand.points[side] for hand in result.hands if hand.counted), default=0) for side in sides)
    begun = bool(played.hands) or played.ended_at is not None
    return MatchResult(result.status, result.winner, result.score, best, begun)


def points_of(plan: Plan, ruleset: Ruleset) -> Points:
    """The points of a plan whose matches are played under a ruleset."""
    half = ruleset.target // 2

    def awarded(one: Awarded) -> tuple[bool, int, int]:
        return one.won, half if one.for_ is None else one.for_, one.against

    return Points(plan.score_cap or ruleset.target, awarded(plan.bye), awarded(plan.walkover))


def table_result(table: TableOfRound, results: Results, points: Points) -> TableResult:
    """What a table came to."""
    _, for_, against = points.walkover
    if len(table.absent) > 1:
        return TableResult("double_absence", None, (0, 0))
    if table.absent:
        winner = 1 - table.absent[0]
        return TableResult("walkover", winner, (for_, against) if winner == 0 else (against, for_))
    if table.match is None:
        return TableResult("scheduled")
    found = results.get(table.match, OPEN)
    if found.status not in COUNTED:
        return TableResult(found.status)
    if found.status == "forfeited":  # nothing of its hands counts, for neither side
        return TableResult("forfeited", found.winner, (for_, against) if found.winner == 0 else (against, for_))
    score = (0, 0) if found.score is None else _limited(found.score, points.cap)
    return TableResult(found.status, found.winner, score, found.score is not None, found.best_hands)


def outcomes(
    state: TournamentState, results: Results, points: Points, before: int | None = None
) -> dict[str, list[Outcome]]:
    """What the published rounds came to for each competitor; `before`: only those before this round."""
    found: dict[str, list[Outcome]] = {id_: [] for id_ in sorted(state.entries, key=str.encode)}
    for of in state.published:
        if before is None or of.number < before:
            for id_, outcome in _of_round(of, results, points):
                found[id_].append(outcome)
    return found


def _of_round(of: RoundState, results: Results, points: Points) -> Iterator[tuple[str, Outcome]]:
    won, own, other = points.bye
    for id_ in of.byes:
        yield id_, Outcome(of.number, "bye", won, own, other)
    for table in of.tables:
        result = table_result(table, results, points)
        if result.score is not None:
            for side in (0, 1):
                for id_ in table.sides[side]:
                    yield id_, _outcome(of.number, table, side, result, points)


def _outcome(number: int, table: TableOfRound, side: int, result: TableResult, points: Points) -> Outcome:
    assert result.score is not None, "the table counts"
    kind: Kind = "match"
    won, opponents, best = result.winner == side, table.sides[1 - side], result.best_hands[side]
    if result.status == "walkover" or result.status == "double_absence":  # noqa: PLR1714  # mypy narrows this
        kind, opponents, best = result.status, (), 0
        won = won and points.walkover[0]
    own, other = result.score[side], result.score[1 - side]
    return Outcome(number, kind, won, own, other, opponents, best, result.known)


def _limited(score: tuple[int, ...], cap: int) -> tuple[int, int]:
    return min(score[0], cap), min(score[1], cap)
