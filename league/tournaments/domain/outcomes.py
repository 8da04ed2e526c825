"""Results at the tables of a tournament, and what each round came to for its competitors (rules, Tournaments)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from league.domain.rules import Ruleset
from league.tournaments.domain.leaving import annulled, annulled_round_by_round
from league.tournaments.domain.plan import (
    GIVEN_MEETINGS,
    NEWEST_RULES,
    WITH_KNOCKOUT,
    Plan,
    PlanAward,
    RequestedByeAward,
    RulesVersion,
)
from league.tournaments.domain.results import COUNTED, OPEN, UNDECIDED, Results, TableStatus
from league.tournaments.domain.schedule import is_knockout
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import TieResult, tie_result

OutcomeKind = Literal["match", "bye", "requested_bye", "walkover", "double_absence"]


class RoundOutcome(Struct, frozen=True, kw_only=True):
    """What a round came to for one competitor. A table that counts nothing has no outcome."""

    round: int
    kind: OutcomeKind
    won: bool
    lost: bool
    """Whether it counts as lost. From version 2 a bye or walkover that is not won is not lost either."""
    own: int = 0
    """Match points of the competitor's side, at most the plan's `score_cap`."""
    other: int = 0
    """Match points of the other side, at most `score_cap`."""
    difference: int = 0
    """Own points less those of the other side, at most the plan's `difference_cap` either way."""
    opponents: tuple[str, ...] = ()
    """The competitors whom the tie-breaks of opponents count: two if each player counts alone, none after a bye.

    After a walkover or a double absence the other side, if the rules count it as a match of the two; otherwise none.
    """
    adds_own_wins: bool = False
    """Whether `buchholz` counts the competitor's own matches won here, because there was no opponent."""
    best_hand: int = 0
    """The most points of the competitor's side in one counted hand."""
    known: bool = True
    """False if the match counts 0 to 0 because nobody wrote its score down."""
    knockout: bool = False
    """Whether it is a tie of a knock-out. Then `own` and `other` are the games won."""


Outcomes = Mapping[str, Sequence[RoundOutcome]]
"""The outcomes of every competitor, including competitors without any."""


class TableResult(Struct, frozen=True):
    """The result of a table, as the standing counts it."""

    status: TableStatus
    winner: int | None = None
    counts: tuple[int, int] | None = None
    """Match points by side, at most the cap; None if the table counts nothing."""
    score: tuple[int, ...] | None = None
    """Match points by side as the match has them; None without a match, and in rulesets without points."""
    known: bool = True
    """False if the match counts 0 to 0 because nobody wrote its score down."""
    best_hands: tuple[int, ...] = (0, 0)
    tie: TieResult | None = None
    """How the tie of a knock-out stands; None outside of knock-outs."""


Award = tuple[bool, int, int]
"""What is given without play: whether it counts as won, own match points, match points of the other side."""


class PointRules(Struct, frozen=True):
    """How a plan counts results, with the numbers of its ruleset filled in."""

    cap: int
    """The most match points of a side that count."""
    bye: Award
    walkover: Award
    requested_bye: Award = (False, 0, 0)
    difference_cap: int | None = None
    rules: RulesVersion = NEWEST_RULES
    absent_sides_meet: bool = False
    """Whether the tie-breaks of opponents count a walkover or a double absence as a match of the two."""
    byes_give_nothing: bool = False
    """Whether a bye is neither won nor counted in any tie-break, as in groups and in a knock-out."""


def point_rules_of(plan: Plan, ruleset: Ruleset) -> PointRules:
    """How a plan counts results if its matches are played under this ruleset."""
    half = ruleset.target // 2

    def awarded(one: PlanAward | RequestedByeAward) -> Award:
        return one.won, half if one.for_ is None else one.for_, one.against

    return PointRules(
        plan.score_cap or ruleset.target,
        (False, 0, 0) if plan.format in WITH_KNOCKOUT else awarded(plan.bye),
        awarded(plan.walkover),
        awarded(plan.requested_bye),
        plan.difference_cap,
        plan.rules,
        absent_sides_meet=plan.rules > 1 and plan.format in GIVEN_MEETINGS,
        byes_give_nothing=plan.format in WITH_KNOCKOUT,
    )


