"""Sitting down at a live table, getting ready, and leaving."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.mutations import INPUT
from league.api.graphql.table_errors import NotInvitedError, NotSeatedError, SeatOccupiedError, TooManyTablesError
from league.api.graphql.user_errors import SeriesLockedError
from league.api.tables.enums import AiLevel
from league.api.tables.table_success import AtTableInput, TableErrors, TableSuccess, act, table_of
from league.domain.table.commands import LeaveSeat, SayReady, SeatAI, TakeSeat


@strawberry.input(description="A seat to sit down at.")
class TakeSeatInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play. In 2v2 seats 0 and 2 play against seats 1 and 3.")


@strawberry.type(description="You sit at the table.")
class TakeSeatSuccess(TableSuccess):
    pass


TakeSeatPayload = Annotated[
    TakeSeatSuccess | SeatOccupiedError | NotInvitedError | TooManyTablesError | SeriesLockedError | TableErrors,
    strawberry.union("TakeSeatPayload", description="The result of sitting down."),
]


@strawberry.input(description="A seat for an AI.")
class SeatAiInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play.")
    level: AiLevel = field(default=AiLevel.HEURISTIC, description="How well it plays.")


@strawberry.type(description="An AI sits at the table, which is for practice now: it makes no match.")
class SeatAiSuccess(TableSuccess):
    pass


SeatAiPayload = Annotated[
    SeatAiSuccess | SeatOccupiedError | TableErrors,
    strawberry.union("SeatAiPayload", description="The result of seating an AI."),
]


@strawberry.input(description="A table to leave.")
class LeaveSeatInput(AtTableInput):
    pass


@strawberry.type(description="Your seat is free; or, once play has begun, an AI plays on for you.")
class LeaveSeatSuccess(TableSuccess):
    pass


LeaveSeatPayload = Annotated[
    LeaveSeatSuccess | NotSeatedError | TableErrors,
    strawberry.union("LeaveSeatPayload", description="The result of leaving a seat."),
]


@strawberry.input(description="A table at which you are ready to play.")
class SayReadyInput(AtTableInput):
    pass


@strawberry.type(description="You are ready. If all seats are, play has begun.")
class SayReadySuccess(TableSuccess):
    pass


SayReadyPayload = Annotated[
    SayReadySuccess | NotSeatedError | SeriesLockedError | TableErrors,
    strawberry.union("SayReadyPayload", description="The result of saying that you are ready."),
]


@strawberry.type
class SeatMutations:
    @strawberry.mutation(description="Sit down at a free seat. Role: player, for themselves.")
    async def take_seat(self, info: Info, given: Annotated[TakeSeatInput, INPUT]) -> TakeSeatPayload:
        table = table_of(given)
        position = await act(info, "takeSeat", given, table, lambda player: TakeSeat(table, given.seat, player))
        return TakeSeatSuccess(position=position, table_id=table)

    @strawberry.mutation(
        description="Let an AI sit down at a free seat, which makes the table one for practice. Roles: scorekeeper, "
        "admin; player: at tables that they opened or sit at."
    )
    async def seat_ai(self, info: Info, given: Annotated[SeatAiInput, INPUT]) -> SeatAiPayload:
        table = table_of(given)

        def hosts() -> list[str]:
            state = info.context.states().table(table)
            opened_by = None if state.opening is None else state.opening.opened_by
            return [player for player in (opened_by, *(seat.player for seat in state.seats)) if player is not None]

        level = given.level.value
        position = await act(info, "seatAi", given, table, lambda _: SeatAI(table, given.seat, level), hosts)
        return SeatAiSuccess(position=position, table_id=table)

    @strawberry.mutation(
        description="Leave the table. Before play begins the seat is free again; later an AI plays on for you at once, "
        "and the result still counts for you. Role: player, for themselves."
    )
    async def leave_seat(self, info: Info, given: Annotated[LeaveSeatInput, INPUT]) -> LeaveSeatPayload:
        table = table_of(given)
        position = await act(info, "leaveSeat", given, table, lambda player: LeaveSeat(table, player))
        return LeaveSeatSuccess(position=position, table_id=table)

    @strawberry.mutation(
        description="Say that you are ready. When all seats are, play begins. Role: player, for themselves."
    )
    async def say_ready(self, info: Info, given: Annotated[SayReadyInput, INPUT]) -> SayReadyPayload:
        table = table_of(given)
        position = await act(info, "sayReady", given, table, lambda player: SayReady(table, player))
        return SayReadySuccess(position=position, table_id=table)
