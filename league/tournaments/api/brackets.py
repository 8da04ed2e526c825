"""GraphQL types of the bracket of a knock-out."""

from typing import Self

import strawberry
from strawberry import field

from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.relay import PageableInMemory
from league.api.graphql.shaping.shared_fields import competitor_field
from league.tournaments.api.names import display_name_field
from league.tournaments.domain.shown_bracket import ShownTie
from league.tournaments.seen_tournaments import SeenTournament


@strawberry.type(description="A competitor in a tie of a bracket.")
class BracketSide:
    competitor_id: str = field(description="The id in the league: of a player, or of a pair as `a+b`.")
    games_won: int | None = field(description="Games won; null while the tie has no table.")
    plays_on: bool = field(description="Whether they are through to the next round, or have won the last tie.")
    won: bool = field(description="Whether they have won the tie, by its results as they are now.")

    competitor = competitor_field("The player, or the pair.")
    display_name = display_name_field()


@strawberry.type(description="A place for a tie in the bracket of a knock-out.")
class BracketTie(FromRow):
    round: int = field(description="The round of the tournament.")
    ties: int = field(
        description="How many ties that round of the bracket has place for: 1 in the final, 2 in the semi-finals."
    )
    place: int = field(description="From 1, from the top of the bracket.")
    third_place: bool = field(description="Whether it is the tie for the third place.")
    table: int | None = field(description="The number of its table; null if there is none, or not yet.")
    sides: list[BracketSide | None] = field(
        description="Both sides. A side is null while nobody is known for it, and beside a bye."
    )
    corrected: bool = field(
        description="Whether its results changed after the next round was published, so that who has won it is not who "
        "plays on. Who plays on stays as it was announced."
    )
    is_bye: bool = field(description="Whether somebody is there without an opponent, in a published round.")

    @classmethod
    def of(cls, row: ShownTie) -> Self:
        """Make the type from a tie of the domain."""
        return made_of(cls, row, sides=[_side(row, number) for number in (0, 1)])


def _side(tie: ShownTie, number: int) -> BracketSide | None:
    id_ = tie.sides[number]
    if id_ is None:
        return None
    games_won = None if tie.games_won is None else tie.games_won[number]
    return BracketSide(competitor_id=id_, games_won=games_won, plays_on=id_ == tie.winner, won=id_ == tie.won_by)


def bracket_of(seen: SeenTournament) -> PageableInMemory[ShownTie]:
    """The ties of the bracket, in the order of rounds and places. Blocks."""
    return _paged(seen.bracket(), "bracket")


def corrected_ties_of(seen: SeenTournament) -> PageableInMemory[ShownTie]:
    """The corrected ties of the bracket, in that order. Blocks."""
    return _paged([tie for tie in seen.bracket() if tie.corrected] if seen.corrected_ties else [], "correctedTies")


def _paged(ties: list[ShownTie], name: str) -> PageableInMemory[ShownTie]:
    return PageableInMemory(ties, lambda tie: [tie.round, tie.place], name)
