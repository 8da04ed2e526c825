"""Nights in the API: what is played in a night, who is here, and the next match."""

from datetime import date, datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any, Self

import strawberry
from msgspec.structs import replace
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.plain_fields import FieldLoad
from league.api.graphql.leaf_types import Competition, MatchMode, argument, optional, word
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import (
    MatchFilterArgument,
    MatchOrder,
    MatchOrderArgument,
    check_may_read,
    filter_and_order,
)
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, Success, carry_out, mutation, new_id
from league.api.graphql.shaping.object_fields import MatchRef, PlayerRef, cacheable_field_of, loaded_field, made_field
from league.api.graphql.shaping.relay import (
    Connection,
    PageableInMemory,
    PageableList,
    cacheable_paged,
    local_id,
    paged,
)
from league.api.graphql.shaping.shared_fields import event_field, match_field
from league.api.graphql.shaping.user_errors import (
    AlreadyExistsError,
    ErrorTypes,
    InTheFutureError,
    SeriesLockedError,
    UserError,
)
from league.api.matches.match_mutations import MatchSuccess
from league.api.schema_part import SchemaPart
from league.domain.sentences import say
from league.nights import reads
from league.nights.commands import NotePlayerLeft, NotePlayersCame, OpenMatchTonight, OpenRematch
from league.nights.night import PlayersAtTable, bounds_of, night_of
from league.nights.reads import NightPlayerRow, PresentRow
from league.projections.queries import matches as match_reads
from league.projections.queries.matches import MatchRow, matches_by_id
from league.projections.queries.players import PlayerRow, players_by_id


@strawberry.type(description="A player who is here: they came, or sit in a match of the night, and have not left.")
class PresentPlayer(FromRow):
    player_id: str = field(description="The player's id in the league.")
    since: datetime = field(description="Since when.")
    position: strawberry.Private[int | None]
    match_id: strawberry.Private[str | None]

    player = loaded_field(PlayerRef, "The player.", players_by_id, lambda present: present.player_id)
    match = loaded_field(
        MatchRef | None,
        "The open match of the night in which the player sits; null for somebody who sits at no table.",
        matches_by_id,
        lambda present: present.match_id,
    )
    event = event_field(
        "The event that says that they came; it tells auditors and admins who said so. Null for somebody who only sits "
        "in a match.",
        null=True,
    )


@strawberry.type(description="A player of the matches of a night.")
class NightPlayer(FromRow):
    player_id: str = field(description="The player's id in the league.")
    matches: int = field(description="How many matches of the player were decided.")
    won: int = field(description="How many of them the player won.")
    capicuas: int = field(description="How many capicúas the player had in them.")
    night: strawberry.Private[date]

    player = loaded_field(PlayerRef, "The player.", players_by_id, lambda row: row.player_id)
    rating_change = made_field(
        float | None,
        "How much the matches of the night changed the player's overall rating, unrounded; null if none was rated.",
        FieldLoad(reads.moves_of_nights, lambda row: (row.night,), lambda row, found: found[0].get(row.player_id)),
    )


@strawberry.type(description="The hand of a night in which a side made the most points.")
class BestHandOfNight(FromRow):
    match_id: str = field(description="The id of its match in the league.")
    number: int = field(description="Its number in the match, from 1.")
    points: int = field(description="The points that the side made in it, bonuses included.")
    player_ids: strawberry.Private[tuple[str, ...]]

    match = match_field("Its match.")

    @cacheable_field_of(list[PlayerRef], "The players of the side.")
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, self.player_ids)


@strawberry.type(description="The largest rise of an overall rating by the matches of a night.")
class LargestRise(FromRow):
    points: int = field(description="By how many points of the rating, rounded half up as ratings are shown.")
    player_ids: strawberry.Private[tuple[str, ...]]

    @cacheable_field_of(list[PlayerRef], "The players who rose so far: several if they rose equally, as shown.")
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, self.player_ids)


