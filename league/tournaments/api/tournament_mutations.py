"""Mutations that plan a tournament and say who takes part, and the error types of all tournament mutations."""

from collections.abc import Callable, Sequence
from typing import Any

import strawberry
from strawberry import field

from league.api.auth.reach import KEEPER
from league.api.graphql.executing.accounting import charge_entries
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import optional
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    mutation,
    new_id,
)
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import local_competitor_id, local_id
from league.api.graphql.shaping.user_errors import AlreadyExistsError, ChangedSinceError, ErrorTypes, UserError
from league.domain.deciders import Command
from league.domain.refusals import Forbidden, InvalidInput
from league.domain.seating import JOINT, competitor_of
from league.domain.sentences import say
from league.domain.texts_and_times import reason_of_command
from league.tournaments.api.plan_inputs import (
    IN_PLAN,
    TournamentPlanChangesInput,
    TournamentPlanInput,
    TournamentSetting,
)
from league.tournaments.api.tournaments import Tournament, tournament
from league.tournaments.domain import commands as c
from league.tournaments.domain.refusals import (
    AlreadyCommitted,
    AlreadyContributed,
    CommitmentUsed,
    DrawingClosed,
    DrawnAgain,
    NoCommitment,
    OtherCommitment,
    RoundOutdated,
)
from league.tournaments.seen_tournaments import StoredTournament


@strawberry.type(
    description="Two competitors at a table have, since the round was drawn, met as often as the series allows. The "
    "round was drawn again with those two apart: look at its tables, then publish it."
)
class DrawnAgainError(UserError):
    round: int = field(description="The number of the round.")
    a: str = field(description="The id of one of the two, as the series has it.")
    b: str = field(description="The id of the other one.")


@strawberry.type(
    description="The inputs of the round would be different now, because a result, an entry or an absence has changed "
    "since it was drawn. Draw it again, or publish it with `evenIfOutdated`."
)
class RoundOutdatedError(UserError):
    round: int = field(description="The number of the round.")


@strawberry.type(description="The competitor already has a commitment to the next drawing. A pair shares one.")
class AlreadyCommittedError(UserError):
    competitor: str = field(description="The id of the competitor.")


@strawberry.type(
    description="This tournament has already seen this commitment. Make new random bytes and commit to them."
)
class CommitmentUsedError(UserError):
    pass


@strawberry.type(
    description="The bytes do not count. The code says why: `NO_COMMITMENT`, `OTHER_COMMITMENT`, `ALREADY_CONTRIBUTED` "
    "or `DRAWING_CLOSED`."
)
class ContributionRefusedError(UserError):
    competitor: str = field(description="The id of the competitor.")
    round: int = field(description="The number of the round.")


REFUSALS: ErrorTypes = {
    AlreadyCommitted: AlreadyCommittedError,
    CommitmentUsed: CommitmentUsedError,
    NoCommitment: ContributionRefusedError,
    OtherCommitment: ContributionRefusedError,
    AlreadyContributed: ContributionRefusedError,
    DrawingClosed: ContributionRefusedError,
    DrawnAgain: DrawnAgainError,
    RoundOutdated: RoundOutdatedError,
}
"""The GraphQL type of each refusal of tournaments."""


# ---------------------------------------------------------------- mutations


A_COMPETITOR = "a player or a pair: global id, or the league's id (for a pair both players' ids, joined by `+`)."


def entered_as(competitor: str) -> str:
    """The id under which a competitor entered, from any form that `A_COMPETITOR` allows."""
    return competitor_of(local_competitor_id(competitor).split(JOINT))


@strawberry.input(description="A tournament.")
class OnTournamentInput(MutationInput):
    tournament: strawberry.ID = field(description="Global id, or the id in the league.")

    @property
    def local(self) -> str:
        """The id in the league."""
        return local_id("Tournament", self.tournament)


@strawberry.type(description="A mutation that changed a tournament.")
class TournamentSuccess(Success):
    local: strawberry.Private[str]

    @field_of(Tournament | None, "The tournament afterwards.")
    async def tournament(self, info: Info) -> StoredTournament | None:
        return await tournament(info, self.local)


@strawberry.input(description="A tournament to plan.")
class PlanTournamentInput(MutationInput):
    plan: TournamentPlanInput = field(description="What is decided before the first round.")
    tournament_id: str | None = optional(f"{NEW_ID} At most 48 characters.")


@strawberry.input(description="A tournament, and the settings of its plan that change.")
class ChangeTournamentPlanInput(OnTournamentInput, OverwritingInput):
    plan: TournamentPlanChangesInput = field(description="The settings that change. All others stay.")
    remove: list[TournamentSetting] | None = optional("Settings that return to the default of the format.")

    def read(self) -> c.ChangePlan:
        """The input as the domain's type."""
        return c.ChangePlan(self.local, self.plan.document(), tuple(one.value for one in self.remove or ()))


