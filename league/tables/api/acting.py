"""What all mutations of live tables share, with their errors; and the mutations of talk."""

from collections.abc import Callable, Mapping
from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import Tile
from league.api.graphql.shaping.mutations import Answer, Done, MutationInput, Success, carry_out, check, mutation
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import ErrorTypes, NotFoundError, UserError
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.schema_part import FieldPart
from league.domain.deciders import Command
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.refusals import Forbidden, InvalidInput, NotFound, Refusal
from league.domain.sentences import say
from league.tables.api.live_tables import SeenTable, is_hidden, live_tables, seen_table
from league.tables.api.table_changes import PhraseKey, TablePhrase
from league.tables.api.tables import Table, TableOfMatch
from league.tables.application.live_rows import table_state
from league.tables.application.presence_and_talk import PHRASES, announce, mute, unmute
from league.tables.domain import refusals
from league.tables.domain.refusals import NotSeated


class _TableError(UserError, table_id="table"):
    """The base of errors that name their table."""


@strawberry.type(description="You have no seat at the table: you can watch it, but not act at it.")
class NotSeatedError(_TableError):
    table_id: str = field(description="The id of the table in the league.")


@strawberry.type(description="Another player or an AI has taken the seat.")
class SeatOccupiedError(_TableError):
    table_id: str = field(description="The id of the table in the league.")
    seat: int = field(description="The seat.")


@strawberry.type(description="You have already opened, or sit at, as many tables as a player may have at once.")
class TooManyTablesError(UserError):
    most: int = field(description="The limit on tables of a player that are not over.")


@strawberry.type(description="It is not the turn of your seat.")
class NotYourTurnError(UserError):
    seat: int = field(description="Your seat.")
    to_move: int | None = field(description="The seat whose turn it is; null if no seat is to move now.")


@strawberry.type(
    description="The turn that the move names is over: another move was made in it, by another device of yours, the "
    "clock or an AI. Sending the same move again is no error; it gets the first answer."
)
class TurnTakenError(UserError):
    hand: int = field(description="The number of the hand.")
    turn: int = field(description="The number of the turn.")
    what: str = field(description="What happened in it, in the language of the request.")


@strawberry.type(description="Your seat does not hold the tile.")
class TileNotHeldError(UserError):
    tile: Tile = field(description="The tile.")


@strawberry.type(description="The tile does not fit the end of the chain that the move names.")
class TileDoesNotFitError(UserError):
    tile: Tile = field(description="The tile.")
    shows: int | None = field(description="The number at that end; null before the first tile.")


@strawberry.type(description="The hand has ended and takes no more moves.")
class HandOverError(UserError):
    hand: int = field(description="The number of the hand.")


@strawberry.type(
    description="The table is by invitation, and you are not invited. Viewers who may not even see the table get a "
    "`NotFoundError`."
)
class NotInvitedError(_TableError):
    table_id: str = field(description="The id of the table in the league.")


@strawberry.type(
    description="A live table is playing the match and records its hands itself. Until play is over, the match can "
    "only be forfeited or voided, which closes the table."
)
class TableInPlayError(_TableError):
    table_id: str = field(description="The id of the table in the league, which is also the id of the match.")


@strawberry.type(description="You have spoken, muted or unmuted too often in too short a time.")
class TooTalkativeError(UserError):
    retry_after: int = field(description="Seconds after which you may speak again.")


TABLE_REFUSALS: ErrorTypes = {
    refusals.NotSeated: NotSeatedError,
    refusals.SeatOccupied: SeatOccupiedError,
    refusals.TooManyTables: TooManyTablesError,
    refusals.NotYourTurn: NotYourTurnError,
    refusals.TurnTaken: TurnTakenError,
    TileNotHeld: TileNotHeldError,
    TileDoesNotFit: TileDoesNotFitError,
    refusals.HandIsOver: HandOverError,
    refusals.NotInvited: NotInvitedError,
    refusals.TableInPlay: TableInPlayError,
    refusals.TooTalkative: TooTalkativeError,
}
FIELDS = FieldPart(match=TableOfMatch, match_errors=(TableInPlayError,))


ACTOR: Mapping[str, str | None] = {"player": None}
"""Maps fields of commands to fields of inputs. No input names the acting player, because the token does."""


@strawberry.input(description="The table to act at.")
class AtTableInput(MutationInput):
    table: strawberry.ID = field(description="Global id, or the id in the league.")

    @property
    def local(self) -> str:
        """The id in the league."""
        return local_id("Table", self.table)


@strawberry.type(description="A mutation that changed a live table.")
class TableSuccess(Success):
    table_id: str = field(description="The table's id in the league.")

    @field_of(Table | None, "The table afterwards, as the viewer sees it; null if the viewer may not see it.")
    async def table(self, info: Info) -> SeenTable | None:
        return await seen_table(info.context, self.table_id)


async def act(
    info: Info, given: AtTableInput, make: Callable[[str], Command], owners: Callable[[], list[str]] | None = None
) -> Answer:
    """Execute a command at a live table. `make` builds it for the acting player.

    If the command succeeds, it counts as a sign of life of the player.

    `owners`: the players who may do it; None means any player, for themselves. Raises Refusal. If the viewer may not
    see the table, the refusal is that of a table that does not exist.
    """
    sub, table = info.context.viewer.sub or "", given.local
    try:
        position = await carry_out(
            info,
            given,
            lambda: make(sub),
            owners=owners or (lambda: [sub]),
            owned="table",
            match=table,
            paths=ACTOR,
        )
    except Forbidden:
        raise
    except Refusal:
        if await in_thread(is_hidden, info.context, table):
            raise NotFound("table", "table", table) from None
        raise
    live_tables(info.context).presence.seen(table, sub)
    return {"position": position, "table_id": table}


