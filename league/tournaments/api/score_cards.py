"""GraphQL types of score cards: what each round came to for one competitor, and the standing after it."""

from enum import Enum
from typing import NamedTuple, Self

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.leaf_types import word
from league.api.graphql.shaping.relay import Connection, PageableInMemory, cacheable_paged
from league.tournaments.api.names import display_name_field
from league.tournaments.api.round_tables import TableRow, TournamentTable
from league.tournaments.api.standings import OutcomeRow, PlaceRow, TournamentOutcome, TournamentPlace, shown_standing
from league.tournaments.domain.schedule import ties_of_round
from league.tournaments.domain.score_card import CardRound, score_card
from league.tournaments.domain.standing import StandingPlace
from league.tournaments.seen_tournaments import SeenTournament


@strawberry.enum(description="What a competitor did in a round.")
class RoundKind(Enum):
    MATCH = word("match", "They sat at a table.")
    BYE = word("bye", "They sat out.")
    REQUESTED_BYE = word("requested_bye", "They had asked for a bye.")
    WALKOVER = word("walkover", "One side of their table did not come.")
    DOUBLE_ABSENCE = word("double_absence", "Neither side of their table came.")


class CardRoundRow(NamedTuple):
    """A round of a score card, with the competitor's place after it."""

    seen: SeenTournament
    round: CardRound
    place: StandingPlace


@strawberry.type(description="A round on the score card of a competitor.")
class ScoreCardRound:
    round: int = field(description="The number of the round.")
    ties: int | None = field(
        description="How many ties of the bracket a round of the knock-out has place for: 1 in the final, 2 in the "
        "semi-finals; null outside of knock-outs."
    )
    kind: RoundKind | None = field(description="What they did in it; null if they took no part in it.")
    third_place: bool = field(
        description="Whether it was about the third place of a knock-out: they played for it, or had it by a bye."
    )
    side: int | None = field(description="Their side at the table; null without one.")
    table: TournamentTable | None = field(description="Their table; null if they had none.")
    outcome: TournamentOutcome | None = field(
        description="What it came to; null while the round counts nothing for them."
    )
    won_after: int = field(description="Matches won up to and with this round.")
    rank_after: int | None = field(
        description="Their rank in the standing after this round, on the results as they are now; null: none."
    )

    @classmethod
    def of(cls, row: CardRoundRow) -> Self:
        """Make the type from a round of the domain."""
        seen, on_card, place = row
        table, outcome = on_card.table, on_card.outcome
        return cls(
            round=on_card.of.number,
            ties=ties_of_round(seen.state, on_card.of),
            kind=None if on_card.kind is None else RoundKind(on_card.kind),
            third_place=place.id == on_card.of.third_place_bye if table is None else table.third_place,
            side=on_card.side,
            table=None if table is None else TournamentTable.of(TableRow(seen, on_card.of, table)),
            outcome=None if outcome is None else TournamentOutcome.of(OutcomeRow(outcome)),
            won_after=place.won,
            rank_after=place.rank,
        )


class CardOfCompetitor(Struct, frozen=True):
    """The score card of a competitor, computed."""

    place: PlaceRow
    rounds: list[CardRoundRow]


@strawberry.type(description="The score card of a competitor: their place, and what each round came to for them.")
class ScoreCard:
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    place: TournamentPlace = field(description="Their place in the present standing.")
    card: strawberry.Private[CardOfCompetitor]

    display_name = display_name_field()

    @cacheable_paged(Connection[ScoreCardRound], "The published rounds, in their order.")
    async def rounds(self) -> PageableInMemory[CardRoundRow]:
        return PageableInMemory(self.card.rounds, lambda row: [row.round.of.number], "scoreCard")

    @classmethod
    def of(cls, card: CardOfCompetitor) -> Self:
        """Make the type from a computed card."""
        return cls(competitor_id=card.place.place.id, place=TournamentPlace.of(card.place), card=card)


def score_card_of(seen: SeenTournament, competitor: str) -> CardOfCompetitor | None:
    """The score card of a competitor; None if they have not entered. Blocks."""
    if competitor not in seen.state.entries:
        return None
    shown = shown_standing(seen)
    place = next(one for one in shown.places if one.id == competitor)
    rounds = score_card(seen.state, seen.results, seen.points, shown.outcomes, competitor)
    places = seen.places_after_rounds(competitor)
    rows = [CardRoundRow(seen, one, after) for one, after in zip(rounds, places, strict=True)]
    return CardOfCompetitor(PlaceRow(place, shown), rows)
