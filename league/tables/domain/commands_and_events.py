"""The commands on a live table, and the events in its stream `table:<id>`.

A player's commands name the player; the table knows the player's seat. No fold of the league reads these events.
"""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from league.domain.play import End, Level
from league.domain.rules import Competition, LiveTableRules, Mode, Ruleset
from league.domain.tiles import Tile

# ---------------------------------------------------------------- commands


class OpenTable(Struct, frozen=True):
    """Open a table. `seats`: the number of seats for individuals; None means the number of the mode."""

    table: str
    ruleset: str
    mode: Mode
    competition: Competition
    seats: int | None = None
    opened_by: str | None = None
    listed: bool = True
    invited: tuple[str, ...] = ()


class OpenTableOfMatch(Struct, frozen=True):
    """Open a table for an open match, with the players of the match at their seats. `table` is the id of the match."""

    table: str
    opened_by: str | None = None


class TakeSeat(Struct, frozen=True):
    """A player sits down at a free seat."""

    table: str
    seat: int
    player: str


class SeatAI(Struct, frozen=True):
    """An AI sits down at a free seat. This makes the table a practice table, which makes no match."""

    table: str
    seat: int
    level: Level


class LeaveSeat(Struct, frozen=True):
    """The player leaves the table. Once play has begun, an AI plays on for the player."""

    table: str
    player: str


class SayReady(Struct, frozen=True):
    """The player is ready to play."""

    table: str
    player: str


class ContributeSeed(Struct, frozen=True):
    """Add 32 bytes, in hexadecimal, to the seed of a hand."""

    table: str
    player: str
    hand: int
    contribution: str


class AnswerReshuffle(Struct, frozen=True):
    """Accept or decline to have the hand dealt anew."""

    table: str
    player: str
    hand: int
    accept: bool


class PlayTile(Struct, frozen=True):
    """Play a tile on an end, in a turn of a hand. The halves of `tile` may be in either order."""

    table: str
    player: str
    hand: int
    turn: int
    tile: Tile
    end: End | None


class PlayAsAI(Struct, frozen=True):
    """Play a tile for a seat that an AI plays."""

    table: str
    seat: int
    hand: int
    turn: int
    tile: Tile
    end: End | None


class MeetDeadline(Struct, frozen=True):
    """Do what is due, because the database's clock has reached the table's deadline.

    `due_at`: the deadline, so that a repeated command is recognized. `play`: the play that the heuristic AI chose for
    the seat to move, if the clock has to play a tile.
    """

    table: str
    due_at: datetime
    play: tuple[Tile, End | None] | None = None


class NoteAway(Struct, frozen=True):
    """No process has heard from the player for as long as the rules allow."""

    table: str
    player: str


class NoteBack(Struct, frozen=True):
    """The player is connected again."""

    table: str
    player: str


class NoteStandstill(Struct, frozen=True):
    """No server was alive in this span of time."""

    table: str
    since: datetime
    until: datetime


class CloseTable(Struct, frozen=True):
    """Close a table at which no match has begun."""

    table: str


TableCommand = (
    OpenTable | OpenTableOfMatch | TakeSeat | SeatAI | LeaveSeat | SayReady | ContributeSeed | AnswerReshuffle
    | PlayTile | PlayAsAI | MeetDeadline | NoteAway | NoteBack | NoteStandstill | CloseTable
)  # fmt: skip


# ---------------------------------------------------------------- events


class TableOpened(Struct, frozen=True):
    """A table was opened: players may sit down."""

    ruleset: str
    mode: Mode
    competition: Competition
    seats: int
    opened_by: str | None
    """The player who opened it, if one did."""
    listed: bool
    """Whether everybody can find the table and sit down. Otherwise only invited players can."""
    invited: tuple[str, ...] = ()
    gathering_seconds: int = LiveTableRules().gathering_seconds
    """Seconds that the table waits for play to begin, by the rules in force when it was opened."""
    players: tuple[str, ...] = ()
    """The players of an existing match, by seat; only they may sit. Empty if the table opens its match itself."""


class SeatTaken(Struct, frozen=True):
    """A player sat down, or an AI of some level before play began."""

    seat: int
    player: str | None
    level: Level | None = None


class SeatLeft(Struct, frozen=True):
    """The player stood up before play began, so that the seat is free again."""

    seat: int


class SeatReady(Struct, frozen=True):
    """The player is ready. When all seats are, play begins."""

    seat: int


