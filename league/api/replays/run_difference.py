"""Rows of a difference: a result, a hand, a rating, a place, a standing or a badge in each of two runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Self

import strawberry
from strawberry import field
from strawberry.scalars import JSON

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import (
    BigInt,
    BoardKind,
    MatchMode,
    MatchStatus,
    ModifierRule,
    RatedSubject,
    RatingMode,
    SeriesMode,
    word,
)
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import ScoreTermRef, field_of
from league.api.graphql.shaping.shared_fields import competitor_field, event_field, match_field
from league.projections.difference import ratings as reads
from league.projections.difference import two_runs as hand_reads
from league.projections.difference.places import BadgeMoveRow
from league.projections.difference.ratings import DivergenceRow, MoveRow
from league.projections.difference.two_runs import FirstHand, HandMoveRow, ResultRow, TwoRuns
from league.projections.queries.snapshot import Snapshot


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
    number: int = field(description="Its number in the match, from 1.")
    position: BigInt = field(description="The position of the event that recorded or last corrected it.")
    before: HandResult | None = field(description="In the first run; null: the run does not have it.")
    after: HandResult | None = field(description="In the second run; null: the run does not have it.")

    event = event_field("The event.", null=True)


@strawberry.type(description="A match with a different winner, score or status.")
class OtherResult:
    match_id: str = field(description="The match's id in the league.")
    ruleset_name: str = field(description="The name of its ruleset.")
    mode: MatchMode = field(description="How it is played.")
    began_at: datetime = field(description="When it began.")
    before: MatchResult | None = field(description="In the first run; null: the run does not have it.")
    after: MatchResult | None = field(description="In the second run; null: the run does not have it.")
    two: strawberry.Private[TwoRuns]

    @classmethod
    def of(cls, found: tuple[TwoRuns, ResultRow]) -> "OtherResult":
        """A row of results of two runs."""
        two, row = found
        before, after = (result_of(row, when) for when in ("before", "after"))
        return made_of(cls, row, ruleset_name=row.ruleset, before=before, after=after, two=two)

    @field(description="The first hand that differs, which is where the match diverges; null when no hand does.")
    async def first_hand(self, info: Info) -> OtherHand | None:
        first = await self._first_hand(info)
        if first is None:
            return None
        row = first.hand
        return OtherHand(
            number=row.hand,
            position=BigInt(row.position),
            before=hand_of(row, "before"),
            after=hand_of(row, "after"),
        )

    @field(description="How many of its hands differ.")
    async def hands_changed(self, info: Info) -> int:
        first = await self._first_hand(info)
        return 0 if first is None else first.hands

    match = match_field("The match, as in the official league; null when the league does not have it.", null=True)

    async def _first_hand(self, info: Info) -> FirstHand | None:
        def first_hands(snapshot: Snapshot, matches: Sequence[str]) -> Mapping[str, FirstHand]:
            return hand_reads.first_hands(snapshot.conn, self.two, matches)

        kind = ("first hands", self.two.first, self.two.second)
        return await info.context.reader.load(first_hands, self.match_id, kind=kind)


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


@strawberry.type(description="A player or a pair that differs between two runs.")
class CompetitorFields(FromRow, competitor_id="id"):
    competitor_id: str = field(description="The player's id in the league, or both ids of a team joined by `+`.")

    competitor = competitor_field("The player or the team, as in the official league.")


@strawberry.type(description="A rating that differs.")
class RatingMove(CompetitorFields):
    subject: RatedSubject = field(description="Whether it is a player's or a team's.")
    mode: RatingMode = field(description="The mode of the rating.")
    before: float | None = field(description="In the first run, unrounded; null: no such rating.")
    after: float | None = field(description="In the second run, unrounded; null: no such rating.")
    change: float | None = field(description="Rating points gained; null where a run has no such rating.")
    two: strawberry.Private[TwoRuns]

    @classmethod
    def of(cls, found: tuple[TwoRuns, MoveRow]) -> Self:
        """A row of moves between two runs."""
        two, row = found
        return made_of(cls, row, two=two)

    @field(description="The rank on the board of these ratings in the first run; null: none.")
    async def rank_before(self, info: Info) -> int | None:
        return (await self._ranks(info)).before

    @field(description="The rank on that board in the second run; null: none.")
    async def rank_after(self, info: Info) -> int | None:
        return (await self._ranks(info)).after

    async def _ranks(self, info: Info) -> reads.RanksInTwoRuns:
        of = self.subject.value, self.mode.value

        def ranks(snapshot: Snapshot, ids: Any) -> Any:
            return reads.ranks(snapshot.conn, self.two, *of, ids)

        kind = ("ranks", self.two.first, self.two.second, of)
        return await info.context.reader.load(ranks, self.competitor_id, kind=kind) or reads.RanksInTwoRuns()


@strawberry.type(description="A place on a leaderboard that differs in rank or value, or that only one run has.")
class PlaceMove(CompetitorFields):
    board: BoardKind = field(description="Which board.")
    rank_before: int | None = field(description="In the first run; null while provisional, or without the place.")
    rank_after: int | None = field(description="In the second run; null while provisional, or without the place.")
    value_before: float | None = field(
        description="The board's value in the first run, unrounded; null without the place."
    )
    value_after: float | None = field(
        description="The board's value in the second run, unrounded; null without the place."
    )
    change: int | None = field(description="Ranks gained, negative when lost; null without a rank in both.")


@strawberry.type(description="A standing in the series of a month that differs in its rank or its total.")
class StandingMove(CompetitorFields):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    rank_before: int | None = field(description="In the first run; null: no game counts.")
    rank_after: int | None = field(description="In the second run; null: no game counts.")
    total_before: int | None = field(description="Points in the first run; null: no game counts.")
    total_after: int | None = field(description="Points in the second run; null: no game counts.")
    change: int | None = field(description="Points gained; null without a standing in both.")


@strawberry.enum(description="How a badge differs.")
class BadgeFate(Enum):
    GAINED = word("gained", "Only the second run awards it.")
    LOST = word("lost", "Only the first run awards it.")
    EARNED_OTHERWISE = word("earned_otherwise", "Both runs award it, for different events.")


@strawberry.type(description="The event that earns a badge in a run.")
class BadgeEarning:
    earned_at: datetime = field(
        description="When the match that earned it was decided, or when the month that earned it ended."
    )
    match_id: str | None = field(description="The match's id in the league; null when a closed month earned it.")
    position: BigInt = field(description="The position of the event in the log.")

    event = event_field("The event.", null=True)


@strawberry.type(description="A badge that is gained, lost, or earned by a different event.")
class BadgeMove(CompetitorFields, fate="what"):
    badge: str = field(description="The measure and the threshold, such as `streak-5`.")
    fate: BadgeFate = field(description="How the badge differs.")
    before: BadgeEarning | None = field(description="What earned it in the first run; null: the run does not award it.")
    after: BadgeEarning | None = field(description="What earned it in the second run; null: the run does not award it.")

    @classmethod
    def of(cls, row: BadgeMoveRow) -> Self:
        """A row of badges."""
        before, after = (_earning(row, when) for when in ("before", "after"))
        return made_of(cls, row, before=before, after=after)


def _earning(row: BadgeMoveRow, when: str) -> BadgeEarning | None:
    earned_at, match, position = (getattr(row, f"{name}_{when}") for name in ("earned_at", "match_id", "position"))
    return None if position is None else BadgeEarning(earned_at=earned_at, match_id=match, position=BigInt(position))


@strawberry.enum(description="A term of a rating change, in the order of the formula.")
class FormulaTerm(Enum):
    BEFORE = word("before", "The rating before the match.")
    K = word("k", "K.")
    K_RULE = word("k_rule", "The rule that chose K.")
    OUTCOME = word("outcome", "S: 1 for a win, 0 for a loss.")
    MODIFIER_RULE = word("modifier_rule", "What one rule of the modifier adds; `rule` names it.")
    CAPPED = word("capped", "Whether the modifier was capped.")
    MODIFIER = word("modifier", "M, the modifier.")
    EXPECTED = word("expected", "E, the expected score.")


@strawberry.type(description="A term of a rating change that differs.")
class OtherTerm:
    term: FormulaTerm = field(description="Which term.")
    rule: ModifierRule | None = field(description="The rule of a MODIFIER_RULE; null for other terms.")
    before: JSON | None = field(
        description="In the first run: a number, for K_RULE a name, for CAPPED true or false; null: it is not there."
    )
    after: JSON | None = field(description="The value in the second run, in the form of `before`.")

    @classmethod
    def of(cls, other: reads.DifferingTerm) -> "OtherTerm":
        """A term of the read side, whose name may have a rule of the modifier after a dot."""
        name, _dot, rule = other.term.partition(".")
        return cls(
            term=FormulaTerm.MODIFIER_RULE if rule else FormulaTerm(name),
            rule=ModifierRule(rule) if rule else None,
            before=other.before,
            after=other.after,
        )


@strawberry.type(
    description="Where a rating diverges: the first match after which two runs rate a player or a team differently."
)
class RatingDivergence(CompetitorFields, rating_before="after_before", rating_after="after_after"):
    subject: RatedSubject = field(description="Whether it is a player's rating or a team's.")
    mode: RatingMode = field(description="The mode in which the match was played.")
    match_id: str = field(description="The match's id in the league.")
    decided_at: datetime = field(description="When it was decided; the earlier time where the runs differ.")
    rating_before: float | None = field(
        description="The rating after the match in the first run; null: the match is not rated there."
    )
    rating_after: float | None = field(
        description="The rating after the match in the second run; null: the match is not rated there."
    )
    terms: list[OtherTerm] = field(description="The terms that differ, in the order of the formula.")
    position_before: BigInt | None = field(description="The position of the event that decided it in the first run.")
    position_after: BigInt | None = field(description="The position of the event that decided it in the second run.")

    match = match_field("The match, as in the official league; null when the league does not have it.", null=True)

    @classmethod
    def of(cls, row: DivergenceRow) -> Self:
        """A row of divergences."""
        return made_of(cls, row, terms=[OtherTerm.of(one) for one in reads.terms_of(row)])
