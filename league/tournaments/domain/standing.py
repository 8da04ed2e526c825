"""Results at the tables of a tournament, the standing that follows, and the ranks that are still possible.

A standing is ordered by matches won, then by the tie-breaks of the plan in their order (rules, Tournaments).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from league.domain.result import MatchFacts, result_of
from league.domain.rules import Ruleset
from league.tournaments.domain.plan import Plan, PlanAward, TieBreak
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
"""Statuses of tables at which somebody can still win."""
COUNTED: frozenset[TableStatus] = frozenset({"pending", "completed", "cut_short", "announced", "forfeited"})
"""Statuses of tables whose match counts. A pending match counts provisionally."""


class MatchSummary(Struct, frozen=True):
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


OutcomeKind = Literal["match", "bye", "walkover", "double_absence"]


class RoundOutcome(Struct, frozen=True):
    """What a round came to for one competitor. A table that counts nothing has no outcome."""

    round: int
    kind: OutcomeKind
    won: bool
    own: int = 0
    """Match points of the competitor's side, at most the plan's `score_cap`."""
    other: int = 0
    """Match points of the other side, at most `score_cap`."""
    opponents: tuple[str, ...] = ()
    """The competitors of the other side: two if each player counts alone, none without a match."""
    best_hand: int = 0
    """The most points of the competitor's side in one counted hand."""
    known: bool = True
    """False if the match counts 0 to 0 because nobody wrote its score down."""


Outcomes = Mapping[str, Sequence[RoundOutcome]]
"""The outcomes of every competitor, including competitors without any."""
Results = Mapping[str, MatchSummary]
"""Results by the id of the match."""


class TableResult(Struct, frozen=True):
    """The result of a table, as the standing counts it."""

    status: TableStatus
    winner: int | None = None
    score: tuple[int, int] | None = None
    """Match points by side, at most the cap; None if the table counts nothing."""
    known: bool = True
    """False if the match counts 0 to 0 because nobody wrote its score down."""
    best_hands: tuple[int, ...] = (0, 0)


class PointRules(Struct, frozen=True):
    """How a plan counts results, with the numbers of its ruleset filled in."""

    cap: int
    """The most match points of a side that count."""
    bye: tuple[bool, int, int]
    """Whether it counts as won, own match points, match points of the other side."""
    walkover: tuple[bool, int, int]
    """As for `bye`."""


def match_result(played: MatchFacts, ruleset: Ruleset) -> MatchSummary:
    """The result of a match under a ruleset."""
    result = result_of(played, ruleset)
    sides = range(len(played.sides))
    best = tuple(max((hand.points[side] for hand in result.hands if hand.counted), default=0) for side in sides)
    begun = bool(played.hands) or played.ended_at is not None
    return MatchSummary(result.status, result.winner, result.score, best, begun)


def point_rules_of(plan: Plan, ruleset: Ruleset) -> PointRules:
    """How a plan counts results if its matches are played under this ruleset."""
    half = ruleset.target // 2

    def awarded(one: PlanAward) -> tuple[bool, int, int]:
        return one.won, half if one.for_ is None else one.for_, one.against

    return PointRules(plan.score_cap or ruleset.target, awarded(plan.bye), awarded(plan.walkover))


def table_result(table: TableOfRound, results: Results, points: PointRules) -> TableResult:
    """The result of a table, as the standing counts it."""
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
    if found.status == "forfeited":  # its hands count for neither side
        return TableResult("forfeited", found.winner, (for_, against) if found.winner == 0 else (against, for_))
    score = (0, 0) if found.score is None else _limited(found.score, points.cap)
    return TableResult(found.status, found.winner, score, found.score is not None, found.best_hands)


def outcomes(
    state: TournamentState, results: Results, points: PointRules, before: int | None = None
) -> dict[str, list[RoundOutcome]]:
    """The outcomes of the published rounds by competitor. `before`: only rounds before this one."""
    found: dict[str, list[RoundOutcome]] = {id_: [] for id_ in sorted(state.entries, key=str.encode)}
    for of in state.published:
        if before is None or of.number < before:
            for id_, outcome in _of_round(of, results, points):
                found[id_].append(outcome)
    return found


def _of_round(of: RoundState, results: Results, points: PointRules) -> Iterator[tuple[str, RoundOutcome]]:
    won, own, other = points.bye
    for id_ in of.byes:
        yield id_, RoundOutcome(of.number, "bye", won, own, other)
    for table in of.tables:
        result = table_result(table, results, points)
        if result.score is not None:
            for side in (0, 1):
                for id_ in table.sides[side]:
                    yield id_, _outcome(of.number, table, side, result, points)


