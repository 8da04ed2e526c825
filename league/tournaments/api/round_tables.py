"""GraphQL types of the tables of a round, and of those who sit out."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.plain_fields import FieldLoad
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import PlayerRef, made_field, maker_of
from league.api.graphql.shaping.relay import (
    PageableInMemory,
    global_id,
)
from league.api.graphql.shaping.shared_fields import competitor_field, match_field
from league.projections.queries.players import players_by_id
from league.tournaments.api.names import display_name_field
from league.tournaments.api.pairing_reasons import Explanation, PairingChoice, choices_in_words, explanation
from league.tournaments.api.plans import (
    GivenWay,
    TableWhyState,
    TournamentTableStatus,
)
from league.tournaments.domain.drawn import PairedTable, Relaxation, sides_of_players
from league.tournaments.domain.outcomes import TableResult, table_result
from league.tournaments.domain.round_tables import claims_of
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState
from league.tournaments.rounds_to_explain import SITTING_OUT, Choices
from league.tournaments.seen_tournaments import SeenTournament


@strawberry.type(description="A criterion that gave way at a table, because no possible round keeps it everywhere.")
class RelaxedCriterion(FromRow, competitor_ids="ids"):
    criterion: GivenWay = field(description="The criterion.")
    competitor_ids: list[str] = field(description="The competitors for whom it gave way.")
    round: int | None = field(description="Round of the earlier meeting or partnership; null for the other criteria.")


_player = maker_of(PlayerRef)


@strawberry.type(description="A side of a table.")
class TournamentSide:
    competitor_ids: list[str] = field(description="Its competitors: a pair that entered, a player, or two partners.")
    player_ids: list[str] = field(description="Its players by seat.")
    score: int | None = field(
        description="Match points of this side, as the standing counts them; null without a result, at a table that "
        "counts for nobody, and in a knock-out."
    )
    match_score: int | None = field(
        description="Match points of this side, as its latest match has them; null without a match and after an "
        "absence, and in rulesets without points."
    )
    games_won: int | None = field(description="Games won in the tie of a knock-out; null outside of knock-outs.")
    won: bool | None = field(description="Whether it has won; null without a result.")
    absent: bool = field(description="Whether it did not come.")
    claimed_absent: bool = field(
        description="Whether the other side says that it did not come (`claimAbsence`). It decides nothing until it is "
        "confirmed; false once it is, and once play begins."
    )

    players = made_field(
        list[PlayerRef],
        "Its players by seat.",
        FieldLoad(players_by_id, lambda side: side.player_ids, lambda _, found: [_player(one) for one in found if one]),
    )


@strawberry.type(description="A game of a tie of a knock-out: one match, or a loss without play.")
class TournamentGame:
    number: int = field(description="From 1.")
    status: TournamentTableStatus = field(description="How far it has come, or how it ended.")
    winner: int | None = field(description="The side that won it; null without a result.")
    match_id: str | None = field(description="The id of its match in the league; null if it was lost without play.")
    scores: list[int] | None = field(description="Match points by side; null without a match or without points.")

    match = match_field("Its match; null if it was lost without play.", null=True)


class TableRow(NamedTuple):
    """A table of a round."""

    seen: SeenTournament
    of: RoundState
    table: TableOfRound


@strawberry.type(description="A table of a round.")
class TournamentTable:
    id: strawberry.ID = field(description="For caches of clients; `node` does not take it.")
    number: int = field(description="From 1.")
    status: TournamentTableStatus = field(description="How far it has come, or how it ended.")
    sides: list[TournamentSide] = field(description="Both sides.")
    match_id: str | None = field(description="The id of its latest match in the league; null while there is none.")
    group: int | None = field(description="The number of the group that plays there; null outside of groups.")
    best_of: int | None = field(description="The most games of a tie of a knock-out; null outside of knock-outs.")
    third_place: bool = field(description="Whether it is the tie for the third place.")
    games: list[TournamentGame] = field(
        description="The games of a tie of a knock-out, up to the one that decides; empty outside of knock-outs."
    )
    corrected: bool = field(
        description="Whether its result changed after the next round of the knock-out was published. Who plays on "
        "follows the published tables."
    )
    relaxed: list[RelaxedCriterion] = field(description="The criteria that gave way.")
    by_hand: bool = field(description="Whether somebody paired it by hand.")
    annulled: bool = field(
        description="Whether it counts for nobody, because a competitor left a round robin with fewer than half of "
        "their meetings played. Its match is rated all the same."
    )
    known: bool = field(description="False if the match counts 0 to 0 because nobody wrote its score down.")
    at: strawberry.Private[tuple[SeenTournament, RoundState]]

    match = match_field("Its match; null while there is none.", null=True)

    @field(
        description="The choices that made this table. Empty unless `whyState` is `EXPLAINED`: a worker computes them "
        "after the round is published, or when you first ask. `tournamentChanged` tells when they are there."
    )
    async def why(self, info: Info) -> list[PairingChoice]:
        _, choices = await self._explanation(info)
        return await choices_in_words(info, choices)

    @field(description="Whether `why` is there, or why it is not.")
    async def why_state(self, info: Info) -> TableWhyState:
        state, _ = await self._explanation(info)
        return state

    async def _explanation(self, info: Info) -> Explanation:
        seen, of = self.at
        if self.by_hand and of.status != "withdrawn":
            return TableWhyState.BY_HAND, ()
        one, other = (side.competitor_ids for side in self.sides)
        return await explanation(info, seen.state, of, self.number, one, other)

    @classmethod
    def of(cls, row: TableRow) -> Self:
        """Make the type from a table of the domain."""
        seen, of, table = row
        result = table_result(table, seen.results, seen.points)
        is_annulled = table.best_of is None and not seen.annulled.isdisjoint(table.competitors)
        players = sides_of_players(table.sides, of.seed)
        return made_of(
            cls,
            table,
            id=strawberry.ID(global_id("TournamentTable", f"{seen.state.id}:{of.number}:{table.number}")),
            status=TournamentTableStatus(result.status),
            sides=[
                _side(table, players, result, claims_of(table, seen.results), side, counts=not is_annulled)
                for side in (0, 1)
            ],
            annulled=is_annulled,
            games=_games(result),
            corrected=table in seen.corrected_ties,
            match_id=table.match,
            known=result.known,
            at=(seen, of),
        )


@strawberry.type(description="A table that a round would have if it were paired now.")
class WouldBeTable(FromRow):
    number: int = field(description="Its number.")
    sides: list[list[str]] = field(description="The ids of the competitors on each side.")
    group: int | None = field(description="The number of the group that plays there; null outside of groups.")
    third_place: bool = field(description="Whether it is the tie for the third place of a knock-out.")


class WouldBeRow(NamedTuple):
    """A table that a round would have."""

    number: int
    sides: Sequence[Sequence[str]]
    group: int | None
    third_place: bool


def would_be(tables: Sequence[PairedTable]) -> PageableInMemory[WouldBeRow]:
    """Tables that a round would have, in the order of their numbers."""
    rows = [
        WouldBeRow(one.number, [list(side) for side in one.sides], one.group, one.third_place)
        for one in sorted(tables, key=lambda table: table.number)
    ]
    return PageableInMemory(rows, lambda row: [row.number], "tables")


class ByeRow(NamedTuple):
    """A competitor who sits out."""

    competitor_id: str
    again: bool
    third_place: bool
    at: tuple[TournamentState, RoundState] | None


def byes_of(
    byes: Sequence[str],
    relaxed: Sequence[Relaxation],
    third_place_bye: str | None = None,
    at: tuple[TournamentState, RoundState] | None = None,
) -> PageableInMemory[ByeRow]:
    """The competitors who sit out, in the order of their ids.

    `relaxed`: what gave way for them; `at`: the round that was drawn so; None for previews and requested byes.
    """
    again = {id_ for one in relaxed for id_ in one.ids}
    rows = [ByeRow(id_, id_ in again, id_ == third_place_bye, at) for id_ in sorted(byes)]
    return PageableInMemory(rows, lambda row: [row.competitor_id], "byes")


@strawberry.type(description="A competitor who sits out.")
class TournamentBye(FromRow):
    competitor_id: str = field(description="The id in the league.")
    again: bool = field(description="Whether they sat out before.")
    third_place: bool = field(
        description="Whether they have the third place of a knock-out, because nobody can play for it against them. "
        "Any other bye in a knock-out leads to its next round."
    )
    at: strawberry.Private[tuple[TournamentState, RoundState] | None]

    competitor = competitor_field("The player, or the pair.")
    display_name = display_name_field()

    @field(
        description="Why they sit out, as `why` of a table. Empty unless `whyState` is `EXPLAINED`, and for who asked "
        "for the bye."
    )
    async def why(self, info: Info) -> list[PairingChoice]:
        _, choices = await self._explanation(info)
        return await choices_in_words(info, choices)

    @field(description="Whether `why` is there, or why it is not; null in a preview, and for who asked for the bye.")
    async def why_state(self, info: Info) -> TableWhyState | None:
        state, _ = await self._explanation(info)
        return state

    async def _explanation(self, info: Info) -> tuple[TableWhyState | None, Choices]:
        if self.at is None:
            return None, ()
        state, choices = await explanation(info, *self.at, SITTING_OUT, (self.competitor_id,))
        own = tuple(choice for choice in choices if choice.one == (self.competitor_id,))
        if state == TableWhyState.EXPLAINED and not own:
            return TableWhyState.BY_HAND, ()  # whoever paired a table by hand made them sit out
        return state, own


def _side(
    table: TableOfRound, players: Any, result: TableResult, claims: tuple[int, ...], side: int, *, counts: bool
) -> TournamentSide:
    return TournamentSide(
        competitor_ids=list(table.sides[side]),
        player_ids=list(players[side]),
        score=None if result.counts is None or not counts else result.counts[side],
        match_score=None if result.score is None else result.score[side],
        games_won=None if result.tie is None else result.tie.won[side],
        won=result.winner == side
        if result.counts is not None or (result.tie is not None and result.tie.is_over)
        else None,
        absent=side in table.absent,
        claimed_absent=side in claims,
    )


def _games(result: TableResult) -> list[TournamentGame]:
    games = () if result.tie is None else result.tie.games
    return [
        TournamentGame(
            number=one.number,
            status=TournamentTableStatus(one.status),
            winner=one.winner,
            match_id=one.match,
            scores=None if one.score is None else list(one.score),
        )
        for one in games
    ]
