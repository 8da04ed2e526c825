"""Matches with different results in two runs, each with the hand at which it diverges."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.enums import MatchMode, MatchStatus
from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.references import LogEventRef, MatchRef, ScoreTermRef, field_of
from league.projections.difference import hands as hand_reads
from league.projections.difference.hands import FirstHand, HandMoveRow
from league.projections.difference.results import ResultRow
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.log import LogEntry
from league.projections.queries.matches import MatchRow
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

    @field_of(LogEventRef | None, "The event.")
    async def event(self, info: Info) -> LogEntry | None:
        return await loaders.log.event(info, self.position)


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
        return cls(
            match_id=row.match_id,
            ruleset_name=row.ruleset,
            mode=MatchMode(row.mode),
            began_at=row.began_at,
            before=result_of(row, "before"),
            after=result_of(row, "after"),
            two=two,
        )

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

    @field_of(MatchRef | None, "The match, as in the official league; null when the league does not have it.")
    async def match(self, info: Info) -> MatchRow | None:
        return await loaders.matches.match(info, self.match_id)

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