def _outcome(number: int, table: TableOfRound, side: int, result: TableResult, points: PointRules) -> RoundOutcome:
    assert result.score is not None, "the table counts"
    kind: OutcomeKind = "match"
    won, opponents, best = result.winner == side, table.sides[1 - side], result.best_hands[side]
    if result.status == "walkover" or result.status == "double_absence":  # noqa: PLR1714  # mypy narrows this
        kind, opponents, best = result.status, (), 0
        won = won and points.walkover[0]
    own, other = result.score[side], result.score[1 - side]
    return RoundOutcome(number, kind, won, own, other, opponents, best, result.known)


def _limited(score: tuple[int, ...], cap: int) -> tuple[int, int]:
    return min(score[0], cap), min(score[1], cap)


# ---------------------------------------------------------------- the standing


class TieBreakTerm(Struct, frozen=True):
    """What one outcome, or one opponent in it, adds to a competitor's value of a tie-break."""

    round: int
    value: int
    opponent: str | None = None
    counts: bool = True
    """Whether it is part of the sum. `buchholz_cut` and `buchholz_median` leave some terms out."""


class StandingPlace(Struct, frozen=True):
    """A competitor's place in the standing."""

    id: str
    rank: int
    """From 1. Competitors who are equal in everything share a rank."""
    won: int
    values: tuple[int, ...]
    """The values of the tie-breaks, in their order."""


def standing(outcomes: Outcomes, tie_breaks: Sequence[TieBreak]) -> list[StandingPlace]:
    """The places by rank, best first. Competitors who share a rank are in the order of their ids."""
    groups = _split([sorted(outcomes)], lambda group: {id_: won(outcomes[id_]) for id_ in group})
    values: dict[str, list[int]] = {id_: [] for id_ in outcomes}
    for tie_break in tie_breaks:

        def value_of(group: Sequence[str], tie_break: TieBreak = tie_break) -> Mapping[str, int]:
            return {id_: value(tie_break, id_, outcomes, group) for id_ in group}

        for group in groups:
            for id_, found in value_of(group).items():
                values[id_].append(found)
        groups = _split(groups, value_of)
    places, rank = [], 1
    for group in groups:
        places += [StandingPlace(id_, rank, won(outcomes[id_]), tuple(values[id_])) for id_ in group]
        rank += len(group)
    return places


def won(outcomes: Iterable[RoundOutcome]) -> int:
    """How many matches were won."""
    return sum(one.won for one in outcomes)


