"""Closing the series of a month, and undoing it."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.enums import SeriesMode
from league.api.graphql.mutations import INPUT, MutationInput, Success, carry_out
from league.api.graphql.references import field_of
from league.api.graphql.user_errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    WrongStateError,
)
from league.api.series.series import Mode, SeriesMonth
from league.domain.league import CloseMonth, ReopenMonth
from league.projections.queries.series import Month


@strawberry.input(description="A month to close.")
class CloseMonthInput(MutationInput):
    month: str = field(description="Such as `2026-03`, in the league's time zone.")


@strawberry.type(description="The month is closed, and its standings are published.")
class CloseMonthSuccess(Success):
    month: str = field(description="The month.")

    @field_of(
        SeriesMonth | None, "Its series afterwards; null with an error when the read side does not follow in time."
    )
    async def series(self, info: Info, mode: Mode = SeriesMode.ONE_ON_ONE) -> Month:
        return await loaders.series.month(info, mode, self.month)


CloseMonthPayload = Annotated[
    CloseMonthSuccess | InvalidInputError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError,
    strawberry.union("CloseMonthPayload", description="The result of closing a month."),
]


@strawberry.input(description="A month to reopen.")
class ReopenMonthInput(MutationInput):
    month: str = field(description="Such as `2026-03`, a month that is closed.")


@strawberry.type(description="The month is open again, and its published list is withdrawn.")
class ReopenMonthSuccess(Success):
    month: str = field(description="The month.")

    @field_of(
        SeriesMonth | None, "Its series afterwards; null with an error when the read side does not follow in time."
    )
    async def series(self, info: Info, mode: Mode = SeriesMode.ONE_ON_ONE) -> Month:
        return await loaders.series.month(info, mode, self.month)


ReopenMonthPayload = Annotated[
    ReopenMonthSuccess | InvalidInputError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError,
    strawberry.union("ReopenMonthPayload", description="The result of reopening a month."),
]


@strawberry.type
class MonthMutations:
    @strawberry.mutation(
        description="Close a month that is over: its standings are published as they are, and its winners and unbeaten "
        "players earn their badges. A month is over when both the newest event and the database's clock are past its "
        "end. Months that end while the league is served are closed automatically. Role: admin."
    )
    async def close_month(self, info: Info, given: Annotated[CloseMonthInput, INPUT]) -> CloseMonthPayload:
        position = await carry_out(info, "closeMonth", given, lambda: CloseMonth(given.month))
        return CloseMonthSuccess(position=position, month=given.month)

    @strawberry.mutation(
        description="Undo the closing of a month: its published standings and the badges that it gave are withdrawn. "
        "The month is not closed again automatically; `closeMonth` closes it. Role: admin."
    )
    async def reopen_month(self, info: Info, given: Annotated[ReopenMonthInput, INPUT]) -> ReopenMonthPayload:
        position = await carry_out(info, "reopenMonth", given, lambda: ReopenMonth(given.month))
        return ReopenMonthSuccess(position=position, month=given.month)