def table_result(table: TableOfRound, results: Results, points: PointRules) -> TableResult:
    """The result of a table, as the standing counts it."""
    if table.withdrawn:
        return TableResult("voided")
    if table.best_of is not None:
        return _result_of_tie(tie_result(table, results))
    return _result_of_match(table, results, points)


def _result_of_match(table: TableOfRound, results: Results, points: PointRules) -> TableResult:
    if table.absent:
        return _result_of_absence(table.absent, points)
    if table.match is None:
        return TableResult("scheduled")
    found = results.get(table.match, OPEN)
    if found.status not in COUNTED:
        return TableResult(found.status, score=found.score)
    if found.status == "forfeited":  # its hands count for neither side
        return TableResult("forfeited", found.winner, _awarded_to(found.winner, points), found.score)
    counts = (0, 0) if found.score is None else _limited(found.score, points.cap)
    return TableResult(found.status, found.winner, counts, found.score, found.score is not None, found.best_hands)


def is_undecided(table: TableOfRound, results: Results) -> bool:
    """Whether a table that is no tie has no result yet, as `table_result` says, without computing points."""
    if table.withdrawn:
        return True
    return not table.absent and (table.match is None or results.get(table.match, OPEN).status not in COUNTED)


def lacks_result(table: TableOfRound, results: Results, points: PointRules) -> bool:
    """Whether a table keeps its round from being closed. A voided match does so only in a knock-out."""
    status = table_result(table, results, points).status
    return status in UNDECIDED and (status != "voided" or table.best_of is not None)


def _result_of_tie(tie: TieResult) -> TableResult:
    last = tie.games[-1]
    if tie.is_over:
        return TableResult(tie.status, tie.winner, score=last.score, tie=tie)
    return TableResult("open" if last.status in COUNTED else last.status, score=last.score, tie=tie)


def _result_of_absence(absent: tuple[int, ...], points: PointRules) -> TableResult:
    if len(absent) > 1:
        return TableResult("double_absence", None, (0, 0))
    winner = 1 - absent[0]
    return TableResult("walkover", winner, _awarded_to(winner, points))


def _awarded_to(winner: int | None, points: PointRules) -> tuple[int, int]:
    """The match points of a walkover by side."""
    _, for_, against = points.walkover
    return (for_, against) if winner == 0 else (against, for_)


def pending_matches(of: RoundState, results: Results) -> list[str]:
    """The matches of a round whose results await confirmation. They count provisionally."""
    matches = [match for table in of.tables if not table.withdrawn for match in table.counting]
    return [match for match in matches if results.get(match, OPEN).status == "pending"]


def outcomes(
    state: TournamentState,
    results: Results,
    points: PointRules,
    before: int | None = None,
    out: frozenset[str] | None = None,
) -> dict[str, list[RoundOutcome]]:
    """The outcomes of the published rounds by competitor. `before`: only rounds before this one.

    `out`: competitors whose meetings and byes count for nobody; None: those whose meetings are annulled.
    """
    out = annulled(state, results) if out is None else out
    found: dict[str, list[RoundOutcome]] = {id_: [] for id_ in sorted(state.entries, key=str.encode)}
    for of in state.published:
        if before is None or of.number < before:
            _add_round(found, of, state, results, points, out)
    return found


class AfterRound(Struct, frozen=True):
    """A tournament as it was after a published round, on the results as they are now."""

    state: TournamentState
    out: frozenset[str]
    """Whose meetings were annulled then."""
    outcomes: Outcomes
    """Outcomes up to that round. The next round adds to the same lists."""
    won: Mapping[str, int]
    """Matches won by competitor. The next round adds to the same mapping."""


def round_by_round(state: TournamentState, results: Results, everything: Outcomes) -> Iterator[AfterRound]:
    """The tournament after each published round. `everything`: its outcomes if no meeting is annulled.

    Outcomes and matches won grow from round to round, unless other meetings count.
    """
    found: dict[str, list[RoundOutcome]] = {}
    won: dict[str, int] = {}
    read: dict[str, int] = {}
    before: frozenset[str] = frozenset()
    for then, out in annulled_round_by_round(state, results):
        if out != before:
            found, won, read = {}, {}, {}
        for id_ in then.entries:
            if id_ not in found:
                found[id_], won[id_], read[id_] = [], 0, 0
            own = everything[id_]
            while read[id_] < len(own) and own[read[id_]].round <= len(then.rounds):
                one = own[read[id_]]
                read[id_] += 1
                if not out or not _is_annulled(id_, one, out):
                    found[id_].append(one)
                    won[id_] += one.won
        before = out
        yield AfterRound(then, out, found, won)


