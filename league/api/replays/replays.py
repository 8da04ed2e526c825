"""Replays: the league folded under revised rules, or as known at an earlier moment, and the differences."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import global_id
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.references import TimelineSpanRef, field_of
from league.api.graphql.shaping.relay import Connection, Listed, Node, paged
from league.api.replays.difference import LeagueDifference, difference_of
from league.projections.queries import replays as reads
from league.projections.queries.replays import ReplayRow
from league.projections.runs import HashSpan

Number = Annotated[int, strawberry.argument(description="The number of the replay and of its run.")]


@strawberry.enum(description="The state of a replay.")
class ReplayState(Enum):
    WAITING = word("waiting", description="No worker has begun.")
    RUNNING = word("running", description="A worker is folding it; if the worker dies, another one takes over.")
    DONE = word("done", description="It has a run: its difference can be read, and it can be promoted.")
    PROMOTED = word("promoted", description="Its run is the official one now.")
    FAILED = word("failed", description="It was refused, or failed after several attempts.")
    CANCELLED = word("cancelled", description="It was cancelled; its rows are removed.")
    DROPPED = word(
        "dropped", description="Its run is gone: dropped, replaced by a rebuild, or displaced by ten later ones."
    )


OVER = {state for state in ReplayState if state not in (ReplayState.WAITING, ReplayState.RUNNING)}
"""The states of a replay that is neither waiting nor running."""


@strawberry.type(description="The whole league folded under one timeline of rules, up to one position of the log.")
class LeagueRun:
    number: int = field(
        description="The number of the run, and of the replay that made it: `@readFrom(run:)` and the commands of the "
        "command line take it."
    )
    position: BigInt = field(description="The position of the log up to which it is folded.")
    spans: strawberry.Private[list[HashSpan]]

    @field_of(list[TimelineSpanRef], "The timeline of its rules.")
    def timeline(self) -> list[HashSpan]:
        return self.spans

    is_official: bool = field(description="Whether it is the official run.")
    is_outdated: bool = field(
        description="Whether the official rules changed after it was folded, so that it can no longer be promoted."
    )

    @classmethod
    def of(cls, row: ReplayRow) -> "LeagueRun":
        """A row of replays that have a run."""
        assert row.ready_run is not None
        assert row.position is not None
        return made_of(cls, row, number=row.ready_run, spans=msgspec.convert(row.timeline, list[HashSpan]))


@strawberry.type(description="The league folded again, beside the official one: under other rules, or as once known.")
class Replay(Node):
    number: int = field(
        description="The number of the replay and of its run: `replay`, `difference(against:)`, `@readFrom(run:)` and "
        "the mutations take it."
    )
    state: ReplayState = field(description="Its state.")
    title: str | None = field(description="The title of the revised rules; null: no revision.")
    done: int = field(description="Steps done so far: each match is scored, and then rated.")
    total: int = field(description="Steps in all, two a match; 0 before it starts.")
    failure: str | None = field(description="Why it failed.")
    requested_at: datetime = field(description="When it was requested.")
    start: datetime | None = field(
        name="from", description="The revision is of matches that began at or after this time."
    )
    end: datetime | None = field(name="to", description="The revision is of matches that began before this time.")
    known_at: datetime | None = field(
        description="Only events recorded by this moment are known; null: all events recorded when it was folded."
    )
    run: LeagueRun | None = field(description="Its run; null before it is done, and after the run is removed.")
    requested_by_: strawberry.Private[str]

    @classmethod
    def of(cls, row: ReplayRow) -> "Replay":
        """A row of replays."""
        return made_of(
            cls,
            row,
            id=strawberry.ID(global_id("Replay", str(row.replay))),
            number=row.replay,
            state=ReplayState(reads.state_of(row)),
            start=row.starts_at,
            end=row.ends_at,
            run=None if row.ready_run is None else LeagueRun.of(row),
            requested_by_=row.requested_by,
        )

    @field(description="The `sub` of the token that requested it. Null unless the viewer is an auditor or an admin.")
    def requested_by(self, info: Info) -> str | None:
        return self.requested_by_ if info.context.viewer.may("readLogDetails") else None

    @field(
        description="How it differs from another run; null while it is not done, after it was removed, and without the "
        "replay to compare it with."
    )
    async def difference(
        self,
        info: Info,
        against: Annotated[
            int | None, strawberry.argument(description="The number of another replay; null: the official league.")
        ] = None,
    ) -> LeagueDifference | None:
        first = None
        if against is not None:
            other = await loaders.replays.replay(info, against)
            if other is None or other.ready_run is None:
                return None
            first = other.ready_run
        return None if self.run is None else await difference_of(info, self.run.number, first)


@strawberry.type
class ReplayQueries:
    @field_of(Replay | None, "A replay; null when there is none with this number.")
    async def replay(self, info: Info, number: Number) -> ReplayRow | None:
        return await loaders.replays.replay(info, number)

    @paged(Connection[Replay], "Every replay, latest first.")
    def replays(self) -> Listed[ReplayRow]:
        return Listed(ReplayRow, lambda _: (reads.replays(), reads.LATEST_FIRST))