@strawberry.input(description="A player or a pair who enters.")
class EntrantInput:
    players: list[strawberry.ID] = field(
        description="One player, or both players of a pair if pairs take part: global ids, or the league's."
    )
    fixed_table: int | None = optional("The number of the table that they keep in every round; null: none.")
    replaces: strawberry.ID | None = optional(f"A competitor who withdrew, and whose place they take: {A_COMPETITOR}")

    def ids(self) -> tuple[str, ...]:
        """The players' ids in the league."""
        return tuple(local_id("Player", player) for player in self.players)


@strawberry.input(description="Who enters a tournament. If one cannot enter, nobody does.")
class EnterTournamentInput(OnTournamentInput):
    competitors: list[EntrantInput] = field(description="At least one competitor, in the order in which they enter.")


@strawberry.input(description="A competitor of a tournament.")
class OnCompetitorInput(OnTournamentInput):
    competitor: strawberry.ID = field(description=f"The competitor: {A_COMPETITOR}")

    def players(self) -> Sequence[str]:
        """Ids of the players who may send this for themselves."""
        return entered_as(self.competitor).split(JOINT)


@strawberry.input(description="Who has arrived. If one cannot be checked in, nobody is.")
class CheckInToTournamentInput(OnTournamentInput):
    competitors: list[strawberry.ID] = field(description=f"At least one competitor. Each is {A_COMPETITOR}")
    commitment: str | None = optional(
        "What your device promises to the next drawing, as in `commitToDrawing`. Only allowed if you are the only "
        "competitor in the list."
    )


@strawberry.input(description="A competitor who withdraws.")
class WithdrawFromTournamentInput(OnCompetitorInput):
    reason: str | None = optional("The reason, for readers of the log.")


@strawberry.input(description="A competitor who plays again after they withdrew.")
class ReturnToTournamentInput(OnCompetitorInput):
    pass


@strawberry.input(description="A competitor and a round that is not drawn yet.")
class OnComingRoundInput(OnCompetitorInput):
    round: int = field(description="The number of the round, from 1.")


@strawberry.input(description="A competitor who asks for a bye.")
class RequestByeInput(OnComingRoundInput):
    pass


@strawberry.input(description="A competitor who plays after all.")
class TakeBackByeInput(OnComingRoundInput):
    pass


@strawberry.input(description="A tournament to end.")
class EndTournamentInput(OnTournamentInput):
    pass


