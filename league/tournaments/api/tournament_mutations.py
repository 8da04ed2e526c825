"""Mutations of tournaments: the plan, and who takes part."""

from collections.abc import Callable, Sequence

import strawberry
from strawberry import field

from league.api.auth.reach import KEEPER
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import local_competitor_id, local_id
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    Answer,
    MutationInput,
    Success,
    carry_out,
    checked_reason,
    mutation,
    new_id,
)
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.user_errors import AlreadyExistsError
from league.domain.competitor import JOINT, competitor_of
from league.domain.deciders import Command
from league.domain.permission_refusals import Forbidden
from league.tournaments.api.plans import IN_PLAN, TournamentPlanInput
from league.tournaments.api.tournament_errors import AlreadyCommittedError, CommitmentUsedError
from league.tournaments.api.tournaments import Tournament, tournament
from league.tournaments.domain import commands as c
from league.tournaments.projections.seen import SeenTournament

A_COMPETITOR = "a player or a pair: global id, or the league's (of a pair, two joined by `+`)."


def entered_as(competitor: str) -> str:
    """The id under which a competitor entered, from any of their ids."""
    return competitor_of(local_competitor_id(competitor).split(JOINT))


@strawberry.input(description="A tournament.")
class OnTournamentInput(MutationInput):
    tournament: strawberry.ID = field(description="Global id, or the id in the league.")

    @property
    def local(self) -> str:
        """The id in the league."""
        return local_id("Tournament", self.tournament)


@strawberry.interface(description="A mutation that changed a tournament.")
class TournamentSuccess(Success):
    local: strawberry.Private[str]

    @field_of(Tournament | None, "The tournament afterwards.")
    async def tournament(self, info: Info) -> SeenTournament | None:
        return await tournament(info, self.local)


@strawberry.input(description="A tournament to plan.")
class PlanTournamentInput(MutationInput):
    plan: TournamentPlanInput = field(description="What is decided before the first round.")
    tournament_id: str | None = field(default=None, description=f"{NEW_ID} At most 48 characters.")


@strawberry.input(description="The whole plan as it is to hold.")
class ChangeTournamentPlanInput(OnTournamentInput):
    plan: TournamentPlanInput = field(description="The whole plan.")


@strawberry.input(description="Who enters a tournament.")
class EnterTournamentInput(OnTournamentInput):
    players: list[strawberry.ID] = field(
        description="One player, or both of a pair where pairs take part: global ids, or the league's."
    )
    fixed_table: int | None = field(default=None, description="The table that they keep; null: none.")
    replaces: strawberry.ID | None = field(
        default=None, description=f"A competitor who withdrew, and whose place they take: {A_COMPETITOR}"
    )

    def ids(self) -> tuple[str, ...]:
        """The players' ids in the league."""
        return tuple(local_id("Player", player) for player in self.players)


@strawberry.input(description="A competitor of a tournament.")
class OfCompetitorInput(OnTournamentInput):
    competitor: strawberry.ID = field(description=f"Who: {A_COMPETITOR}")

    def players(self) -> Sequence[str]:
        """Who may do it for themselves."""
        return entered_as(self.competitor).split(JOINT)


@strawberry.input(description="Who is there.")
class CheckInToTournamentInput(OfCompetitorInput):
    commitment: str | None = field(
        default=None,
        description="What your device promises to the next drawing, as in `commitToDrawing`. Only for yourself.",
    )


@strawberry.input(description="Who plays no further round.")
class WithdrawFromTournamentInput(OfCompetitorInput):
    reason: str | None = field(default=None, description="Why, for readers of the log.")


@strawberry.input(description="Who plays again.")
class ReturnToTournamentInput(OfCompetitorInput):
    pass


@strawberry.input(description="A tournament that is over.")
class EndTournamentInput(OnTournamentInput):
    pass


@strawberry.type
class TournamentMutations:
    @mutation(
        "Plan a tournament. Roles: scorekeeper, admin.",
        success="The tournament is planned.",
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
        "Replace the plan of a tournament; after its first round only the number of rounds. Roles: scorekeeper, admin.",
        success="The plan is changed.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of changing a plan.",
    )
    async def change_tournament_plan(self, info: Info, given: ChangeTournamentPlanInput) -> Answer:
        position = await carry_out(info, given, lambda: c.ChangePlan(given.local, given.plan.document()), paths=IN_PLAN)
        return {"position": position, "local": given.local}

    @mutation(
        "Enter a player or a pair, also in the place of somebody who withdrew. Roles: scorekeeper, admin; player: "
        "themselves, alone or in a pair, without `fixedTable` and `replaces`.",
        success="They take part.",
        of=TournamentSuccess,
        refusals=(AlreadyExistsError, *USUAL),
        result="The result of entering a tournament.",
    )
    async def enter_tournament(self, info: Info, given: EnterTournamentInput) -> Answer:
        def make() -> c.EnterCompetitor:
            if not info.context.viewer.may("enterTournament"):
                for at, value in (("fixed_table", given.fixed_table), ("replaces", given.replaces)):
                    if value is not None:
                        raise Forbidden("enterTournament", tuple(KEEPER), at=at)
            replaces = None if given.replaces is None else entered_as(given.replaces)
            return c.EnterCompetitor(given.local, given.ids(), given.fixed_table, replaces)

        position = await carry_out(info, given, make, owners=lambda: list(given.ids()), owned="players")
        return {"position": position, "local": given.local}

    @mutation(
        "Say that a competitor is there. Roles: scorekeeper, admin; player: themselves.",
        success="They are checked in.",
        of=TournamentSuccess,
        refusals=(AlreadyCommittedError, CommitmentUsedError, *USUAL),
        result="The result of checking in.",
    )
    async def check_in_to_tournament(self, info: Info, given: CheckInToTournamentInput) -> Answer:
        def check_in(tournament: str, competitor: str) -> c.CheckIn:
            if given.commitment is not None and not info.context.is_one_of(given.players()):
                raise Forbidden("commitToDrawing", ("player",), own=("player",), at="commitment")
            return c.CheckIn(tournament, competitor, given.commitment)

        return await _of_competitor(info, given, check_in)

    @mutation(
        "Take a competitor out of the rounds to come. Roles: scorekeeper, admin; player: themselves.",
        success="They play no further round.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of withdrawing.",
    )
    async def withdraw_from_tournament(self, info: Info, given: WithdrawFromTournamentInput) -> Answer:
        def withdraw(tournament: str, competitor: str) -> c.Withdraw:
            return c.Withdraw(tournament, competitor, None if given.reason is None else checked_reason(given.reason))

        return await _of_competitor(info, given, withdraw)

    @mutation(
        "Let a competitor who withdrew play again. Roles: scorekeeper, admin.",
        success="They play the next round.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of returning.",
    )
    async def return_to_tournament(self, info: Info, given: ReturnToTournamentInput) -> Answer:
        return await _of_competitor(info, given, c.Return)

    @mutation(
        "End a tournament whose last round is closed. Roles: admin.",
        success="The standing is final, but for corrections of results.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of ending a tournament.",
    )
    async def end_tournament(self, info: Info, given: EndTournamentInput) -> Answer:
        position = await carry_out(info, given, lambda: c.EndTournament(given.local))
        return {"position": position, "local": given.local}


async def _of_competitor(info: Info, given: OfCompetitorInput, make: Callable[[str, str], Command]) -> Answer:
    position = await carry_out(
        info,
        given,
        lambda: make(given.local, entered_as(given.competitor)),
        owners=lambda: list(given.players()),
        owned="competitor",
    )
    return {"position": position, "local": given.local}
