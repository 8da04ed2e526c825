"""Closing the series of a month, and undoing it."""

from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import SeriesMode
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.mutations import USUAL_OF_NEW, Answer, MutationInput, Success, carry_out, mutation
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.threads import in_thread
from league.api.series.series import Mode, SeriesMonth
from league.domain.league import CloseEndedMonths, CloseMonth, MonthClosed, ReopenMonth
from league.projections.queries.series import ModeMonth


@strawberry.input(description="A month to close.")
class CloseMonthInput(MutationInput):
    month: str = field(description="Such as `2026-03`, in the league's time zone.")


@strawberry.type(description="A mutation that closed or reopened months.")
class MonthSuccess(Success):
    months: list[str] = field(description="The months that were closed or reopened, the oldest first.")

    @field_of(
        list[SeriesMonth] | None,
        "Their series afterwards; null with an error when the read side does not follow in time.",
    )
    async def series(self, info: Info, mode: Mode = SeriesMode.ONE_ON_ONE) -> list[ModeMonth]:
        return [await loaders.players.month(info, mode, month) for month in self.months]


@strawberry.input(description="Only the idempotency key: the months follow from the log.")
class CloseEndedMonthsInput(MutationInput):
    pass


@strawberry.input(description="A month to reopen.")
class ReopenMonthInput(MutationInput):
    month: str = field(description="Such as `2026-03`, a month that is closed.")


month_mutation = partial(mutation, of=MonthSuccess, refusals=USUAL_OF_NEW)


@strawberry.type
class MonthMutations:
    @month_mutation(
        "Close a month that is over: its standings are published as they are, and its winners and unbeaten "
        "players earn their badges. A month is over when both the newest event and the database's clock are past its "
        "end. Months that end while the league is served are closed automatically. Role: admin.",
        result="The result of closing a month.",
    )
    async def close_month(self, info: Info, given: CloseMonthInput) -> Answer:
        position = await carry_out(info, given, lambda: CloseMonth(given.month))
        return {"position": position, "months": [given.month]}

    @month_mutation(
        "Close every month that is over and has a competitive match, also one that was reopened: all of them or none. "
        "`closeMonth` says what closing means. Role: admin.",
        result="The result of closing all months that are over.",
    )
    async def close_ended_months(self, info: Info, given: CloseEndedMonthsInput) -> Answer:
        position = await carry_out(info, given, CloseEndedMonths)
        return {"position": position, "months": await in_thread(_closed_at, info, position)}

    @month_mutation(
        "Undo the closing of a month: its published standings and the badges that it gave are withdrawn. "
        "The month is not closed again automatically; `closeMonth` closes it. Role: admin.",
        result="The result of reopening a month.",
    )
    async def reopen_month(self, info: Info, given: ReopenMonthInput) -> Answer:
        position = await carry_out(info, given, lambda: ReopenMonth(given.month))
        return {"position": position, "months": [given.month]}


def _closed_at(info: Info, position: int) -> list[str]:
    """The months that were closed by the viewer's request whose last event is at a position. Blocks."""
    actor = info.context.actor
    began = info.context.league.store.position_before(actor, position)
    events = info.context.states().events("league")
    own = (one.event for one in events if began < one.position <= position and one.actor == actor)
    return [event.month for event in own if isinstance(event, MonthClosed)]