# ---------------------------------------------------------------- talk


@strawberry.input(description="A phrase to say at a table.")
class SayPhraseInput(AtTableInput):
    phrase: PhraseKey = field(description="The key of the phrase; `phrases` has the texts.")


@strawberry.type(description="The phrase was sent to the players who are connected. It is not stored.")
class PhraseSuccess(Done):
    phrase: TablePhrase = field(description="The phrase.")


@strawberry.input(description="A player whose phrases you do not want to see at this table.")
class MutePlayerInput(AtTableInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="The player is muted for you at this table, or no longer muted.")
class MuteSuccess(Done):
    player_id: str = field(description="The player's id in the league.")


@strawberry.input(description="A player whose phrases you want to see again at this table.")
class UnmutePlayerInput(AtTableInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type
class PhraseQueries:
    @field(description="The phrases that players can say at a table, in both languages.")
    def phrases(self) -> list[TablePhrase]:
        return [TablePhrase.of(key) for key in PHRASES]


@strawberry.type
class PhraseMutations:
    @mutation(
        "Say a phrase to the other players of your table; spectators do not get it. You may speak, mute "
        "and unmute 5 times in 10 seconds, counted by each process of the server. Role: player, for themselves.",
        of=PhraseSuccess,
        refusals=(NotSeatedError, TooTalkativeError, NotFoundError),
        result="The result of saying a phrase.",
    )
    async def say_phrase(self, info: Info, given: SayPhraseInput) -> Answer:
        player = _player(info, given)
        at = await in_writing_thread(_say, info.context, given.local, player, given.phrase.value)
        return {"phrase": TablePhrase.of(given.phrase.value), "at": at}

    @mutation(
        "Mute a player at your table: you no longer get their phrases. Others still do. Role: player, for themselves.",
        of=MuteSuccess,
        refusals=(NotSeatedError, TooTalkativeError, NotFoundError),
        result="The result of muting a player.",
    )
    async def mute_player(self, info: Info, given: MutePlayerInput) -> Answer:
        return await _muting(info, given, _mute)

    @mutation(
        "Stop muting a player at your table, so that you get their phrases again. Role: player, for themselves.",
        of=MuteSuccess,
        refusals=(NotSeatedError, TooTalkativeError, NotFoundError),
        result="The result of no longer muting a player.",
    )
    async def unmute_player(self, info: Info, given: UnmutePlayerInput) -> Answer:
        return await _muting(info, given, _unmute)


async def _muting(
    info: Info, given: MutePlayerInput | UnmutePlayerInput, change: Callable[[Context, str, str, str], str]
) -> Answer:
    player, named = _player(info, given), local_id("Player", given.player)
    muted = await in_writing_thread(change, info.context, given.local, player, named)
    return {"at": info.context.clock(), "player_id": muted}


def _player(info: Info, given: AtTableInput) -> str:
    """The id of the player who sends a mutation. Raises Forbidden, InvalidInput."""
    viewer = info.context.viewer
    viewer.require(info.field_name, own=True)
    check(given)
    assert viewer.sub is not None, "who may do anything has a name"
    return viewer.sub


class _Talker:
    """A seated player who talks at a table. Making one blocks, and raises NotFound or NotSeated."""

    def __init__(self, context: Context, table: str, player: str) -> None:
        self._states = context.states()
        self._table = table_state(self._states, table)
        self.player = self.seated_as(player)
        """The id under which the player sits at the table."""
        seat = self._table.seat_of(self.player)
        if seat is None:
            raise NotFound("table", "table", table) if is_hidden(context, table) else NotSeated(table)
        self.seat = seat

    def seated_as(self, player: str) -> str:
        """The id under which a player sits at the table; `player` itself if they do not sit there."""
        return self._states.seated_as(player, [seat.player for seat in self._table.seats])

    def has(self, player: str) -> bool:
        """Whether a player sits at the table under exactly this id."""
        return self._table.seat_of(player) is not None


def _say(context: Context, table: str, player: str, phrase: str) -> datetime:
    """Announce the phrase, and return its time. Blocks. Raises Refusal."""
    at = _Talker(context, table, player)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        return announce(conn, table, at.seat, at.player, phrase)


def _mute(context: Context, table: str, player: str, named: str) -> str:
    """Mute a player, and return the id under which they sit at the table. Blocks. Raises Refusal."""
    at = _Talker(context, table, player)
    muted = at.seated_as(named)
    if muted == at.player:
        raise InvalidInput("player", say("you cannot mute yourself"))
    # Only seated players can be muted, so that there are no needless rows.
    if not at.has(muted):
        raise NotFound("player", "player", named)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        mute(conn, table, at.player, muted)
    return muted


def _unmute(context: Context, table: str, player: str, named: str) -> str:
    """Stop muting a player, and return the id under which they sit at the table. Blocks. Raises Refusal."""
    at = _Talker(context, table, player)
    muted = at.seated_as(named)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        unmute(conn, table, at.player, muted)
    return muted
