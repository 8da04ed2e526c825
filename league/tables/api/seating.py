"""Sitting down at a live table, getting ready, and leaving."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import USUAL, Answer, mutation
from league.api.graphql.shaping.user_errors import SeriesLockedError
from league.tables.api.enums import AiLevel
from league.tables.api.table_errors import NotInvitedError, NotSeatedError, SeatOccupiedError, TooManyTablesError
from league.tables.api.table_success import AtTableInput, TableSuccess, act, table_of
from league.tables.application.table_states import table_state
from league.tables.domain.commands import LeaveSeat, SayReady, SeatAI, TakeSeat


@strawberry.input(description="A seat to sit down at.")
class TakeSeatInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play. In 2v2 seats 0 and 2 play against seats 1 and 3.")


@strawberry.input(description="A seat for an AI.")
class SeatAiInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play.")
    level: AiLevel = field(default=AiLevel.HEURISTIC, description="How well it plays.")


@strawberry.input(description="A table to leave.")
class LeaveSeatInput(AtTableInput):
    pass


@strawberry.input(description="A table at which you are ready to play.")
class SayReadyInput(AtTableInput):
    pass


@strawberry.type
class SeatMutations:
    @mutation(
        "Sit down at a free seat. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(SeatOccupiedError, NotInvitedError, TooManyTablesError, SeriesLockedError, *USUAL),
        result="The result of sitting down.",
    )
    async def take_seat(self, info: Info, given: TakeSeatInput) -> Answer:
        table = table_of(given)
        position = await act(info, given, table, lambda player: TakeSeat(table, given.seat, player))
        return {"position": position, "table_id": table}

    @mutation(
        "Let an AI sit down at a free seat, which makes the table one for practice. Roles: scorekeeper, "
        "admin; player: at tables that they opened or sit at.",
        of=TableSuccess,
        refusals=(SeatOccupiedError, *USUAL),
        result="The result of seating an AI.",
    )
    async def seat_ai(self, info: Info, given: SeatAiInput) -> Answer:
        table = table_of(given)

        def hosts() -> list[str]:
            state = table_state(info.context.states(), table)
            opened_by = None if state.opening is None else state.opening.opened_by
            return [player for player in (opened_by, *(seat.player for seat in state.seats)) if player is not None]

        level = given.level.value
        position = await act(info, given, table, lambda _: SeatAI(table, given.seat, level), hosts)
        return {"position": position, "table_id": table}

    @mutation(
        "Leave the table. Before play begins the seat is free again; later an AI plays on for you at once, "
        "and the result still counts for you. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, *USUAL),
        result="The result of leaving a seat.",
    )
    async def leave_seat(self, info: Info, given: LeaveSeatInput) -> Answer:
        table = table_of(given)
        position = await act(info, given, table, lambda player: LeaveSeat(table, player))
        return {"position": position, "table_id": table}

    @mutation(
        "Say that you are ready. When all seats are, play begins. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, SeriesLockedError, *USUAL),
        result="The result of saying that you are ready.",
    )
    async def say_ready(self, info: Info, given: SayReadyInput) -> Answer:
        table = table_of(given)
        position = await act(info, given, table, lambda player: SayReady(table, player))
        return {"position": position, "table_id": table}
