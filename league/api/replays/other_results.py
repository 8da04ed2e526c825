"""Rows of a difference about matches: results and hands in each of two runs, and what makes a score another."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, MatchMode, MatchStatus, ScoringRule
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import RuleDifferenceRef, ScoreTermRef, field_of
from league.api.graphql.shaping.shared_fields import event_field, match_field
from league.domain.bonuses import HAND_TERMS
from league.domain.rulebook import differences
from league.domain.rules import Rulebook
from league.projections.difference import results as reads
from league.projections.difference.results import FirstHand, HandMoveRow, ResultRow, ScoreComparison
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.snapshot import Snapshot, read_rulebook


@strawberry.type(description="The result of a match in a run.")
class MatchResult:
    winner: int | None = field(description="The side that won; null: not decided yet, or voided.")
    score: list[int] | None = field(description="Points by side; null in rulesets without a score, and when voided.")
    status: MatchStatus = field(description="Its status.")
    decided_at: datetime | None = field(description="When it was decided; null while it is not.")
    rows: strawberry.Private[list[list[Any]]]  # terms as the JSON document of a row

    @field_of(list[ScoreTermRef], "Points that were added to the final score but to no hand.")
    def terms(self) -> list[list[Any]]:
        return self.rows


@strawberry.type(description="The score of a hand in a run.")
class HandResult:
    winner: int | None = field(description="The side that won it; null when no side did.")
    points: list[int] = field(description="What it added to the score, by side.")
    counted: bool = field(description="False for a hand after the match had ended under these rules.")
    rows: strawberry.Private[list[list[Any]]]  # terms as the JSON document of a row

    @field_of(list[ScoreTermRef], "Where the points come from.")
    def terms(self) -> list[list[Any]]:
        return self.rows


@strawberry.type(description="A hand with a different winner or points, or that counts in one run only.")
class OtherHand:
    match_id: str = field(description="The match's id in the league.")
    number: int = field(description="Its number in the match, from 1.")
    position: BigInt = field(description="The position of the event that recorded or last corrected it.")
    before: HandResult | None = field(description="In the first run; null: the run does not have it.")
    after: HandResult | None = field(description="In the second run; null: the run does not have it.")

    event = event_field("The event.", null=True)

    match = match_field("Its match, as in the official league; null when the league does not have it.", null=True)

    @classmethod
    def of(cls, row: HandMoveRow) -> "OtherHand":
        """A row of hands."""
        before, after = (hand_of(row, when) for when in ("before", "after"))
        return cls(match_id=row.match_id, number=row.hand, position=BigInt(row.position), before=before, after=after)


@strawberry.type(description="Points that a rule gives a side in a match, where two runs give different ones.")
class OtherScoreTerm(FromRow):
    side: int = field(description="The side.")
    rule: ScoringRule = field(description="The rule.")
    before: int = field(
        description="The points in the first run, in all hands that count there and in the final score."
    )
    after: int = field(description="The points in the second run.")
    ruleset: strawberry.Private[str]

    @field(description="The section of the source text that the rule comes from.")
    def clause(self) -> str:
        return HAND_TERMS[self.rule.value].clause(self.ruleset).section


@strawberry.type(description="The result of a match in two runs. In a list, it is different in the two.")
class OtherResult:
    match_id: str = field(description="The match's id in the league.")
    ruleset_name: str = field(description="The name of its ruleset.")
    mode: MatchMode = field(description="How it is played.")
    began_at: datetime = field(description="When it began.")
    before: MatchResult | None = field(description="In the first run; null: the run does not have it.")
    after: MatchResult | None = field(description="In the second run; null: the run does not have it.")
    editions: strawberry.Private[tuple[str | None, str | None]]
    two: strawberry.Private[TwoRuns]

    @classmethod
    def of(cls, found: tuple[TwoRuns, ResultRow]) -> "OtherResult":
        """A row of results of two runs."""
        two, row = found
        before, after = (result_of(row, when) for when in ("before", "after"))
        editions = row.edition_before, row.edition_after
        return made_of(cls, row, ruleset_name=row.ruleset, before=before, after=after, editions=editions, two=two)

    @field(description="The first hand that differs, which is where the match diverges; null when no hand does.")
    async def first_hand(self, info: Info) -> OtherHand | None:
        first = await self._first_hand(info)
        return None if first is None else OtherHand.of(first.hand)

    @field(description="How many of its hands differ.")
    async def hands_changed(self, info: Info) -> int:
        first = await self._first_hand(info)
        return 0 if first is None else first.hands

    match = match_field("The match, as in the official league; null when the league does not have it.", null=True)

    @field(description="Its hands that differ, in order.")
    async def other_hands(self, info: Info) -> list[OtherHand]:
        rows = await info.context.reader.load(self._hands, self.match_id, kind=("other hands", *self._runs))
        return [OtherHand.of(row) for row in rows or ()]

    @field(description="The rules that give a side other points, added over the match.")
    async def other_terms(self, info: Info) -> list[OtherScoreTerm]:
        compared = await self._compared(info)
        return [made_of(OtherScoreTerm, one, ruleset=self.ruleset_name) for one in compared.scores]

    @field(description="How many of its hands count in the first run.")
    async def hands_before(self, info: Info) -> int:
        return (await self._compared(info)).hands_before

    @field(description="How many of its hands count in the second run.")
    async def hands_after(self, info: Info) -> int:
        return (await self._compared(info)).hands_after

    @field_of(
        list[RuleDifferenceRef],
        "The settings of its ruleset that differ between the editions under which the runs score it, without its "
        "title and its live tables.",
    )
    async def settings(self, info: Info) -> list[Any]:
        if None in self.editions or self.editions[0] == self.editions[1]:
            return []
        found = await info.context.reader.load(_settings, self.editions)
        return [change for change in found or () if _decides_scores(self.ruleset_name, change[0])]

    async def _compared(self, info: Info) -> ScoreComparison:
        def compare(snapshot: Snapshot, matches: Sequence[str]) -> Mapping[str, ScoreComparison]:
            return reads.score_comparisons(snapshot.conn, self.two, matches)

        found = await info.context.reader.load(compare, self.match_id, kind=("scores", *self._runs))
        return found or ScoreComparison((), 0, 0)

    def _hands(self, snapshot: Snapshot, matches: Sequence[str]) -> Mapping[str, list[HandMoveRow]]:
        return reads.hands_of_matches(snapshot.conn, self.two, matches)

    @property
    def _runs(self) -> tuple[int, int]:
        return self.two.first, self.two.second

    async def _first_hand(self, info: Info) -> FirstHand | None:
        def first_hands(snapshot: Snapshot, matches: Sequence[str]) -> Mapping[str, FirstHand]:
            return reads.first_hands(snapshot.conn, self.two, matches)

        return await info.context.reader.load(first_hands, self.match_id, kind=("first hands", *self._runs))


def result_of(row: ResultRow, when: str) -> MatchResult | None:
    """The result of a match `before` or `after`, from a row of results; None where the run does not have it."""
    winner, score, status, decided_at, terms = (
        getattr(row, f"{name}_{when}") for name in ("winner", "score", "status", "decided_at", "terms")
    )
    if status is None:
        return None
    return MatchResult(winner=winner, score=score, status=MatchStatus(status), decided_at=decided_at, rows=terms)


def hand_of(row: HandMoveRow, when: str) -> HandResult | None:
    """The score of a hand `before` or `after`, from a row of hands; None where the run does not have it."""
    winner, points, counted, terms = (
        getattr(row, f"{name}_{when}") for name in ("winner", "points", "counted", "terms")
    )
    return None if points is None else HandResult(winner=winner, points=points, counted=counted, rows=terms)


def _settings(
    snapshot: Snapshot, pairs: Sequence[tuple[str | None, str | None]]
) -> Mapping[tuple[str | None, str | None], list[tuple[str, Any, Any]]]:
    """The settings that differ, by the hashes of two editions."""

    def rules(hash_: str | None) -> Rulebook:
        assert hash_ is not None, "both runs score the match"
        return read_rulebook(snapshot, hash_)

    return {pair: differences(*map(rules, pair)) for pair in pairs}


def _decides_scores(ruleset: str, key: str) -> bool:
    """Whether a setting is one of this ruleset, and not only for people or for live tables."""
    above, _, rest = key.partition(f"rulesets.{ruleset}.")
    return not above and bool(rest) and rest not in ("title", "description") and not rest.startswith("live.")
