"""The standing of a tournament in the API: each value down to its matches, and what is still possible."""

from typing import Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.references import CompetitorRef, field_of
from league.projections.queries.players import PlayerRow
from league.tournaments.api.plans import TieBreakName
from league.tournaments.domain.plan import TieBreak
from league.tournaments.domain.standing import Bounds, Outcomes, Part, Place, parts
from league.tournaments.seen import SeenTournament


@strawberry.type(description="What a round, or an opponent of it, adds to a value of a standing.")
class TieBreakPart:
    round: int = field(description="The round.")
    value: int = field(description="What it adds.")
    counts: bool = field(description="Whether it counts: `BUCHHOLZ_CUT` and `BUCHHOLZ_MEDIAN` leave some out.")
    opponent_id: str | None = field(description="The opponent of whom the value is; null where it is the own one.")

    @classmethod
    def of(cls, part: Part) -> Self:
        """A part."""
        return cls(round=part.round, value=part.value, counts=part.counts, opponent_id=part.opponent)


@strawberry.type(description="A value that orders those who have won as often.")
class TieBreakValue:
    name: TieBreakName = field(description="Which value.")
    value: int = field(description="The higher, the better.")
    at: strawberry.Private[tuple[str, Outcomes, tuple[str, ...]]]

    @field(description="What it is made of, round by round; of `BEST_HAND` the best hand of each match.")
    def parts(self) -> list[TieBreakPart]:
        competitor, outcomes, tied = self.at
        return [TieBreakPart.of(part) for part in parts(self.name.value, competitor, outcomes, tied)]


@strawberry.type(description="What a round came to for a competitor.")
class TournamentOutcome:
    round: int = field(description="The round.")
    won: bool = field(description="Whether it counts as won.")
    own: int = field(description="Own points, as they count.")
    other: int = field(description="Points of the other side.")
    opponent_ids: list[str] = field(description="The opponents; none after a bye or a walkover.")
    known: bool = field(description="False where the match counts 0 and 0, since nobody wrote its score down.")


@strawberry.type(description="A competitor's place in the standing of a tournament.")
class TournamentPlace:
    rank: int = field(description="From 1; those who are level in everything share it.")
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    won: int = field(description="Matches won, with byes and walkovers as the plan counts them.")
    lost: int = field(description="Matches lost.")
    byes: int = field(description="Rounds in which they sat out.")
    unknown_scores: int = field(
        description="Matches that count 0 and 0 for the tie-breaks, since nobody wrote their score down."
    )
    tie_breaks: list[TieBreakValue] = field(description="In the order that was asked for.")
    best_rank: int | None = field(
        description="The best final rank that is still possible; null under another order than the plan's."
    )
    worst_rank: int | None = field(
        description="The worst final rank that is still possible; null under another order than the plan's."
    )
    outcomes: list[TournamentOutcome] = field(description="What each round came to.")

    @field_of(CompetitorRef, "The player, or the pair.")
    @keepable
    async def competitor(self, info: Info) -> PlayerRow | str | None:
        return await loaders.players.competitor(info, self.competitor_id)


def standing_of(seen: SeenTournament, tie_breaks: list[TieBreak] | None) -> list[TournamentPlace]:
    """The places of a tournament; under other tie-breaks, if some are given."""
    assert seen.state.plan is not None, "it is planned"
    outcomes, bounds = seen.outcomes(), seen.possible(tie_breaks)
    names = seen.state.plan.tie_breaks if tie_breaks is None else tuple(tie_breaks)
    places = seen.standing(names)
    return [_place(place, places, names, outcomes, bounds.get(place.id)) for place in places]


def _place(
    place: Place, places: list[Place], names: tuple[TieBreak, ...], outcomes: Outcomes, bounds: Bounds | None
) -> TournamentPlace:
    def level(number: int) -> tuple[str, ...]:
        """Those who are level with this one before a tie-break decides."""
        same = (place.won, place.values[:number])
        return tuple(other.id for other in places if (other.won, other.values[:number]) == same)

    own = outcomes[place.id]
    return TournamentPlace(
        rank=place.rank,
        competitor_id=place.id,
        won=place.won,
        lost=sum(not one.won for one in own),
        byes=sum(one.kind == "bye" for one in own),
        unknown_scores=sum(not one.known for one in own),
        tie_breaks=[
            TieBreakValue(name=TieBreakName(name), value=value, at=(place.id, outcomes, level(number)))
            for number, (name, value) in enumerate(zip(names, place.values, strict=True))
        ],
        best_rank=None if bounds is None else bounds.best,
        worst_rank=None if bounds is None else bounds.worst,
        outcomes=[
            TournamentOutcome(
                round=one.round,
                won=one.won,
                own=one.own,
                other=one.other,
                opponent_ids=list(one.opponents),
                known=one.known,
            )
            for one in own
        ],
    )