@strawberry.type
class TournamentMutations:
    @mutation(
        "Plan a tournament. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(AlreadyExistsError, *USUAL),
        result="The result of planning a tournament.",
    )
    async def plan_tournament(self, info: Info, given: PlanTournamentInput) -> Answer:
        id_ = given.tournament_id or new_id(info, given)
        position = await carry_out(
            info,
            given,
            lambda: c.PlanTournament(id_, given.plan.document()),
            paths={**IN_PLAN, "tournament": "tournamentId"},
        )
        return {"position": position, "local": id_}

    @mutation(
        "Change settings of the plan of a tournament; what is not named stays. Once its first round is published, only "
        "the number of rounds may change. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(ChangedSinceError, *USUAL),
        result="The result of changing a plan.",
    )
    async def change_tournament_plan(self, info: Info, given: ChangeTournamentPlanInput) -> Answer:
        return await sent(info, given, given.read, paths=IN_PLAN)

    @mutation(
        "Enter players or pairs, all or none. A competitor may take the place of one who withdrew. At most 1,024 take "
        "part. Roles: scorekeeper, admin; player: themselves, alone or in a pair, without `fixedTable` and `replaces`. "
        "Each competitor after the first costs as much as another mutation.",
        of=TournamentSuccess,
        refusals=(AlreadyExistsError, *USUAL),
        result="The result of entering a tournament.",
    )
    async def enter_tournament(self, info: Info, given: EnterTournamentInput) -> Answer:
        def make() -> list[Command]:
            _check_own(info, "enterTournament", [one.ids() for one in given.competitors])
            return [command(at, one) for at, one in enumerate(given.competitors)]

        def command(at: int, one: EntrantInput) -> c.EnterCompetitor:
            if not info.context.viewer.may("enterTournament"):
                for name, value in (("fixed_table", one.fixed_table), ("replaces", one.replaces)):
                    if value is not None:
                        raise Forbidden("enterTournament", tuple(KEEPER), at=f"competitors.{at}.{name}")
            replaces = None if one.replaces is None else entered_as(one.replaces)
            return c.EnterCompetitor(given.local, one.ids(), one.fixed_table, replaces)

        def place(at: int, name: str) -> str:
            return name if name == "tournament" else f"competitors.{at}.{name}"

        charge_entries(info.context, len(given.competitors))
        return await sent(info, given, make, owners=_whoever(info), place=place)

    @mutation(
        "Record that competitors have arrived, all or none. Competitors who are already checked in stay so; the "
        "mutation is refused if all of them are. Roles: scorekeeper, admin; player: themselves. Each competitor after "
        "the first costs as much as another mutation.",
        of=TournamentSuccess,
        refusals=(AlreadyCommittedError, CommitmentUsedError, *USUAL),
        result="The result of checking in.",
    )
    async def check_in_to_tournament(self, info: Info, given: CheckInToTournamentInput) -> Answer:
        def make() -> c.CheckIn:
            ids = tuple(entered_as(one) for one in given.competitors)
            _check_own(info, "checkInToTournament", [id_.split(JOINT) for id_ in ids])
            if given.commitment is not None:
                if len(ids) > 1:
                    raise InvalidInput("commitment", say("a device promises for one competitor, alone in the list"))
                if not info.context.is_one_of(ids[0].split(JOINT)):
                    raise Forbidden("commitToDrawing", ("player",), own=("player",), at="commitment")
            return c.CheckIn(given.local, ids, given.commitment)

        charge_entries(info.context, len(given.competitors))
        return await sent(info, given, make, owners=_whoever(info), paths={"competitor": "competitors.0"})

    @mutation(
        "Take a competitor out of the rounds to come. Roles: scorekeeper, admin; player: themselves.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of withdrawing.",
    )
    async def withdraw_from_tournament(self, info: Info, given: WithdrawFromTournamentInput) -> Answer:
        def withdraw() -> c.Withdraw:
            reason = None if given.reason is None else reason_of_command(given.reason)
            return c.Withdraw(given.local, entered_as(given.competitor), reason)

        return await sent_of_competitor(info, given, withdraw)

    @mutation(
        "Let a competitor who withdrew play again. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of returning.",
    )
    async def return_to_tournament(self, info: Info, given: ReturnToTournamentInput) -> Answer:
        return await sent_of_competitor(info, given, lambda: c.Return(given.local, entered_as(given.competitor)))

    @mutation(
        "Ask for a bye of a round that is not drawn yet, in a Swiss tournament or with rotating partners. The "
        "competitor is not drawn for it, and gets what the plan gives (`requestedBye`). Such a bye counts neither as "
        "one of the `byes` nor in `FEWEST_BYES`. Roles: scorekeeper, admin; player: themselves.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of asking for a bye.",
    )
    async def request_bye(self, info: Info, given: RequestByeInput) -> Answer:
        def make() -> c.RequestBye:
            return c.RequestBye(given.local, entered_as(given.competitor), given.round)

        return await sent_of_competitor(info, given, make)

    @mutation(
        "Take back a request for a bye, before the round is drawn. Roles: scorekeeper, admin; player: themselves.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of taking back a request for a bye.",
    )
    async def take_back_bye(self, info: Info, given: TakeBackByeInput) -> Answer:
        def make() -> c.TakeBackBye:
            return c.TakeBackBye(given.local, entered_as(given.competitor), given.round)

        return await sent_of_competitor(info, given, make)

    @mutation(
        "End a tournament whose last round is closed. Roles: admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of ending a tournament.",
    )
    async def end_tournament(self, info: Info, given: EndTournamentInput) -> Answer:
        return await sent(info, given, lambda: c.EndTournament(given.local))


def _whoever(info: Info) -> Callable[[], list[str]]:
    """Owners that pass for any viewer. `_check_own` checks the competitors one by one, and names the one at fault."""
    return lambda: [info.context.viewer.sub or ""]


def _check_own(info: Info, operation: str, competitors: Sequence[Sequence[str]]) -> None:
    """Raise InvalidInput if nobody is named, and Forbidden for a competitor the viewer may not act for. Blocks."""
    if not competitors:
        raise InvalidInput("competitors", say("name at least one"))
    if info.context.viewer.may(operation):
        return
    for at, players in enumerate(competitors):
        try:
            info.context.viewer.require(operation, own=info.context.is_one_of(players))
        except Forbidden as forbidden:
            forbidden.at = f"competitors.{at}"
            raise


async def sent(info: Info, given: OnTournamentInput, make: Callable[[], Command | list[Command]], **how: Any) -> Answer:
    """Execute the command on a tournament that `make` builds. `carry_out` takes the arguments `how`. Raises Refusal."""
    return {"position": await carry_out(info, given, make, **how), "local": given.local}


async def sent_of_competitor(
    info: Info, given: OnCompetitorInput, make: Callable[[], Command], match: str | None = None
) -> Answer:
    """Execute a command on a competitor. The competitor's players may send it for themselves. Raises Refusal."""
    return await sent(info, given, make, owners=lambda: list(given.players()), owned="competitor", match=match)
