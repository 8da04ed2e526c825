"""A competitor's partners and opponents."""

from typing import Any

import strawberry
from msgspec import Struct
from msgspec.structs import replace
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.references import CompetitorRef, TeamRef, field_of
from league.api.graphql.shaping.relay import ListedOf
from league.domain.competitor import competitor_of
from league.projections.queries import company, played
from league.projections.queries.company import CompanyRow
from league.projections.queries.players import PlayerRow


class Met(Struct, frozen=True):
    """Somebody whom a competitor has met; of a partner the id of their pair."""

    row: CompanyRow
    pair: str | None = None


@strawberry.type(description="The record with a partner, or against an opponent.")
class CompetitorRecord:
    matches: int = field(description="Matches together, or against each other.")
    wins: int = field(description="Of these, how many the owner of this list won.")
    competitor_id: str = field(description="The partner's or the opponent's id in the league.")
    pair: strawberry.Private[str | None]

    @field(description="The share of matches won, from 0 to 1.")
    def win_rate(self) -> float:
        return self.wins / self.matches

    @field_of(CompetitorRef, "The partner or the opponent.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    @field_of(
        TeamRef | None, "Of a partner the fixed pair of the two; null of an opponent, and before its first rated match."
    )
    @keepable
    async def team(self, info: Info) -> str | None:
        return None if self.pair is None else await loaders.players.rated_team(info, self.pair)

    @classmethod
    def of(cls, met: Met) -> "CompetitorRecord":
        """A row of company."""
        row = met.row
        return cls(matches=row.matches, wins=row.wins, competitor_id=row.id, pair=met.pair)


def partners_of(id_: str, counted: played.Counted) -> ListedOf[CompanyRow]:
    """The partners of a player."""
    listed = company_of("partners", company.partners_of, id_, counted)
    return replace(listed, data=lambda row: Met(row, competitor_of((id_, row.id))))


def company_of(kind: str, find: Any, id_: str, counted: played.Counted) -> ListedOf[CompanyRow]:
    """Whom a player or a pair has met; `find` finds them."""

    def theirs(run: int) -> Any:
        return lambda owner: find(run, owner, counted)

    return ListedOf((kind, counted), CompanyRow, id_, theirs, company.MOST_OFTEN_FIRST, Met)
