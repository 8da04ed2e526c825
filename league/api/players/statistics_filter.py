"""Which matches count in the statistics of players and pairs."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import Competition, MatchMode
from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError, UnknownId
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.known_ids import known_ruleset
from league.domain.refusals import NotFound, Refusal
from league.projections.queries import played
from league.wording.language import spoken


@strawberry.input(description="Which matches count; fields left out match everything.")
class StatisticsFilterInput:
    mode: MatchMode | None = field(default=None, description="Played in this mode.")
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    month: str | None = field(
        default=None, description="That began in this month of the league's time zone, such as `2026-03`."
    )
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="Of this kind of competition.")
    as_of: datetime | None = field(
        default=None,
        description="Decided by this moment of play: the figures as they were then, under the rules of the latest "
        "match by then.",
    )

    def read(self) -> played.StatisticsFilter:
        """The filter of the read side."""
        return played.StatisticsFilter(
            mode=None if self.mode is None else self.mode.value,
            season=None if self.season is None else local_id("Season", self.season),
            month=self.month,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
            decided_until=self.as_of,
        )


FilterArgument = Annotated[
    StatisticsFilterInput | None, strawberry.argument(name="filter", description="Only these matches count; null: all.")
]


async def counted(info: Info, filter_: StatisticsFilterInput | None) -> played.Counted:
    """The matches that pass a filter. Raises RequestError or UnknownId, which name the argument."""
    if filter_ is None:
        return played.Counted()
    if filter_.ruleset is not None:
        await known_ruleset(info, filter_.ruleset, "filter.ruleset")
    wanted = filter_.read()
    try:
        found = await info.context.reader.load(
            lambda snapshot, _: {wanted: played.counted(snapshot, wanted)}, wanted, kind=("counted", wanted)
        )
    except Refusal as refusal:
        kind = UnknownId if isinstance(refusal, NotFound) else RequestError
        message = f"`filter.{refusal.field}`: {refusal.said(spoken)}."
        raise kind(message, argument=f"filter.{refusal.field}") from None
    assert found is not None
    return found
