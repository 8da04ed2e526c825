"""A competitor's partners and opponents."""

from typing import Any

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.keepable import keepable
from league.api.graphql.references import CompetitorRef, field_of
from league.api.graphql.relay import ListedOf
from league.projections.queries import company, played
from league.projections.queries.company import CompanyRow
from league.projections.queries.players import PlayerRow


@strawberry.type(description="The record with a partner, or against an opponent.")
class CompetitorRecord:
    matches: int = field(description="Matches together, or against each other.")
    wins: int = field(description="Of these, how many the owner of this list won.")
    competitor_id: str = field(description="The partner's or the opponent's id in the league.")

    @field(description="The share of matches won, from 0 to 1.")
    def win_rate(self) -> float:
        return self.wins / self.matches

    @field_of(CompetitorRef, "The partner or the opponent.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    @classmethod
    def of(cls, row: CompanyRow) -> "CompetitorRecord":
        """A row of company."""
        return cls(matches=row.matches, wins=row.wins, competitor_id=row.id)


def company_of(kind: str, find: Any, id_: str, counted: played.Counted) -> ListedOf[CompanyRow]:
    """The partners or the opponents of a player or a pair."""

    def theirs(run: int) -> Any:
        return lambda owner: find(run, owner, counted)

    return ListedOf((kind, counted), CompanyRow, id_, theirs, company.MOST_OFTEN_FIRST)
