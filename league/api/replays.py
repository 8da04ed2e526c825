"""Replays: the league folded under revised rules by a worker, and what would be different."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any

import strawberry
from sqlalchemy import Row, select
from strawberry import field

from league.api.context import Info
from league.api.difference import LeagueDifference, difference_of
from league.api.errors import (
    ForbiddenError,
    InvalidInputError,
    InvalidRulebookError,
    NotFoundError,
    WrongStateError,
)
from league.api.mutations import INPUT
from league.api.threads import in_writing_thread
from league.api.words import word
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rulebook_document import parse_rulebook
from league.projections import tables as t
from league.projections.reads.snapshot import Snapshot
from league.projections.replay import Period


@strawberry.enum(description="How far a replay has come.")
class ReplayState(Enum):
    WAITING = word("waiting", description="No worker has finished it yet.")
    DONE = word("done", description="Its difference can be read.")
    FAILED = word("failed", description="It was refused, or a worker gave it up.")


@strawberry.type(description="The league folded under revised rules, beside the official one.")
class Replay:
    number: int = field(description="By which it is asked for.")
    state: ReplayState = field(description="How far it has come.")
    done: int = field(description="Matches scored so far.")
    total: int = field(description="Matches in all; 0 before it starts.")
    failure: str | None = field(description="Why it failed.")
    run: strawberry.Private[int | None]

    @field(
        description="What it says otherwise; null while it is not done, when it has been cleared away, and without the "
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
            other = await info.context.reader.read(_replay, against)
            if other is None or other.run is None:
                return None
            first = other.run
        return None if self.run is None else await difference_of(info, self.run, first)


@strawberry.input(description="Revised rules, and the matches that are to be played under them.")
class StartReplayInput:
    document: str = field(description="An edition as TOML; it may name only what it changes of the one in force.")
    season: strawberry.ID | None = field(default=None, description="Only matches of this season, by its league id.")
    start: datetime | None = field(default=None, name="from", description="Only matches that began then or later.")
    end: datetime | None = field(default=None, name="to", description="Only matches that began before.")


@strawberry.type(description="A worker will fold it; ask for it by its number.")
class StartReplaySuccess:
    replay: Replay = field(description="The replay.")


StartReplayPayload = Annotated[
    StartReplaySuccess | InvalidRulebookError | InvalidInputError | NotFoundError | WrongStateError | ForbiddenError,
    strawberry.union("StartReplayPayload", description="How asking for a replay ended."),
]


@strawberry.type
class ReplayQueries:
    @field(description="A replay; null when there is none of this number.")
    async def replay(
        self, info: Info, number: Annotated[int, strawberry.argument(description="Its number.")]
    ) -> Replay | None:
        row = await info.context.reader.read(_replay, number)
        return None if row is None else _of(row)


@strawberry.type
class ReplayMutations:
    @strawberry.mutation(description="Ask for a replay of the league under revised rules. Role: admin.")
    async def start_replay(self, info: Info, given: Annotated[StartReplayInput, INPUT]) -> StartReplayPayload:
        info.context.viewer.require("startReplay")
        number = await in_writing_thread(_start, info, given)
        return StartReplaySuccess(
            replay=Replay(number=number, state=ReplayState.WAITING, done=0, total=0, failure=None, run=None)
        )


def _start(info: Info, given: StartReplayInput) -> int:
    """Blocks; raises Refusal."""
    world = info.context.world()
    candidate = parse_rulebook(given.document, world.rulebook().at(world.now))
    period = Period(given.start, given.end)
    if given.season is not None:
        if given.start is not None or given.end is not None:
            raise InvalidInput("season", "name a season, or dates, not both")
        season = world.seasons().get(given.season)
        if season is None:
            raise NotFound("season", "season", given.season)
        period = Period(season.start, season.end)
    if period.start is not None and period.end is not None and period.end <= period.start:
        raise InvalidInput("to", "lies before the start")
    assert info.context.viewer.sub is not None, "who may do anything has a name"
    return info.context.jobs.start_replay(candidate, period, info.context.viewer.sub)


def _replay(snapshot: Snapshot, number: int) -> Row[Any] | None:
    return snapshot.conn.execute(select(t.replays).where(t.replays.c.replay == number)).one_or_none()


def _of(row: Row[Any]) -> Replay:
    state = ReplayState.FAILED if row.failure else ReplayState.DONE if row.run is not None else ReplayState.WAITING
    return Replay(number=row.replay, state=state, done=row.done, total=row.total, failure=row.failure, run=row.run)