def value(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> int:
    """A competitor's value of a tie-break; higher is better. `tied`: ids of all who are equal so far."""
    if tie_break == "best_hand":
        return max((one.best_hand for one in outcomes[competitor]), default=0)
    return sum(part.value for part in terms(tie_break, competitor, outcomes, tied) if part.counts)


def terms(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[TieBreakTerm]:
    """The terms of a competitor's value of a tie-break, in the order of the rounds."""
    return _TERMS[tie_break](competitor, outcomes, tied)


def _sonneborn_berger(competitor: str, outcomes: Outcomes) -> list[TieBreakTerm]:
    """Each beaten opponent adds the matches that they have won. Byes and walkovers add nothing."""
    beaten = [one for one in outcomes[competitor] if one.won and one.kind == "match"]
    return [TieBreakTerm(one.round, won(outcomes[id_]), id_) for one in beaten for id_ in one.opponents]


def _buchholz(competitor: str, outcomes: Outcomes) -> list[TieBreakTerm]:
    """Each opponent adds the matches that they have won. A bye or walkover adds the competitor's own wins."""
    found: list[TieBreakTerm] = []
    for one in outcomes[competitor]:
        if one.kind == "match":
            found += [TieBreakTerm(one.round, won(outcomes[id_]), id_) for id_ in one.opponents]
        elif one.kind in {"bye", "walkover"}:
            found.append(TieBreakTerm(one.round, won(outcomes[competitor])))
    return found


def _without(found: Sequence[TieBreakTerm], lowest: int, highest: int) -> list[TieBreakTerm]:
    """All terms. The lowest and the highest ones do not count; among equal terms the earliest is left out."""
    ordered = sorted(range(len(found)), key=lambda at: found[at].value)
    left_out = set(ordered[:lowest])
    rest = sorted((at for at in ordered if at not in left_out), key=lambda at: -found[at].value)
    left_out |= set(rest[:highest])
    return [
        TieBreakTerm(part.round, part.value, part.opponent, counts=at not in left_out) for at, part in enumerate(found)
    ]


def _direct(competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[TieBreakTerm]:
    """The matches won against those still tied, if all of these have met each other."""

    def met(id_: str) -> set[str]:
        return {other for one in outcomes[id_] if one.kind == "match" for other in one.opponents}

    if not all(set(tied) - {id_} <= met(id_) for id_ in tied):
        return []
    return [
        TieBreakTerm(one.round, int(one.won), other)
        for one in outcomes[competitor]
        if one.kind == "match"
        for other in one.opponents
        if other in tied
    ]


_TERMS: Mapping[TieBreak, Callable[[str, Outcomes, Sequence[str]], list[TieBreakTerm]]] = {
    "difference": lambda id_, outcomes, _: [TieBreakTerm(one.round, one.own - one.other) for one in outcomes[id_]],
    "points_for": lambda id_, outcomes, _: [TieBreakTerm(one.round, one.own) for one in outcomes[id_]],
    "buchholz": lambda id_, outcomes, _: _buchholz(id_, outcomes),
    "buchholz_cut": lambda id_, outcomes, _: _without(_buchholz(id_, outcomes), lowest=1, highest=0),
    "buchholz_median": lambda id_, outcomes, _: _without(_buchholz(id_, outcomes), lowest=1, highest=1),
    "sonneborn_berger": lambda id_, outcomes, _: _sonneborn_berger(id_, outcomes),
    "direct": _direct,
    "best_hand": lambda id_, outcomes, _: [TieBreakTerm(one.round, one.best_hand) for one in outcomes[id_]],
    "fewest_byes": lambda id_, outcomes, _: [TieBreakTerm(one.round, -1) for one in outcomes[id_] if one.kind == "bye"],
}


def _split(
    groups: Sequence[Sequence[str]], value_of: Callable[[Sequence[str]], Mapping[str, int]]
) -> list[Sequence[str]]:
    """Split each group by value, higher values first."""
    found: list[Sequence[str]] = []
    for group in groups:
        values = value_of(group)
        best_first = sorted(set(values.values()), reverse=True)
        found += [[id_ for id_ in group if values[id_] == each] for each in best_first]
    return found


# ---------------------------------------------------------------- ranks that are still possible


class RankBounds(Struct, frozen=True):
    """The best and the worst final rank that a competitor can still reach, from 1."""

    best: int
    worst: int


def possible(
    state: TournamentState, places: Sequence[StandingPlace], results: Results, points: PointRules
) -> dict[str, RankBounds]:
    """The bounds of each competitor's final rank.

    They follow from matches won alone: two competitors who can still be level may end in either order, because any
    tie-break can still change. So the bounds never exclude a possible rank. Once nobody can win another match, the
    bounds are the rank itself.
    """
    if state.ended:
        return {place.id: RankBounds(place.rank, place.rank) for place in places}
    chances = _chances(state, results, points)
    if not any(chances.values()):
        return {place.id: RankBounds(place.rank, place.rank) for place in places}
    least = {place.id: place.won for place in places}
    most = {place.id: place.won + chances[place.id] for place in places}
    return {
        id_: RankBounds(
            1 + sum(least[other] > most[id_] for other in least),
            1 + sum(most[other] >= least[id_] for other in least if other != id_),
        )
        for id_ in least
    }


def _chances(state: TournamentState, results: Results, points: PointRules) -> Mapping[str, int]:
    """How many matches each competitor can still win: one at each undecided table, and one in each round to come."""
    left = max(0, rounds_of(state) - len(state.published))
    chances = {id_: left if entry.withdrawn_at is None else 0 for id_, entry in state.entries.items()}
    for _, table in state.tables():
        if table_result(table, results, points).status in UNDECIDED:
            for id_ in table.competitors:
                chances[id_] += 1
    return chances


def rounds_of(state: TournamentState) -> int:
    """How many rounds the tournament has, by its plan or else by its format."""
    if state.known_plan.rounds is not None:
        return max(state.known_plan.rounds, len(state.published))
    if state.known_plan.format == "round_robin":
        count = len(state.rounds[0].order if state.published else state.available())
        return max(0, count - 1 + count % 2) * state.known_plan.legs
    return len(state.published)