class PlayBegan(Struct, frozen=True):
    """All seats are ready. The table keeps these rules to its end, even if another edition is adopted meanwhile."""

    at: datetime
    """When its match began. This decides the month, the season and the edition of the match."""
    edition: int
    """The edition in force at that time."""
    ruleset: Ruleset
    """The rules of that edition that the table plays by."""


class ShuffleCommitted(Struct, frozen=True):
    """The server has chosen the secret of a hand, and published its hash. The players may contribute now."""

    hand: int
    commitment: str
    """SHA-256 of the secret, in hexadecimal."""
    secret: str | None
    """In hexadecimal. It is sealed in the log; None if its key is missing."""


class SeedContributed(Struct, frozen=True):
    """A seat added 32 bytes to the seed of a hand."""

    hand: int
    seat: int
    contribution: str
    """In hexadecimal."""


class StartingDrawn(Struct, frozen=True):
    """Each seat drew a tile to decide who starts; the tiles go back. After a tie there is another draw."""

    attempt: int
    tiles: tuple[Tile, ...]
    """The tile of each seat, by seat."""


class HandDealt(Struct, frozen=True):
    """The tiles are dealt. The secret, the contributions and the attempt decide which tiles each seat gets."""

    hand: int
    attempt: int
    starter: int


class ReshuffleOffered(Struct, frozen=True):
    """A seat was dealt so many doubles that it may have all hands dealt anew."""

    hand: int
    seat: int


class ReshuffleAccepted(Struct, frozen=True):
    """All hands are dealt anew."""

    hand: int
    seat: int


class ReshuffleDeclined(Struct, frozen=True):
    """A seat keeps its tiles."""

    hand: int
    seat: int
    by: Literal["player", "clock", "ai"]


class TilePlayed(Struct, frozen=True, gc=False):
    """A seat played a tile."""

    hand: int
    turn: int
    """From 1. Plays, draws and passes of the hand are counted together."""
    seat: int
    tile: Tile
    """The tile as it lies, the left half first."""
    end: End | None
    """The end of the chain on which it was played; None for the first tile of a hand."""
    by: Literal["player", "clock", "ai"]
    """`clock`: the player's time ran out. `ai`: an AI plays the seat."""


class TileDrawn(Struct, frozen=True, gc=False):
    """A seat that cannot play drew the next tile of the boneyard. The deal decides which tile that is."""

    hand: int
    turn: int
    seat: int


class TurnPassed(Struct, frozen=True, gc=False):
    """A seat passed: it can neither play nor draw, or its time ran out."""

    hand: int
    turn: int
    seat: int
    reason: Literal["no_play", "timeout"]


class HandEnded(Struct, frozen=True):
    """A hand is over, and its secret is published, so that everybody can check the deal."""

    hand: int
    secret: str
    """In hexadecimal."""


class HandDropped(Struct, frozen=True):
    """A hand whose secret cannot be opened, because its key is missing. It does not count and is dealt again."""

    hand: int


class SeatAway(Struct, frozen=True):
    """The player's connection is lost. The table pauses."""

    seat: int


class SeatBack(Struct, frozen=True):
    """The player is back and plays the seat."""

    seat: int


class SeatHandedOver(Struct, frozen=True):
    """An AI plays the seat until its player acts or comes back; the result counts for the player."""

    seat: int
    reason: Literal["away", "timeouts", "left"]


class ClockStood(Struct, frozen=True):
    """No server was alive in this span of time, so no clock of the table ran."""

    since: datetime
    until: datetime


class TableClosed(Struct, frozen=True):
    """Play at the table is over."""

    reason: Literal["finished", "voided", "forfeited", "abandoned", "locked"]
    """`finished`: the match met its end condition. `abandoned`: play never began, or only AIs were left at a practice
    table. `locked`: the match could not begin, because the pair had just opened its last match of the month
    elsewhere."""


TableEvent = (
    TableOpened | SeatTaken | SeatLeft | SeatReady | PlayBegan
    | ShuffleCommitted | SeedContributed | StartingDrawn | HandDealt
    | ReshuffleOffered | ReshuffleAccepted | ReshuffleDeclined
    | TilePlayed | TileDrawn | TurnPassed | HandEnded | HandDropped
    | SeatAway | SeatBack | SeatHandedOver | ClockStood | TableClosed
)  # fmt: skip
