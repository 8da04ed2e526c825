"""Replays: the league folded under revised rules, or as known at an earlier moment, and followed while it is folded."""

from collections.abc import AsyncGenerator
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Self

import msgspec
import strawberry
from strawberry import field, subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, word
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import EditionRef, PlayerRef, RuleDifferenceRef, TimelineSpanRef, field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableList, paged
from league.api.graphql.shaping.shared_fields import detail_field
from league.api.replays.difference import LeagueDifference, difference_of
from league.api.replays.official_timelines import EarlierRules, OfficialTimeline, official_timeline
from league.application.jobs import CHANNEL as REPLAYS
from league.domain.sentences import say
from league.projections.queries import catalogue as reads
from league.projections.queries.candidates import RuleChange
from league.projections.queries.catalogue import EditionDocument, ReplayRow
from league.projections.queries.catalogue import replay as read_replay
from league.projections.queries.players import PlayerRow
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import HashSpan
from league.wording.candidates import title_of

Number = Annotated[int, argument("The number of the replay and of its run.")]


@strawberry.enum(description="The state of a replay.")
class ReplayState(Enum):
    WAITING = word("waiting", "No worker has begun.")
    RUNNING = word("running", "A worker is folding it; if the worker dies, another worker takes over.")
    DONE = word("done", "It has a run: its difference can be read, and it can be promoted.")
    PROMOTED = word("promoted", "Its run is the official one now.")
    FAILED = word("failed", "It was refused, or failed after several attempts.")
    CANCELLED = word("cancelled", "It was cancelled; its rows are removed.")
    DROPPED = word("dropped", "Its run is gone: dropped, replaced by a rebuild, or displaced by ten later ones.")


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
class Replay(
    FromRow,
    Node,
    key="replay",
    number="replay",
    own_title="title",
    start="starts_at",
    end="ends_at",
    requested_by_="requested_by",
):
    number: int = field(
        description="The number of the replay and of its run: `replay`, `difference(against:)`, `@readFrom(run:)` and "
        "the mutations take it."
    )
    state: ReplayState = field(description="Its state.")
    own_title: str | None = field(description="The name that somebody gave it; null: nobody has named it.")
    reason: str | None = field(description="Why it was requested, or shown; null: nobody has said it.")
    is_candidate: bool = field(description="Whether it revises rules, or restores earlier ones.")
    is_shown: bool = field(
        description="Whether everybody may read it. A candidate is a draft, which only admins and auditors may read, "
        "until it is shown."
    )
    done: int = field(description="Steps done so far: each match is scored, and then rated.")
    total: int = field(description="Steps in all, two a match; 0 before it starts.")
    failure: str | None = field(description="Why it failed.")
    requested_at: datetime = field(description="When it was requested.")
    start: datetime | None = field(
        name="from", description="The revision applies to matches that began at or after this time."
    )
    end: datetime | None = field(name="to", description="The revision applies to matches that began before this time.")
    known_at: datetime | None = field(
        description="Only events recorded by this moment are known; null: all events recorded when it was folded."
    )
    run: LeagueRun | None = field(description="Its run; null before it is done, and after the run is removed.")
    requested_by_: strawberry.Private[str]
    row: strawberry.Private[ReplayRow]

    @classmethod
    def of(cls, row: ReplayRow) -> Self:
        """A row of replays."""
        run = None if row.ready_run is None else LeagueRun.of(row)
        return made_of(
            cls,
            row,
            state=ReplayState(reads.state_of(row)),
            run=run,
            is_candidate=row.rules_title is not None or row.restores is not None,
            is_shown=row.shown_at is not None,
        )

    @field(
        description="The name that somebody gave it; without one it is made of what it changes, in the language of "
        "the answer. Null: it changes nothing."
    )
    async def title(self, info: Info) -> str | None:
        if self.own_title is not None:
            return self.own_title
        return title_of(await loaders.runs.revision(info, self.number), self.row.rules_title)

    @field_of(
        list[RuleDifferenceRef],
        "What it changes of the rules that were in force when it was requested; empty where it changes nothing, or "
        "where those rules are no longer known.",
    )
    async def changes(self, info: Info) -> list[RuleChange]:
        return (await loaders.runs.revision(info, self.number)).changes

    @field_of(
        EditionRef | None,
        "The rules that it tries, from which `startReplay(input: {replay})` starts; of a timeline that it brings back, "
        "the latest edition. Null: it tries none.",
    )
    async def rules(self, info: Info) -> EditionDocument | None:
        return await loaders.runs.tried_rules(info, self.number)

    @field_of(OfficialTimeline | None, "The earlier rules that it brings back; null: it brings none back.")
    async def restores(self, info: Info) -> EarlierRules | None:
        return None if self.row.restores is None else await official_timeline(info, self.row.restores)

    @field_of(
        PlayerRef | None,
        "The player who asked for it; null: an admin who is no player. For a replay that is not shown it is null "
        "unless the viewer is an auditor or an admin.",
    )
    async def author(self, info: Info) -> PlayerRow | None:
        if not self.is_shown and not info.context.viewer.may("readLogDetails"):
            return None
        return await loaders.players.player(info, self.requested_by_)

    requested_by = detail_field("The `sub` of the token that requested it.", "requested_by_")

    @field(
        description="How it differs from another run; null while it is not done, after its run was removed, and if "
        "there is no other run to compare it with."
    )
    async def difference(
        self,
        info: Info,
        against: Annotated[int | None, argument("The number of another replay; null: the official league.")] = None,
    ) -> LeagueDifference | None:
        first = None
        if against is not None:
            other = await loaders.runs.replay(info, against)
            if other is None or other.ready_run is None:
                return None
            first = other.ready_run
        return None if self.run is None else await difference_of(info, self.run.number, first)


@strawberry.type
class ReplayQueries:
    @field_of(Replay | None, "A replay; null when there is none with this number that the viewer may read.")
    async def replay(self, info: Info, number: Number) -> ReplayRow | None:
        return await loaders.runs.replay(info, number)

    @paged(Connection[Replay], "Every replay that the viewer may read, latest first.")
    def replays(self, info: Info) -> PageableList[ReplayRow]:
        drafts = info.context.reads_drafts
        return PageableList(ReplayRow, lambda _: (reads.replays(drafts=drafts), reads.REPLAYS_LATEST_FIRST))


@strawberry.type
class ReplaySubscriptions:
    @subscription(
        description="A replay: its current state, then each further step, until it is neither waiting nor running."
    )
    async def replay_changed(self, info: Info, number: Number) -> AsyncGenerator[Replay, None]:
        drafts = info.context.reads_drafts

        def state(snapshot: Snapshot) -> Any:
            return (read_replay(snapshot, number, drafts=drafts),)

        async for _state in each_change(info, state, (REPLAYS,)):
            found = await loaders.runs.replay(info, number)
            if found is None:
                raise RequestError(say("There is no replay {number}.", number=number), argument="number")
            shown = Replay.of(found)
            yield shown
            if shown.state not in (ReplayState.WAITING, ReplayState.RUNNING):
                return