def _is_annulled(id_: str, one: RoundOutcome, out: frozenset[str]) -> bool:
    """Whether an outcome counts for nobody. Where meetings are annulled, outcomes without play name the opponents."""
    return not one.knockout and (id_ in out or not out.isdisjoint(one.opponents))


def _add_round(
    found: dict[str, list[RoundOutcome]],
    of: RoundState,
    state: TournamentState,
    results: Results,
    points: PointRules,
    out: frozenset[str],
) -> None:
    in_knockout = is_knockout(state.known_plan, state.groups, of.number)
    for id_, outcome in _of_ties(of, results) if in_knockout else _of_round(of, results, points, out):
        found[id_].append(outcome)


def _of_ties(of: RoundState, results: Results) -> Iterator[tuple[str, RoundOutcome]]:
    """The outcomes of a round of a knock-out. A bye stands in no number."""
    for table in of.tables:
        tie = tie_result(table, results)
        for side in (0, 1) if tie.is_over else ():
            status = tie.status
            yield (
                table.sides[side][0],
                RoundOutcome(
                    round=of.number,
                    kind=status if status in {"walkover", "double_absence"} else "match",
                    won=tie.winner == side,
                    lost=tie.winner != side,
                    own=tie.won[side],
                    other=tie.won[1 - side],
                    opponents=table.sides[1 - side],
                    knockout=True,
                ),
            )


def _of_round(
    of: RoundState, results: Results, points: PointRules, out: frozenset[str]
) -> Iterator[tuple[str, RoundOutcome]]:
    for id_ in of.byes:
        if id_ not in out:
            yield id_, _outcome_of_bye(of.number, "bye", points.bye, points)
    for id_ in of.requested:
        yield id_, _outcome_of_bye(of.number, "requested_bye", points.requested_bye, points)
    for table in of.tables:
        result = table_result(table, results, points)
        if result.counts is not None and out.isdisjoint(table.competitors):
            for side in (0, 1):
                for id_ in table.sides[side]:
                    yield id_, _outcome(of.number, table, side, result, points)


def _outcome_of_bye(number: int, kind: OutcomeKind, award: Award, points: PointRules) -> RoundOutcome:
    won, own, other = award
    return RoundOutcome(
        round=number,
        kind=kind,
        won=won,
        lost=points.rules == 1 and not won,
        own=own,
        other=other,
        difference=_difference(own, other, points),
        adds_own_wins=not (kind == "bye" and points.byes_give_nothing),
    )


def _outcome(number: int, table: TableOfRound, side: int, result: TableResult, points: PointRules) -> RoundOutcome:
    assert result.counts is not None, "the table counts"
    own, other = result.counts[side], result.counts[1 - side]
    kind: OutcomeKind = "match"
    won, lost, adds_own_wins = result.winner == side, result.winner != side, False
    opponents, best = table.sides[1 - side], result.best_hands[side]
    if result.status == "walkover" or result.status == "double_absence":  # noqa: PLR1714  # mypy narrows this
        kind, best = result.status, 0
        won = won and points.walkover[0]
        lost = lost or (points.rules == 1 and not won)
        if not points.absent_sides_meet:
            opponents = ()
            adds_own_wins = kind == "walkover" or points.rules > 1
    return RoundOutcome(
        round=number,
        kind=kind,
        won=won,
        lost=lost,
        own=own,
        other=other,
        difference=_difference(own, other, points),
        opponents=opponents,
        adds_own_wins=adds_own_wins,
        best_hand=best,
        known=result.known,
    )


def _difference(own: int, other: int, points: PointRules) -> int:
    cap = points.difference_cap
    return own - other if cap is None else max(-cap, min(cap, own - other))


def _limited(score: tuple[int, ...], cap: int) -> tuple[int, int]:
    return min(score[0], cap), min(score[1], cap)
