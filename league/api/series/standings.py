"""Standings of a month's series, corrections of the published list, and matches that count zero."""

from enum import Enum

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.loaders.explanations import Explained
from league.api.graphql.shaping.made_of import OfRow
from league.api.graphql.shaping.references import CompetitorRef, ExplanationRef, LogEventRef, MatchRef, field_of
from league.explanations.places import explain_standing
from league.projections.queries.log import LogEntry
from league.projections.queries.matches import MatchRow
from league.projections.queries.players import PlayerRow
from league.projections.queries.series import CorrectionRow, MeetingRow, Month, StandingRow


class StandingNow(Struct, frozen=True):
    """A current standing, or one at an earlier moment of play (then without the month)."""

    row: StandingRow
    month: Month | None


@strawberry.enum(description="Why a match counts zero in the series. New reasons may be added.")
class ZeroReason(Enum):
    BEYOND_LIMIT = word("beyond_limit", description="The two had already played all games that count this month.")
    CASUAL = word("casual", description="It was a casual match.")
    COMPETITIVE = word("competitive", description="It was a competitive match, which its edition does not count.")
    SPECIAL = word("special", description="It was a match of a special tournament, which its edition does not count.")
    VOIDED = word("voided", description="It was voided.")


@strawberry.type(description="A competitor's place in the standings of a month.")
class SeriesStanding:
    rank: int = field(description="From 1, shared by equal totals.")
    wins: int = field(description="Games won that count.")
    losses: int = field(description="Games lost that count.")
    series_points: int = field(
        description="Series points from all opponents together; negative when more were lost than won."
    )
    total: int = field(description="Starting points, series points and game points together.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    @field_of(CompetitorRef, "The player, or the pair.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    month: strawberry.Private[Month | None]
    """Only for current standings."""

    @field_of(
        ExplanationRef | None,
        "Why: what is held of each opponent, by which matches, and which count zero. Null in the published list and of "
        "an earlier moment.",
    )
    async def explanation(self, info: Info) -> Explained | None:
        if self.month is None:
            return None
        return await loaders.explanations.explained(info, explain_standing, self.month, self.competitor_id)

    @classmethod
    def of(cls, standing: StandingNow | StandingRow) -> "SeriesStanding":
        """A current standing, or a row of the published list."""
        month, row = (standing.month, standing.row) if isinstance(standing, StandingNow) else (None, standing)
        return cls(
            rank=row.rank,
            wins=row.wins,
            losses=row.losses,
            series_points=row.series_points,
            total=row.total,
            competitor_id=row.id,
            month=month,
        )


@strawberry.type(description="A competitor whose rank or total differs from the published list.")
class SeriesCorrection:
    published_rank: int | None = field(description="The published rank; null when not in the published list.")
    published_total: int | None = field(description="The published total; null when not in the published list.")
    rank: int | None = field(description="The current rank; null when none of their games counts any more.")
    total: int | None = field(description="The current total; null when none of their games counts any more.")
    competitor_id: str = field(description="The id in the league of the player or the pair.")

    @field_of(CompetitorRef, "The player, or the pair.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)

    @classmethod
    def of(cls, row: CorrectionRow) -> "SeriesCorrection":
        """A row that combines both lists."""
        return cls(
            published_rank=row.rank_then,
            published_total=row.total_then,
            rank=row.rank_now,
            total=row.total_now,
            competitor_id=row.id,
        )


@strawberry.type(description="A match that was decided after its month was closed.")
class LateMatch(OfRow):
    match_id: str = field(description="The match's id in the league.")
    position: strawberry.Private[int]

    @field_of(MatchRef, "The match.")
    @keepable
    async def match(self, info: Info) -> MatchRow | None:
        return await loaders.matches.match(info, self.match_id)

    @field_of(LogEventRef, "The event that decided it.")
    async def event(self, info: Info) -> LogEntry | None:
        return await loaders.log.event(info, self.position)


@strawberry.type(
    description="Two who have met in the series of a month, and what each holds of the other. `a` is the first by id."
)
class SeriesPair:
    a: str = field(description="The id in the league of the one.")
    b: str = field(description="The id in the league of the other.")
    a_wins: int = field(description="Games that `a` won and that count.")
    b_wins: int = field(description="Games that `b` won and that count.")
    a_series_points: int = field(description="Series points that `a` holds of `b`; `b` holds as many less.")
    ignored: int = field(description="Games beyond the limit, which do not count.")
    locked: bool = field(description="Whether all games of the month that count have been played.")

    @classmethod
    def of(cls, row: MeetingRow) -> "SeriesPair":
        """A row of accounts."""
        return cls(**row._asdict())


@strawberry.type(description="A match that counts zero in the series of its month.")
class ZeroMatch(OfRow):
    reason: ZeroReason = field(description="Why.")
    match_id: str = field(description="The match's id in the league.")

    @field_of(MatchRef, "The match.")
    @keepable
    async def match(self, info: Info) -> MatchRow | None:
        return await loaders.matches.match(info, self.match_id)
