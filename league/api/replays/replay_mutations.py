"""Mutations of replays: start, compute again, cancel, drop, name, show, withdraw, promote and roll back."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.request_errors import NotYetProjected
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.mutations import (
    USUAL,
    Answer,
    MutationInput,
    RulesSuccess,
    Success,
    check,
    hash_of,
    mutation,
    with_input_path,
)
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import (
    ConflictError,
    InTheFutureError,
    InvalidRulebookError,
    NotFoundError,
    TooManyShownError,
    WrongStateError,
)
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.replays.replays import Replay
from league.application import candidates, replay_requests
from league.application.bootstrap import ProjectorStuck
from league.application.replay_folding import run_of
from league.application.replay_requests import RequestedReplay, period_of
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM
from league.domain.candidates import checked_title
from league.domain.refusals import InvalidInput, Refusal
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.texts_and_times import checked_reason, needed_reason
from league.eventlog.records import AppendRequest
from league.projections.replays.replay import ReplayPeriod


@strawberry.input(description="What to fold: a revision, over a span, as known at a moment.")
class StartReplayInput(MutationInput):
    document: str | None = optional(
        "Revised rules: an edition as TOML. It may name only what it changes of the rules of `edition` or `replay`, or "
        "without them of the edition in force."
    )
    edition: int | None = optional("The rules of this published edition, by its number.")
    replay: int | None = optional("The rules that this replay tries, by its number; not its span.")
    restore: BigInt | None = optional(
        "Bring back a whole timeline of the rules, by its `position` in `officialTimelines`. It takes no other rules, "
        "span or moment. Rulesets under which matches were played since are added."
    )
    season: strawberry.ID | None = optional(
        "Revise only the rules of matches of this season: global id, or the league's."
    )
    start: datetime | None = optional("Revise only the rules of matches that began at or after this time.", name="from")
    end: datetime | None = optional("Revise only the rules of matches that began before this time.", name="to")
    known_at: datetime | None = optional(
        "Fold only what had been recorded at this moment, under the rules that held then. It needs no "
        "revision; null: everything."
    )
    title: str | None = optional("What to call it, at most 120 characters; null: its title is made of what it changes.")
    reason: str | None = optional("Why it is worth a look, at most 1,000 characters.")


@strawberry.input(description="A replay.")
class ReplayInput(MutationInput):
    replay: int = field(description="The number of the replay and of its run.")


@strawberry.input(description="A waiting or running replay to cancel.")
class CancelReplayInput(ReplayInput):
    pass


@strawberry.input(description="A finished replay to drop.")
class DropReplayInput(ReplayInput):
    pass


@strawberry.input(description="A replay that is over, to compute again.")
class ComputeReplayAgainInput(ReplayInput):
    pass


@strawberry.input(description="A finished replay to promote.")
class PromoteReplayInput(ReplayInput):
    reason: str = field(description="Why its rules are to hold, for all who read what changed; 1 to 1,000 characters.")
    previewed: str | None = optional(
        "The `fingerprint` of the preview that you have seen. If the rules, the figures or the listed moves "
        "have changed since, nothing is stored, and the code of the error is PREVIEW_OUTDATED. Null: no such check."
    )
    title: str | None = optional(
        "The title of the edition that it brings, at most 120 characters; null: that of the replay, or what it changes."
    )


@strawberry.input(description="The title and the reason of a candidate.")
class NameReplayInput(ReplayInput):
    title: str | None = optional("Its title, at most 120 characters; null: it is made of what it changes.")
    reason: str | None = optional("Why, at most 1,000 characters; null: none.")


@strawberry.input(description="A candidate to show to everybody.")
class ShowReplayInput(ReplayInput):
    reason: str = field(description="Why it is proposed, for everybody to read: 1 to 1,000 characters.")


@strawberry.input(description="A candidate to withdraw.")
class WithdrawReplayInput(ReplayInput):
    reason: str = field(description="Why it is withdrawn: 1 to 1,000 characters. The trail has it.")


@strawberry.input(description="The rules to bring back.")
class RollBackInput(MutationInput):
    reason: str = field(description="Why they are to hold again, for all who read what changed; 1 to 1,000 characters.")
    to: BigInt | None = optional(
        "The `position` of the timeline in `officialTimelines`; null: the latest one that differs from the rules in "
        "force."
    )


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
        given_as = (name for name in ("document", "edition", "replay") if getattr(given, name) is not None)
        source = next(given_as, "document")
        paths = {**PATHS, **dict.fromkeys(("document", "rulesets.*", "rules"), source)}
        number, position = await _carried_out(info, given, lambda: _start(info, given), paths)
        return await _answer(info, number, position)

    @replay_mutation(
        "Ask for a replay like an earlier one: the same rules and span, computed from the rules and matches of today, "
        "with its title and reason. Where nothing has changed since, it answers with a finished one. Role: admin.",
        refusals=(InTheFutureError, *USUAL),
        result="The result of computing a replay again.",
    )
    async def compute_replay_again(self, info: Info, given: ComputeReplayAgainInput) -> Answer:
        def compute() -> RequestedReplay:
            spec = replay_requests.spec_to_compute_again(info.context.league, given.replay)
            requested = replay_requests.start(info.context.league, spec, _request(info, given))
            info.context.jobs.hand_out(requested.number)
            return requested

        paths = {**PATHS, **dict.fromkeys(("position", "rulesets.*", "rules"), "replay")}
        number, position = await _carried_out(info, given, compute, paths)
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

    @replay_mutation(
        "Give a candidate a title and a reason. Refused while it is shown. Role: admin.",
        result="The result of naming a candidate.",
    )
    async def name_replay(self, info: Info, given: NameReplayInput) -> Answer:
        def name() -> None:
            candidates.name(info.context.league, given.replay, given.title, given.reason)

        await _carried_out(info, given, name)
        return await _answer(info, given.replay)

    @replay_mutation(
        "Let everybody read a candidate and its run: it is a proposal. At most three are shown. Role: admin.",
        refusals=(TooManyShownError, *USUAL),
        result="The result of showing a candidate.",
    )
    async def show_replay(self, info: Info, given: ShowReplayInput) -> Answer:
        def show() -> int:
            return candidates.show(info.context.league, given.replay, given.reason, _request(info, given))

        return await _answer(info, given.replay, await _carried_out(info, given, show))

    @replay_mutation(
        "Make a candidate that is shown a draft again, which only admins and auditors may read. Role: admin.",
        refusals=USUAL,
        result="The result of withdrawing a candidate.",
    )
    async def withdraw_replay(self, info: Info, given: WithdrawReplayInput) -> Answer:
        def withdraw() -> int:
            return candidates.withdraw(info.context.league, given.replay, given.reason, _request(info, given))

        return await _answer(info, given.replay, await _carried_out(info, given, withdraw))

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
            reason = needed_reason(given.reason)
            run = run_of(league.database.url, given.replay)
            return league.promoter.promote(run, _request(info, given), reason, given.previewed, given.title)

        position = await _carried_out(info, given, promote, {**PATHS, "rulesets.*": "replay"})
        await info.context.read_after(position)
        return {"position": position, "replay_number": given.replay}

    @mutation(
        "Bring earlier official rules back at once: a promotion like any other, of a run that is stored or folded for "
        "it. To see first what would change, start a replay that restores them, and promote it. Role: admin.",
        of=RulesSuccess,
        refusals=USUAL,
        result="The result of rolling back.",
    )
    async def roll_back(self, info: Info, given: RollBackInput) -> Answer:
        def roll_back() -> int:
            reason = needed_reason(given.reason)
            return info.context.league.promoter.roll_back(_request(info, given), reason, given.to)

        position = await _carried_out(info, given, roll_back, {**PATHS, "position": "to"})
        await info.context.read_after(position)
        return {"position": position}


PATHS: Mapping[str, str | None] = {
    "run": "replay", "start": "from", "end": "to", "rulesets.*": "document", "rules": "document", "position": "restore",
}  # fmt: skip
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
    candidate, period = _candidate(info, given, states), period_of(states, season, given.start, given.end)
    restores = None if given.restore is None else int(given.restore)
    if restores is not None and (candidate, period, given.known_at) != (None, ReplayPeriod(), None):
        raise InvalidInput("restore", say("a timeline comes back as a whole: give no other rules, span or time"))
    if restores is None and candidate is None and (given.known_at is None or period != ReplayPeriod()):
        raise InvalidInput("document", say("no revision was given: give a document, or the number of an edition"))
    title, reason = checked_title(given.title), checked_reason(given.reason)
    has_base = given.edition is not None or given.replay is not None
    rules = states.rulebook()
    completes = None if given.document is None or has_base else rules.with_rulesets_in_use(rules.at(states.now))
    asked = replay_requests.ReplaySpec(candidate, period, given.known_at, title, reason, completes, restores)
    requested = replay_requests.start(info.context.league, asked, _request(info, given))
    info.context.jobs.hand_out(requested.number)
    return requested


def _candidate(info: Info, given: StartReplayInput, states: StreamStates) -> Rulebook | None:
    rules = states.rulebook()
    if given.edition is not None and given.replay is not None:
        raise InvalidInput("replay", say("give the number of an edition or of a replay, not both"))
    base = None
    if given.edition is not None:
        base = rules.edition(given.edition)
    elif given.replay is not None:
        base = replay_requests.rules_of(info.context.league, given.replay)
    if given.document is not None:
        base = parse_rulebook(given.document, base or rules.at(states.now))
    return None if base is None else rules.with_rulesets_in_use(base)