@strawberry.type(description="The matches that began from noon to noon, by the clock of the league.")
class Night:
    day: date = field(description="The day on which it begins, which is its name.")
    begins: datetime = field(description="When it begins.")
    ends: datetime = field(description="When it ends, exclusive.")

    @cacheable_paged(Connection[MatchRef], "The matches that began in the night, the latest first.")
    async def matches(
        self,
        info: Info,
        filter_: MatchFilterArgument = None,
        order_by: MatchOrderArgument = MatchOrder.BEGAN_LATEST_FIRST,
    ) -> PageableList[MatchRow]:
        wanted, order = await filter_and_order(info, filter_, order_by)
        wanted = replace(
            wanted,
            began_from=max(self.begins, wanted.began_from or self.begins),
            began_before=min(self.ends, wanted.began_before or self.ends),
        )
        return PageableList(MatchRow, lambda run: (match_reads.matches(run, wanted), order))

    @cacheable_paged(
        Connection[NightPlayer],
        "Who has played, without voided matches. Who has won most comes first, then who has played fewer matches.",
    )
    async def players(self, info: Info) -> PageableInMemory[NightPlayerRow]:
        rows = await info.context.reader.read(reads.players_of_night, self.day)
        return PageableInMemory(rows, reads.order_of_night, "nightPlayers")

    @strawberry.field(description="How many capicúas there were in its decided matches.")
    @cacheable
    async def capicuas(self, info: Info) -> int:
        return sum((await info.context.reader.read(reads.capicuas_of_night, self.day)).values())

    @strawberry.field(
        description="The hand with the most points of a side in its decided matches; of equal ones the first that was "
        "decided. Forfeited matches and hands won for an unknown number of points are left out. Null if there is none."
    )
    @cacheable
    async def best_hand(self, info: Info) -> BestHandOfNight | None:
        found = await info.context.reader.read(reads.best_hand, self.day)
        return None if found is None else BestHandOfNight.of(found)

    @strawberry.field(
        description="Who has gained most by its matches in the overall rating. Null if nobody has gained a point."
    )
    @cacheable
    async def largest_rise(self, info: Info) -> LargestRise | None:
        moved = await info.context.reader.load(reads.moves_of_nights, self.day)
        found = reads.largest_rise(moved or {})
        return None if found is None else LargestRise.of(found)

    @paged(
        Connection[PresentPlayer],
        "Who is here, in the order in which they came. Roles: those who sign in; others get an error.",
    )
    async def here(self, info: Info) -> PageableInMemory[PresentRow]:
        check_may_read(info.context.viewer, "readWhoIsHere")
        rows = await info.context.reader.read(reads.who_is_here, self.day)
        return PageableInMemory(rows, lambda row: [row.since.isoformat(), row.player_id], "here")

    @strawberry.field(description="The last night before it in which a match began; null if there is none.")
    @cacheable
    async def previous(self, info: Info) -> "Night | None":
        before = await info.context.reader.read(reads.night_before, self.day)
        return None if before is None else await self.on(info, before)

    @classmethod
    async def on(cls, info: Info, night: date) -> Self:
        """The night of this name. Raises RequestError at the edges of the calendar."""
        zone = await info.context.reader.read(reads.zone_in)
        try:
            begins, ends = bounds_of(night, zone)
        except OverflowError:
            message = say("{day} lies beyond the calendar.", day=night.isoformat())
            raise RequestError(message, argument="day") from None
        return cls(day=night, begins=begins, ends=ends)

    @classmethod
    async def now(cls, info: Info) -> Self:
        """The night that it is now."""
        zone = await info.context.reader.read(reads.zone_in)
        return await cls.on(info, night_of(info.context.beyond_the_state().clock(), zone))


@strawberry.type
class NightQueries:
    @field(description="The night of a day, also if nothing was played; without a day the night that it is now.")
    @cacheable
    async def night(
        self,
        info: Info,
        day: Annotated[date | None, argument("The day on which it begins; null: the night that it is now.")] = None,
    ) -> Night:
        return await (Night.now(info) if day is None else Night.on(info, day))


@strawberry.type(description="A mutation that said who is here.")
class NightSuccess(Success):
    @field(description="The night that it is now.")
    async def night(self, info: Info) -> Night:
        return await Night.now(info)


@strawberry.type(
    description="Some of the players sit in another match of tonight that is open: end it, or send `evenIfSeated`."
)
class PlayersAtTableError(UserError, match_id="match", player_ids="players"):
    match_id: str = field(description="The id of that match in the league.")
    player_ids: list[str] = field(description="The ids of these players in the league.")

    match = match_field("That match; null with an error when the read side does not follow in time.", null=True)


REFUSALS: ErrorTypes = {PlayersAtTable: PlayersAtTableError}


@strawberry.input(description="Players who are here tonight.")
class PlayersCameInput(MutationInput):
    players: list[strawberry.ID] = field(description="Global ids, or ids in the league; at most 200.")


@strawberry.input(description="A player who has gone home.")
class PlayerLeftInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


EVEN_IF_SEATED = "Whether players may sit at another table of tonight, too."


