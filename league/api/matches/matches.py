"""Matches: who sat where, who won, and why."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.explanations.explanations import Explanation, explained
from league.api.graphql.arguments import AfterPosition, MatchId
from league.api.graphql.context import Info
from league.api.graphql.enums import Competition, MatchMode, MatchStatus
from league.api.graphql.ids import global_id, local_id
from league.api.graphql.relay import Connection, Listed, Node, paged
from league.api.graphql.scalars import BigInt, Tile
from league.api.league.seasons import Season, season_of
from league.api.log.log_entries import LogEvent, event_at, events_of
from league.api.log.signed_heads import proof_of_match
from league.api.matches.hands import Hand, ScoreTerm, hands_of, terms_of
from league.api.players.players import Player, Team, players_named, team_named
from league.api.ratings.ratings import RatingChange, changes_of_match
from league.api.rules.editions import Edition, edition_of
from league.domain.competitor import competitor_of
from league.domain.seating import side_of
from league.explanations.matches import explain_match
from league.projections.queries import matches as reads


@strawberry.type(description="What a table announced: evidence, and the result of a match without hands.")
class Announced:
    winner: int = field(description="The side that was said to have won.")
    score: list[int] | None = field(description="The score that was said, by side.")


@strawberry.type(description="A chair at the table.")
class Seat:
    number: int = field(description="From 0 in the order of play.")
    side: int = field(description="The side for which it plays.")
    player_id: str = field(description="The id in the league of who sits there.")

    @field(description="Who sits there.")
    async def player(self, info: Info) -> Player:
        return (await players_named(info, [self.player_id]))[0]


@strawberry.type(description="A side of a match: a pair or a single player.")
class Side:
    number: int = field(description="From 0.")
    won: bool | None = field(description="Null while the match is not decided.")
    score: int | None = field(description="Its final or running score; null in rulesets without one.")
    player_ids: strawberry.Private[tuple[str, ...]]

    @field(description="Who plays for it.")
    async def players(self, info: Info) -> list[Player]:
        return await players_named(info, list(self.player_ids))

    @field(description="The fixed pair that it is; null for one player, and before the pair's first rated match.")
    async def team(self, info: Info) -> Team | None:
        return await team_named(info, competitor_of(self.player_ids)) if len(self.player_ids) > 1 else None


@strawberry.type(description="One match: played until a side meets the end condition of its ruleset.")
class Match(Node):
    match_id: str = field(description="The id in the league, as in the log and in exports.")
    ruleset: str = field(description="The name of its ruleset, such as `cuban-150`.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(description="What it counts for.")
    status: MatchStatus = field(description="How it stands or ended.")
    began_at: datetime = field(description="When it began: this gives its season and its edition of the rules.")
    decided_at: datetime | None = field(description="When it was decided; null while it is open, and when voided.")
    winner: int | None = field(description="The side that has won; null while it is open, and when voided.")
    score: list[int] | None = field(description="By side; null in rulesets without a score, and when voided.")
    last_hand: int | None = field(
        description="The number of the hand that met the end condition; null when none did: still open, stopped early, "
        "forfeited, voided, or recorded without its hands."
    )
    terms: list[ScoreTerm] = field(description="Points that were added to the final score and to no hand.")
    not_judged: list[str] = field(description="Terms of the rating's modifier that needed a fact that is not known.")
    announced: Announced | None = field(description="What the table announced.")
    seats: list[Seat] = field(description="The chairs, in the order of play.")
    row: strawberry.Private[Any]

    @classmethod
    def of(cls, row: Row[Any]) -> "Match":
        """A row of matches."""
        said = row.announced
        return cls(
            id=strawberry.ID(global_id("Match", row.match_id)),
            match_id=row.match_id,
            ruleset=row.ruleset,
            mode=MatchMode(row.mode),
            competition=Competition(row.competition),
            status=MatchStatus(row.status),
            began_at=row.began_at,
            decided_at=row.decided_at,
            winner=row.winner,
            score=row.score,
            last_hand=row.last_hand,
            terms=terms_of(row.terms),
            not_judged=row.not_judged,
            announced=None if said is None else Announced(winner=said["winner"], score=said["score"]),
            seats=[
                Seat(number=number, side=side_of(number, row.mode), player_id=player)
                for number, player in enumerate(row.seats)
            ],
            row=row,
        )

    @field(description="The sides: two pairs, or each player for themselves.")
    def sides(self) -> list[Side]:
        sides: dict[int, list[str]] = {}
        for seat in self.seats:
            sides.setdefault(seat.side, []).append(seat.player_id)
        decided = self.winner is not None
        return [
            Side(
                number=number,
                won=number == self.winner if decided else None,
                score=None if self.score is None else self.score[number],
                player_ids=tuple(players),
            )
            for number, players in sorted(sides.items())
        ]

    @field(description="Its hands with their facts and their scores, in order.")
    async def hands(self, info: Info) -> list[Hand]:
        facts = await info.context.reader.load(reads.facts_by_id, self.match_id)
        scored = await info.context.reader.load(reads.hands_by_match, self.match_id)
        return [] if facts is None else hands_of(self.match_id, facts.state, scored or [])

    @field(description="The tiles of the starting draw by seat; null where nobody wrote them down.")
    async def starting_draw(self, info: Info) -> list[Tile] | None:
        facts = await info.context.reader.load(reads.facts_by_id, self.match_id)
        drawn = None if facts is None or facts.state.played is None else facts.state.played.starting_draw
        return None if drawn is None else [Tile(tile) for tile in drawn]

    @field(
        description="Why it ended so: what each hand gave to each side, and what was corrected; of a voided match the "
        "event that voided it."
    )
    async def explanation(self, info: Info) -> Explanation:
        return await explained(info, explain_match, self.match_id)

    @field(description="What it did to ratings: of players, and of fixed pairs.")
    async def rating_changes(self, info: Info) -> list[RatingChange]:
        return await changes_of_match(info, self.match_id)

    @field(description="The season in which it began.")
    async def season(self, info: Info) -> Season | None:
        return await season_of(info, self.began_at)

    @field(description="The edition of the rules under which it is scored.")
    async def edition(self, info: Info) -> Edition:
        return await edition_of(info, self.row.edition)

    @field(description="The position of the event that decided it or voided it; null while it is open.")
    def position(self) -> BigInt | None:
        return None if self.row.position is None else BigInt(self.row.position)

    @field(description="The event that decided it or voided it; null while it is open.")
    async def event(self, info: Info) -> LogEvent | None:
        return None if self.row.position is None else await event_at(info, self.row.position)

    @field(description="Everything that was ever said about it, in the order of the log.")
    async def log(self, info: Info) -> list[LogEvent]:
        return await events_of(info, f"match:{self.match_id}")

    @field(
        description="A JSON document that proves that all of this stands in the log, under the last signed head: the "
        "file that `league check-proof` reads. Null while no head signs all of it. It says who wrote each event, so it "
        "is null, too, unless the viewer is an auditor, an admin, or a player who sits in the match."
    )
    async def proof(self, info: Info) -> str | None:
        sits_in_it = info.context.viewer.sub in self.row.seats
        reach = info.context.viewer.reach("readProof")
        if reach == "any" or (reach == "own" and sits_in_it):
            return await proof_of_match(info, self.match_id)
        return None


@strawberry.input(description="Which matches are wanted; what is left out does not matter.")
class MatchFilterInput:
    player: strawberry.ID | None = field(default=None, description="In which this player sits.")
    season: strawberry.ID | None = field(default=None, description="That began in this season.")
    status: list[MatchStatus] | None = field(default=None, description="That stand or ended in one of these ways.")
    mode: MatchMode | None = field(default=None, description="Played so.")
    ruleset: str | None = field(default=None, description="Played by the ruleset of this name.")
    competition: Competition | None = field(default=None, description="That count for this.")
    began_from: datetime | None = field(default=None, description="That began then or later.")
    began_before: datetime | None = field(default=None, description="That began before then.")

    def read(self) -> reads.MatchFilter:
        """As the read side knows it."""
        return reads.MatchFilter(
            player=None if self.player is None else local_id("Player", self.player),
            season=None if self.season is None else local_id("Season", self.season),
            status=None if self.status is None else tuple(status.value for status in self.status),
            mode=None if self.mode is None else self.mode.value,
            ruleset=self.ruleset,
            competition=None if self.competition is None else self.competition.value,
            began_from=self.began_from,
            began_before=self.began_before,
        )


async def match_named(info: Info, match: str) -> Match | None:
    """The match of an id in the league."""
    row = await info.context.reader.load(reads.matches_by_id, match)
    return None if row is None else Match.of(row)


@strawberry.type
class MatchQueries:
    @field(description="One match; null when the league does not know it.")
    async def match(self, info: Info, id: MatchId, after_position: AfterPosition = None) -> Match | None:  # noqa: A002  # the argument's name in the schema
        return await match_named(info, local_id("Match", id))

    @paged(Connection[Match], "Matches, those that began last first.")
    def matches(
        self,
        filter_: Annotated[
            MatchFilterInput | None, strawberry.argument(name="filter", description="Only such matches.")
        ] = None,
        after_position: AfterPosition = None,
    ) -> Listed:
        wanted = reads.MatchFilter() if filter_ is None else filter_.read()
        return Listed(lambda run: (reads.matches(run, wanted), reads.NEWEST_FIRST), Match.of)
