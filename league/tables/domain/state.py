"""The state of a live table: its seats, the running hand, the clock that runs. `evolve` makes it of events."""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from msgspec import Struct

from league.domain.dealing import NO_CONTRIBUTION, Deal, Shuffle
from league.domain.play import HandInPlay, Level
from league.domain.result import Played
from league.domain.rules import Ruleset
from league.domain.tiles import Tile
from league.tables.domain.events import PlayBegan, TableOpened, TileDrawn, TilePlayed, TurnPassed

Phase = Literal["open", "shuffling", "offering", "playing", "paused", "closed"]
"""`open`: players sit down. `shuffling`: they contribute to the seed. `offering`: a reshuffle is offered. `paused`: the
table waits for a player."""
TurnEvent = TilePlayed | TileDrawn | TurnPassed


class Absence(NamedTuple):
    """A time for which the table waited for a player."""

    since: datetime
    until: datetime
    left_before: timedelta
    """How long the table could still wait when it began."""


class SeatState(Struct, frozen=True):
    """A seat: free, or taken by a player or by an AI."""

    player: str | None = None
    level: Level | None = None
    """Of the AI that has the seat from the start."""
    ready: bool = False
    handed_over: Literal["away", "timeouts", "left"] | None = None
    """Why an AI plays for the player at this time."""
    timeouts: int = 0
    """Turns in a row in which the player's time ran out."""
    away_since: datetime | None = None
    """Since when the player's connection is lost; during a pause, since when the table waits for the player."""
    away_left: timedelta = timedelta()
    """How long the table can still wait for the player."""
    last_absence: Absence | None = None
    """The last one, until a standstill is noted: what lay in the standstill is given back."""

    @property
    def taken(self) -> bool:
        """Whether a player or an AI has it."""
        return self.player is not None or self.level is not None

    @property
    def played_by(self) -> Literal["player", "ai"]:
        """Who plays it at this time."""
        return "ai" if self.level is not None or self.handed_over is not None else "player"

    @property
    def left(self) -> bool:
        """Whether its player left on purpose."""
        return self.handed_over == "left"

    @property
    def waited_for(self) -> bool:
        """Whether the table waits, or would wait in its next turn, until the player is back."""
        return self.away_since is not None and self.played_by == "player"


class TableState(Struct, frozen=True):
    """A live table after some of its events. A value: `evolve` returns another one."""

    table: str
    """Its id, which is the id of its match too."""
    version: int = 0
    """How many events it has."""
    opening: TableOpened | None = None
    opened_at: datetime | None = None
    phase: Phase = "open"
    seats: tuple[SeatState, ...] = ()
    began: PlayBegan | None = None
    """When and under which rules play began."""
    played: Played | None = None
    """The facts of the finished hands, as a match has them; None before the first deal."""
    hand: int = 0
    """The number of the running hand, from 1."""
    hand_from: datetime | None = None
    """When its shuffle began."""
    commitment: str | None = None
    secret: str | None = None
    """Of the running hand; None where the key that opens it is not there."""
    contributions: tuple[str | None, ...] = ()
    """By seat, in hexadecimal."""
    drawn: tuple[Tile, ...] | None = None
    """By seat, the tiles of the newest starting draw."""
    attempt: int | None = None
    """That of the deal; None before it."""
    starter: int | None = None
    deal: Deal | None = None
    """The deal of the running hand."""
    play: HandInPlay | None = None
    """The running hand; None before the deal, and where the secret cannot be opened. Never change it: copy it."""
    moves: tuple[TurnEvent, ...] = ()
    """The turns of the running hand."""
    offers: tuple[int, ...] = ()
    """The seats that have not answered yet whether the hand is dealt anew."""
    reshuffled: bool = False
    """Whether the running hand was dealt anew."""
    clock_from: datetime | None = None
    """Since when the time for what the table waits for runs."""
    clock_spent: timedelta = timedelta()
    """What of it had run before."""
    stands_until: datetime | None = None
    """Until when no clock runs after the last standstill, so that the players can return."""
    closed: Literal["finished", "voided", "forfeited", "abandoned", "locked"] | None = None

    @property
    def practice(self) -> bool:
        """Whether an AI has a seat of its own, so that the table makes no match."""
        return any(seat.level is not None for seat in self.seats)

    @property
    def deserted(self) -> bool:
        """Whether AIs alone play at a practice table: every player has left, is away or let time run out."""
        began = self.phase not in ("open", "closed")
        return began and self.practice and all(seat.played_by == "ai" for seat in self.seats)

    @property
    def ruleset(self) -> Ruleset:
        """The rules that the table plays by. Play must have begun."""
        assert self.began is not None, "before play begins the rules may still change"
        return self.began.ruleset

    @property
    def hands_ended(self) -> int:
        """How many hands were played to their end."""
        return 0 if self.played is None else len(self.played.hands)

    @property
    def turn(self) -> int:
        """The number of the turn to take in the running hand."""
        return len(self.moves) + 1

    @property
    def unreadable(self) -> bool:
        """Whether the running hand cannot be opened or was dropped by a restore, so that it has to be dealt again."""
        return self.began is not None and self.hand > 0 and self.secret is None and self.phase != "closed"

    @property
    def awaited(self) -> tuple[int, ...]:
        """The seats whose players have not contributed to the seed yet."""
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if self.phase == "shuffling" and seat.played_by == "player" and self.contributions[number] is None
        )

    def seat_of(self, player: str) -> int | None:
        """The seat of a player; None for somebody who does not sit here."""
        return next((number for number, seat in enumerate(self.seats) if seat.player == player), None)

    def shuffle(self, secret: str) -> Shuffle:
        """What decides the deals of the running hand."""
        return Shuffle(self.table, self.hand, bytes.fromhex(secret), contributed(self.contributions))


def contributed(contributions: tuple[str | None, ...]) -> tuple[bytes, ...]:
    """The contributions by seat, with zeros for those that are missing."""
    return tuple(bytes.fromhex(given) if given is not None else NO_CONTRIBUTION for given in contributions)
