"""The commands on a live table. Those of a player name the player; which seat that is follows from the table."""

from datetime import datetime

from msgspec import Struct

from league.domain.play import End, Level
from league.domain.rules import Competition, Mode
from league.domain.tiles import Tile


class OpenTable(Struct, frozen=True):
    """Open a table. `seats`: how many, for individuals; None: as the mode says."""

    table: str
    ruleset: str
    mode: Mode
    competition: Competition
    seats: int | None = None
    opened_by: str | None = None
    listed: bool = True
    invited: tuple[str, ...] = ()


class OpenTableOfMatch(Struct, frozen=True):
    """Open a table that plays an open match, with its players at their seats. The table has the id of the match."""

    table: str
    opened_by: str | None = None


class TakeSeat(Struct, frozen=True):
    """A player sits down at a free seat."""

    table: str
    seat: int
    player: str


class SeatAI(Struct, frozen=True):
    """An AI sits down at a free seat, so that the table is practice and makes no match."""

    table: str
    seat: int
    level: Level


class LeaveSeat(Struct, frozen=True):
    """The player stands up; once the match has begun an AI plays on for the player."""

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
    """Play a tile on an end, in a turn of a hand. `tile` may name its halves in either order."""

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
    """The database's clock has reached the table's deadline. `due_at`: that deadline, so that a second one is stale.

    `play`: what the heuristic AI chose for the seat to move, where the clock has to play a tile.
    """

    table: str
    due_at: datetime
    play: tuple[Tile, End | None] | None = None


class NoteAway(Struct, frozen=True):
    """No process has heard of the player for as long as the rules allow."""

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
