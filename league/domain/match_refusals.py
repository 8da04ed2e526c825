"""How the league refuses a match, a hand, a tile, what players say of a result, and a merge of players."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
from league.domain.tiles import Tile


@dataclass(eq=True)
class MatchOver(Refusal):
    """A match that has ended takes no further hands."""

    code: ClassVar[str] = "MATCH_OVER"
    match: str
    ended_at: datetime | None
    hand: int | None

    @property
    def sentence(self) -> str:
        if self.hand and self.ended_at:
            of = {"match": self.match, "hand": self.hand, "at": self.ended_at}
            return say("match {match!r} ended by hand {hand} at {at}", **of)
        if self.hand:
            return say("match {match!r} ended by hand {hand}", match=self.match, hand=self.hand)
        if self.ended_at:
            return say("match {match!r} ended at {at}", match=self.match, at=self.ended_at)
        return say("match {match!r} ended", match=self.match)


@dataclass(eq=True)
class WrongHand(Refusal):
    """A hand that is not the next one: someone has recorded it already, or one before it is missing."""

    code: ClassVar[str] = "WRONG_HAND"
    at: ClassVar[str] = "hand"
    match: str
    hand: int
    next_hand: int

    @property
    def sentence(self) -> str:
        of = {"hand": self.hand, "match": self.match, "next_hand": self.next_hand}
        if 1 <= self.hand < self.next_hand:
            return say("hand {hand} of match {match!r} is recorded already; the next one is hand {next_hand}", **of)
        return say("hand {hand} of match {match!r} is not the next one; the next one is hand {next_hand}", **of)


@dataclass(eq=True)
class EarlierThanHandBefore(InvalidInput):
    """A hand that would have ended before the one before it, whose caller has not said that this is meant."""

    reason: str = ""
    hand: int = 0
    """The number of the hand before."""
    time: datetime | None = None
    """When that one ended."""

    @property
    def sentence(self) -> str:
        assert self.time is not None, "the hand before has a time"
        return say(
            "this time is before hand {hand} ended, at {time}; correct it, or say that it is out of order",
            hand=self.hand,
            time=self.time,
        )


@dataclass(eq=True)
class SeriesLocked(Refusal):
    """Two competitors who have played all games of the month that count, or will have if their open matches count."""

    code: ClassVar[str] = "SERIES_LOCKED"
    at: str
    a: str
    b: str
    mode: str
    month: str
    a_wins: int
    b_wins: int
    open_matches: int
    locked: bool
    """Whether all games that count are played; if not, only the open matches prevent another one."""
    free_at: datetime
    """At the latest."""
    casual_counts: bool = False
    """Whether casual matches count too, so that the two cannot meet casually either."""

    @property
    def sentence(self) -> str:
        score = f"{self.a_wins}-{self.b_wins}"
        of = {"a": self.a, "b": self.b, "score": score, "month": self.month, "mode": self.mode}
        standing: Sentence = say("{a!r} and {b!r} stand at {score} in {month} ({mode})", **of)
        if self.open_matches:
            template = "{a!r} and {b!r} stand at {score} and {open} still open in {month} ({mode})"
            standing = say(template, open=self.open_matches, **of)
        at = {"standing": standing, "free_at": self.free_at}
        if self.locked and self.casual_counts:
            return say("{standing}: they can meet competitively again from {free_at}", **at)
        if self.locked:
            return say("{standing}: they can meet competitively again from {free_at}, and casually at once", **at)
        if self.casual_counts:
            return say(
                "{standing}: an open match has to be decided or voided first; they can meet competitively again from "
                "{free_at} at the latest",
                **at,
            )
        return say(
            "{standing}: an open match has to be decided or voided first; they can meet competitively again from "
            "{free_at} at the latest, and casually at once",
            **at,
        )


# ---------------------------------------------------------------- a tile


@dataclass(eq=True)
class TileNotHeld(Refusal):
    """A tile that the seat does not hold."""

    code: ClassVar[str] = "TILE_NOT_HELD"
    at: ClassVar[str] = "tile"
    seat: int
    tile: Tile

    @property
    def sentence(self) -> str:
        return say("seat {seat} does not hold {tile}", seat=self.seat, tile=list(self.tile))


@dataclass(eq=True)
class TileDoesNotFit(Refusal):
    """A tile that does not meet the end of the chain that the move names."""

    code: ClassVar[str] = "TILE_DOES_NOT_FIT"
    at: ClassVar[str] = "end"
    tile: Tile
    end: str | None
    shows: int | None
    """What that end shows; None before the first tile."""
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason


# ---------------------------------------------------------------- confirmations and disputes


@dataclass(eq=True)
class DidNotPlay(Refusal):
    """Only a player of a match confirms or disputes its result."""

    code: ClassVar[str] = "DID_NOT_PLAY"
    at: ClassVar[str] = "player"
    says: ClassVar[str] = say("{player!r} did not play in match {match!r}")
    match: str
    player: str


@dataclass(eq=True)
class AlreadyConfirmed(Refusal):
    """A player confirms a result once."""

    code: ClassVar[str] = "ALREADY_CONFIRMED"
    says: ClassVar[str] = say("{player!r} has already confirmed the result of match {match!r}")
    match: str
    player: str


@dataclass(eq=True)
class DisputeIsOpen(Refusal):
    """A match with an open dispute: it has no second one, and what takes its result back must settle the first."""

    code: ClassVar[str] = "DISPUTE_IS_OPEN"
    says: ClassVar[str] = say(
        "dispute {dispute} of match {match!r} is open, by {player!r}: settle it by a correction, a void or a"
        " reopening that names it, or reject it"
    )
    match: str
    dispute: int
    player: str
    """Who opened it."""


@dataclass(eq=True)
class NoSuchDispute(Refusal):
    """A dispute that is not there, or that is closed."""

    code: ClassVar[str] = "NO_SUCH_DISPUTE"
    match: str
    dispute: int
    open_dispute: int | None
    """The number of the dispute that is open."""
    at: str = "dispute"

    @property
    def sentence(self) -> str:
        if self.open_dispute is None:
            return say(
                "match {match!r} has no open dispute, so none of number {dispute}",
                match=self.match,
                dispute=self.dispute,
            )
        return say(
            "dispute {dispute} of match {match!r} is not open: the open one is number {open}",
            dispute=self.dispute,
            match=self.match,
            open=self.open_dispute,
        )


@dataclass(eq=True)
class NotYourDispute(Refusal):
    """A player withdraws only a dispute of their own."""

    code: ClassVar[str] = "NOT_YOUR_DISPUTE"
    says: ClassVar[str] = say(
        "{player!r} opened dispute {dispute} of match {match!r}, and only they or an admin can withdraw it"
    )
    match: str
    dispute: int
    player: str
    """Who opened it."""


# ---------------------------------------------------------------- merges of players


@dataclass(eq=True)
class AlreadyMerged(Refusal):
    """An id that has been merged into another one takes part in no further merge: the other id does."""

    code: ClassVar[str] = "ALREADY_MERGED"
    says: ClassVar[str] = say("{player!r} was merged into {into!r}: name that id instead")
    at: str
    player: str
    into: str


@dataclass(eq=True)
class MergeCircle(Refusal):
    """The kept id is read as the dropped one already."""

    code: ClassVar[str] = "MERGE_CIRCLE"
    at: ClassVar[str] = "drop"
    says: ClassVar[str] = say("{keep!r} was merged into {drop!r}, so {drop!r} cannot be merged into {keep!r}")
    keep: str
    drop: str


@dataclass(eq=True)
class PlayedTogether(Refusal):
    """No player sits twice in a match: two ids that do are two people."""

    code: ClassVar[str] = "PLAYED_TOGETHER"
    at: ClassVar[str] = "drop"
    match: str
    players: tuple[str, str]
    """The ids with which they sit there."""

    @property
    def sentence(self) -> str:
        one, other = self.players
        return say(
            "{one!r} and {other!r} both sit in match {match!r}: void it first if they are one person",
            one=one,
            other=other,
            match=self.match,
        )


@dataclass(eq=True)
class NotMerged(Refusal):
    """A merge that is not in force cannot be undone."""

    code: ClassVar[str] = "NOT_MERGED"
    at: ClassVar[str] = "drop"
    keep: str
    drop: str
    into: str | None
    """The id that `drop` was merged into, if any."""

    @property
    def sentence(self) -> str:
        if self.into is None:
            return say("{drop!r} is not merged into any player", drop=self.drop)
        return say(
            "{drop!r} is merged into {into!r}, not into {keep!r}", drop=self.drop, into=self.into, keep=self.keep
        )
