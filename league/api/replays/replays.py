"""Replays: the league folded under revised rules, or as known at an earlier moment.

They are started, cancelled and dropped, promoted and rolled back, and followed while a worker folds them.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any, Self

import msgspec
import strawberry
from strawberry import field, subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, optional, word
from league.api.graphql.request_errors import NotYetProjected, RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.mutations import (
    USUAL,
    USUAL_OF_NEW,
    Answer,
    MutationInput,
    RulesSuccess,
    Success,
    check,
    hash_of,
    mutation,
    with_input_path,
)
from league.api.graphql.shaping.object_fields import TimelineSpanRef, field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableList, local_id, paged
from league.api.graphql.shaping.shared_fields import detail_field
from league.api.graphql.shaping.user_errors import (
    ConflictError,
    InTheFutureError,
    InvalidRulebookError,
    NotFoundError,
    WrongStateError,
)
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.replays.difference import LeagueDifference, difference_of
from league.application import replay_requests
from league.application.bootstrap import ProjectorStuck
from league.application.jobs import CHANNEL as REPLAYS
from league.application.replay_folding import run_of
from league.application.replay_requests import RequestedReplay, period_of
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM
from league.domain.refusals import InvalidInput, Refusal
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.eventlog.records import AppendRequest
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import ReplayRow
from league.projections.queries.catalogue import replay as read_replay
from league.projections.queries.snapshot import Snapshot
from league.projections.replays.replay import ReplayPeriod
from league.projections.runs import HashSpan

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
    FromRow, Node, key="replay", number="replay", start="starts_at", end="ends_at", requested_by_="requested_by"
):
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
        name="from", description="The revision applies to matches that began at or after this time."
    )
    end: datetime | None = field(name="to", description="The revision applies to matches that began before this time.")
    known_at: datetime | None = field(
        description="Only events recorded by this moment are known; null: all events recorded when it was folded."
    )
    run: LeagueRun | None = field(description="Its run; null before it is done, and after the run is removed.")
    requested_by_: strawberry.Private[str]

    @classmethod
    def of(cls, row: ReplayRow) -> Self:
        """A row of replays."""
        run = None if row.ready_run is None else LeagueRun.of(row)
        return made_of(cls, row, state=ReplayState(reads.state_of(row)), run=run)

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
    @field_of(Replay | None, "A replay; null when there is none with this number.")
    async def replay(self, info: Info, number: Number) -> ReplayRow | None:
        return await loaders.runs.replay(info, number)

    @paged(Connection[Replay], "Every replay, latest first.")
    def replays(self) -> PageableList[ReplayRow]:
        return PageableList(ReplayRow, lambda _: (reads.replays(), reads.REPLAYS_LATEST_FIRST))


@strawberry.input(description="What to fold: a revision, over a span, as known at a moment.")
class StartReplayInput(MutationInput):
    document: str | None = optional(
        "Revised rules: an edition as TOML; it may name only what it changes of the one in force."
    )
    edition: int | None = optional("Revised rules: the number of a published edition.")
    season: strawberry.ID | None = optional(
        "Revise only the rules of matches of this season: global id, or the league's."
    )
    start: datetime | None = optional("Revise only the rules of matches that began at or after this time.", name="from")
    end: datetime | None = optional("Revise only the rules of matches that began before this time.", name="to")
    known_at: datetime | None = optional(
        "Fold only what had been recorded at this moment, under the rules that held then. It needs no "
        "revision; null: everything."
    )


@strawberry.input(description="A replay.")
class ReplayInput(MutationInput):
    replay: int = field(description="The number of the replay and of its run.")


@strawberry.input(description="A waiting or running replay to cancel.")
class CancelReplayInput(ReplayInput):
    pass


@strawberry.input(description="A finished replay to drop.")
class DropReplayInput(ReplayInput):
    pass


@strawberry.input(description="A finished replay to promote.")
class PromoteReplayInput(ReplayInput):
    pass


@strawberry.input(description="The idempotency key.")
class RollBackInput(MutationInput):
    pass


@strawberry.type(description="A mutation that asked for a replay, cancelled it or dropped its run.")
class ReplaySuccess(Success):
    replay: Replay = field(description="The replay. A repeated request gives the replay of the first.")


replay_mutation = partial(mutation, of=ReplaySuccess, refusals=(NotFoundError, WrongStateError, ConflictError))


@strawberry.type
class ReplayMutations:
    @replay_mutation(
        "Ask for a replay of the league: under revised rules, as it was known at a moment, or both. A "
        "worker folds it; follow `replayChanged`. Role: admin.",
        refusals=(InvalidRulebookError, InTheFutureError, *USUAL),
        result="The result of starting a replay.",
    )
    async def start_replay(self, info: Info, given: StartReplayInput) -> Answer:
        paths = PATHS if given.edition is None else {**PATHS, "document": "edition", "rulesets.*": "edition"}
        number, position = await _carried_out(info, given, lambda: _start(info, given), paths)
        return await _answer(info, number, position)

    @replay_mutation(
        "Cancel a waiting or running replay: its worker stops within a second. Cancelling it again does "
        "nothing. Role: admin.",
        result="The result of cancelling a replay.",
    )
    async def cancel_replay(self, info: Info, given: CancelReplayInput) -> Answer:
        def cancel() -> None:
            replay_requests.cancel(info.context.league, given.replay, AppendRequest(info.context.actor, "manual"))

        await _carried_out(info, given, cancel)
        return await _answer(info, given.replay)

    @replay_mutation(
        "Remove the run of a replay. Refused for the official run, and for the run that a rollback would "
        "need. Role: admin.",
        result="The result of dropping a replay.",
    )
    async def drop_replay(self, info: Info, given: DropReplayInput) -> Answer:
        def drop() -> None:
            league = info.context.league
            replay_requests.drop(
                league, run_of(league.database.url, given.replay), AppendRequest(info.context.actor, "manual")
            )

        await _carried_out(info, given, drop)
        return await _answer(info, given.replay)

    @mutation(
        "Make a replay official: adopt its rules and make its run the official one, in one step. Others "
        "can write meanwhile. Events that are not yet folded follow, as after any write. Role: admin.",
        of=RulesSuccess,
        refusals=USUAL,
        result="The result of promoting a replay.",
    )
    async def promote_replay(self, info: Info, given: PromoteReplayInput) -> Answer:
        def promote() -> int:
            league = info.context.league
            run = run_of(league.database.url, given.replay)
            return league.promoter.promote(run, _request(info, given))

        position = await _carried_out(info, given, promote, {**PATHS, "rulesets.*": "replay"})
        await info.context.read_after(position)
        return {"position": position, "replay_number": given.replay}

    @mutation(
        "Restore the rules from before the last adoption: a promotion like any other, with a run that is stored or "
        "folded for it. Role: admin.",
        of=RulesSuccess,
        refusals=USUAL_OF_NEW,
        result="The result of rolling back.",
    )
    async def roll_back(self, info: Info, given: RollBackInput) -> Answer:
        promoter = info.context.league.promoter
        position = await _carried_out(info, given, lambda: promoter.roll_back(_request(info, given)))
        await info.context.read_after(position)
        return {"position": position}


PATHS: Mapping[str, str | None] = {"run": "replay", "start": "from", "end": "to", "rulesets.*": "document"}
"""The fields of inputs behind what is refused."""


async def _carried_out(
    info: Info, given: MutationInput, work: Callable[[], Any], paths: Mapping[str, str | None] = PATHS
) -> Any:
    """Do work in a thread and return its result. Raises Refusal with paths of the input."""
    info.context.viewer.require(info.field_name)
    check(given)
    # It may take a while, so the reader's connection is released first.
    await info.context.read_after(0)
    try:
        return await in_writing_thread(work)
    except Refusal as refusal:
        raise with_input_path(refusal, paths) from None
    except ProjectorStuck as stuck:
        raise NotYetProjected(str(stuck)) from stuck


async def _answer(info: Info, number: int, position: int | None = None) -> Answer:
    found = await loaders.runs.replay(info, number)
    assert found is not None, "replays are never removed"
    if position is None:  # a cancelled one that is cancelled again adds no event
        position = await in_thread(info.context.league.store.newest_position, STREAM)
    return {"position": BigInt(position), "replay": Replay.of(found)}


def _request(info: Info, given: MutationInput) -> AppendRequest:
    return AppendRequest(info.context.actor, "manual", given.idempotency_key, hash_of(info.field_name, given))


def _start(info: Info, given: StartReplayInput) -> RequestedReplay:
    """Blocks; raises Refusal."""
    states = info.context.states()
    season = None if given.season is None else local_id("Season", given.season)
    candidate, period = _candidate(given, states), period_of(states, season, given.start, given.end)
    if candidate is None and (given.known_at is None or period != ReplayPeriod()):
        raise InvalidInput("document", say("no revision was given: give a document, or the number of an edition"))
    asked = replay_requests.ReplaySpec(candidate, period, given.known_at)
    requested = replay_requests.start(info.context.league, asked, _request(info, given))
    info.context.jobs.hand_out(requested.number)
    return requested


def _candidate(given: StartReplayInput, states: StreamStates) -> Rulebook | None:
    rules = states.rulebook()
    in_force = rules.at(states.now)
    if given.edition is None:
        return None if given.document is None else parse_rulebook(given.document, in_force)
    if given.document is not None:
        raise InvalidInput("edition", say("give a document or the number of an edition, not both"))
    return rules.edition(given.edition)


@strawberry.type
class ReplaySubscriptions:
    @subscription(
        description="A replay: its current state, then each further step, until it is neither waiting nor running."
    )
    async def replay_changed(self, info: Info, number: Number) -> AsyncGenerator[Replay, None]:
        def state(snapshot: Snapshot) -> Any:
            return (read_replay(snapshot, number),)

        async for _state in each_change(info, state, (REPLAYS,)):
            found = await loaders.runs.replay(info, number)
            if found is None:
                raise RequestError(say("There is no replay {number}.", number=number), argument="number")
            shown = Replay.of(found)
            yield shown
            if shown.state not in (ReplayState.WAITING, ReplayState.RUNNING):
                return
