"""The phrases that players say to each other at a table (Cuban text, Playful Banter)."""

from datetime import datetime
from enum import Enum

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import word
from league.api.graphql.shaping.mutations import Answer, Done, check, mutation
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import NotFoundError
from league.api.graphql.threads import in_writing_thread
from league.domain.refusals import InvalidInput, NotFound
from league.tables.api import seen_tables
from league.tables.api.live_tables import live_tables
from league.tables.api.moments import SeatMoment
from league.tables.api.table_success import AtTableInput, NotSeatedError, TooTalkativeError, table_of
from league.tables.application import talk
from league.tables.application.table_states import table_state
from league.tables.domain.refusals import NotSeated
from league.tables.phrases import PHRASES
from league.wording.language import _


@strawberry.enum(
    description="A phrase of the catalogue. It stays when its texts are improved. New phrases may be added."
)
class PhraseKey(Enum):
    _ignore_ = "key phrase"
    for key, phrase in PHRASES.items():
        vars()[key.replace("-", "_").upper()] = word(key, description=phrase.en)


@strawberry.type(description="A phrase of the catalogue, to say at a table.")
class TablePhrase:
    key: PhraseKey = field(description="What `sayPhrase` takes.")
    es: str = field(description="In Spanish.")
    en: str = field(description="In English.")

    @classmethod
    def of(cls, key: str) -> "TablePhrase":
        """The phrase of a key."""
        phrase = PHRASES[key]
        return cls(key=PhraseKey(key), es=phrase.es, en=phrase.en)


@strawberry.type(
    description="A player said something to the others of the table. It is no event of the log: `position` is that of "
    "the last event before it, and a phrase that is said while you are away is lost."
)
class PhraseSaid(SeatMoment):
    phrase: TablePhrase = field(description="What was said.")


@strawberry.input(description="Something to say.")
class SayPhraseInput(AtTableInput):
    phrase: PhraseKey = field(description="The phrase; `phrases` has the texts.")


@strawberry.type(description="The phrase was sent to the players who are connected. It is not stored.")
class PhraseSuccess(Done):
    phrase: TablePhrase = field(description="The phrase.")


@strawberry.input(description="A player whose phrases you do not want to get at this table.")
class MutePlayerInput(AtTableInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="You do not get what the player says at this table, or get it again.")
class MuteSuccess(Done):
    player_id: str = field(description="The player's id in the league.")


@strawberry.input(description="A player whose phrases you want to get again.")
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
        at = await in_writing_thread(_say, info.context, table_of(given), player, given.phrase.value)
        return {"phrase": TablePhrase.of(given.phrase.value), "at": at}

    @mutation(
        "Do not get any longer what a player says at your table. Others still get it. Role: player, for themselves.",
        of=MuteSuccess,
        refusals=(NotSeatedError, TooTalkativeError, NotFoundError),
        result="The result of muting a player.",
    )
    async def mute_player(self, info: Info, given: MutePlayerInput) -> Answer:
        player, muted = _player(info, given), local_id("Player", given.player)
        muted = await in_writing_thread(_mute, info.context, table_of(given), player, muted)
        return {"at": info.context.clock(), "player_id": muted}

    @mutation(
        "Get again what a player says at your table. Role: player, for themselves.",
        of=MuteSuccess,
        refusals=(NotSeatedError, TooTalkativeError, NotFoundError),
        result="The result of no longer muting a player.",
    )
    async def unmute_player(self, info: Info, given: UnmutePlayerInput) -> Answer:
        player, muted = _player(info, given), local_id("Player", given.player)
        muted = await in_writing_thread(_unmute, info.context, table_of(given), player, muted)
        return {"at": info.context.clock(), "player_id": muted}


def _player(info: Info, given: AtTableInput) -> str:
    """The player who sends a mutation. Raises Forbidden, InvalidInput."""
    viewer = info.context.viewer
    viewer.require(info.field_name, own=True)
    check(given)
    assert viewer.sub is not None, "who may do anything has a name"
    return viewer.sub


class _AtTable:
    """A table at which a player talks. Blocks. Raises NotFound, NotSeated."""

    def __init__(self, context: Context, table: str, player: str) -> None:
        self._states = context.states()
        self._table = table_state(self._states, table)
        self.player = self.seated_as(player)
        """The id with which the player sits there."""
        seat = self._table.seat_of(self.player)
        if seat is None:
            raise NotFound("table", "table", table) if seen_tables.is_hidden(context, table) else NotSeated(table)
        self.seat = seat

    def seated_as(self, player: str) -> str:
        """The id with which a player sits at the table; that one for somebody who does not."""
        return self._states.seated_as(player, [seat.player for seat in self._table.seats])

    def has(self, player: str) -> bool:
        """Whether a player sits at the table by this very id."""
        return self._table.seat_of(player) is not None


def _say(context: Context, table: str, player: str, phrase: str) -> datetime:
    """Blocks. Raises Refusal."""
    at = _AtTable(context, table, player)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        return talk.say(conn, table, at.seat, at.player, phrase)


def _mute(context: Context, table: str, player: str, named: str) -> str:
    """The id with which the muted player sits there. Blocks. Raises Refusal."""
    at = _AtTable(context, table, player)
    muted = at.seated_as(named)
    if muted == at.player:
        raise InvalidInput("player", _("you cannot mute yourself"))
    # Only of those who sit there, so that no rows are made without need.
    if not at.has(muted):
        raise NotFound("player", "player", named)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        talk.mute(conn, table, at.player, muted)
    return muted


def _unmute(context: Context, table: str, player: str, named: str) -> str:
    """The id with which the player sits there, if they do. Blocks. Raises Refusal."""
    at = _AtTable(context, table, player)
    muted = at.seated_as(named)
    live_tables(context).talk.count(at.player)
    with context.source.engine.begin() as conn:
        talk.unmute(conn, table, at.player, muted)
    return muted