@strawberry.input(description="A match of tonight.")
class OpenMatchTonightInput(MutationInput):
    ruleset: str = field(description="The name of a ruleset of the edition in force, such as `cuban-150`.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(default=Competition.COMPETITIVE, description="What it counts for.")
    seats: list[strawberry.ID] = field(
        description="The players in the order of play: global ids, or ids in the league. In matches of two pairs seats "
        "0 and 2 play against seats 1 and 3."
    )
    even_if_seated: bool = field(default=False, description=EVEN_IF_SEATED)


@strawberry.enum(description="Who sits where in a rematch.")
class RematchSeats(Enum):
    SAME = word("same", "As before.")
    TURNED = word(
        "turned",
        "In matches of two pairs with other partners: in three matches each has each other one as partner once. "
        "Otherwise the order of play is turned by one.",
    )


@strawberry.input(description="Another match of the players of a match, by the same rules.")
class OpenRematchInput(MutationInput):
    match: strawberry.ID = field(description="The match that is over: global id, or the id in the league.")
    seats: RematchSeats = field(default=RematchSeats.SAME, description="Who sits where.")
    competition: Competition | None = optional(
        "What it counts for; null: the same, and after a match of a special tournament `COMPETITIVE`."
    )
    even_if_seated: bool = field(default=False, description=EVEN_IF_SEATED)


async def _opened(info: Info, given: MutationInput, command: OpenMatchTonight | OpenRematch, **how: Any) -> Answer:
    """Open a match; `how` goes to `carry_out`. After PlayersAtTable the read side has the match that they play."""
    try:
        return {"position": await carry_out(info, given, lambda: command, **how), "match_id": command.match}
    except PlayersAtTable as refusal:
        await info.context.read_after(refusal.position)
        raise


OPENING = (AlreadyExistsError, SeriesLockedError, PlayersAtTableError, InTheFutureError, *USUAL)


@strawberry.type
class NightMutations:
    @mutation(
        "Say that players are here tonight. Who is here already stays so, which is no error. "
        "Roles: scorekeeper, admin; player: for themselves.",
        of=NightSuccess,
        refusals=USUAL,
        result="The result of saying that players are here.",
    )
    async def players_came(self, info: Info, given: PlayersCameInput) -> Answer:
        players = tuple(local_id("Player", player) for player in given.players)
        own = list(players) if len(set(players)) == 1 else []
        command = NotePlayersCame(players)
        return {"position": await carry_out(info, given, lambda: command, owners=lambda: own, owned="players")}

    @mutation(
        "Say that a player has gone home. Who sits down again is here again. "
        "Roles: scorekeeper, admin; player: for themselves.",
        of=NightSuccess,
        refusals=USUAL,
        result="The result of saying that a player has gone home.",
    )
    async def player_left(self, info: Info, given: PlayerLeftInput) -> Answer:
        player = local_id("Player", given.player)
        command = NotePlayerLeft(player)
        return {"position": await carry_out(info, given, lambda: command, owners=lambda: [player], owned="player")}

    @mutation(
        "Open a match that begins now, unless one of its players sits in another match of tonight that is open. Its "
        "players are here. Roles: scorekeeper, admin; player: matches they sit in.",
        of=MatchSuccess,
        refusals=OPENING,
        result="The result of opening a match tonight.",
    )
    async def open_match_tonight(self, info: Info, given: OpenMatchTonightInput) -> Answer:
        match, seats = new_id(info, given), tuple(local_id("Player", player) for player in given.seats)
        command = OpenMatchTonight(
            match, given.ruleset, given.mode.value, given.competition.value, seats, given.even_if_seated
        )
        own = list(seats)
        return await _opened(info, given, command, owners=lambda: own, owned="seats")

    @mutation(
        "Open another match of the players of a match that is over, by the same rules. It begins now. A voided match "
        "may be played again. Roles: scorekeeper, admin; player: of matches they sit in.",
        of=MatchSuccess,
        refusals=OPENING,
        result="The result of opening a rematch.",
    )
    async def open_rematch(self, info: Info, given: OpenRematchInput) -> Answer:
        match, of = new_id(info, given), local_id("Match", given.match)
        competition = None if given.competition is None else given.competition.value
        command = OpenRematch(match, of, given.seats is RematchSeats.TURNED, competition, given.even_if_seated)
        paths = {"of": "match", "seats.*": "match", "seats": "match", "ruleset": "match", "mode": "match"}
        seated = partial(info.context.seated, of)
        return await _opened(info, given, command, owners=seated, owned="match", paths=paths)


SCHEMA = SchemaPart(
    queries=(NightQueries,),
    mutations=(NightMutations,),
    refusals=REFUSALS,
)
