"""Refusals of commands on a match, a hand, a tile, a result's confirmation or dispute, and a merge of players."""

from datetime import datetime
from typing import ClassVar

from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
from league.domain.tiles import Tile


class MatchOver(Refusal, code="MATCH_OVER"):
    """A match that has ended takes no further hands."""

    match: str
    ended_at: datetime | None
    hand: int | None

    @property
    def sentence(self) -> str:
        of = {"match": self.match, "hand": self.hand, "at": self.ended_at}
        if self.hand and self.ended_at:
            return say("match {match!r} ended by hand {hand} at {at}", **of)
        if self.hand:
            return say("match {match!r} ended by hand {hand}", **of)
        return say("match {match!r} ended at {at}", **of) if self.ended_at else say("match {match!r} ended", **of)


class WrongHand(Refusal, code="WRONG_HAND"):
    """A hand that is not the next one: it is recorded already, or an earlier hand is missing."""

    at: ClassVar[str] = "hand"
    says: ClassVar[str] = say("hand {hand} of match {match!r} is not the next one; the next one is hand {next_hand}")
    match: str
    hand: int
    next_hand: int

    @property
    def sentence(self) -> str:
        if 1 <= self.hand < self.next_hand:
            return say(
                "hand {hand} of match {match!r} is recorded already; the next one is hand {next_hand}", **vars(self)
            )
        return super().sentence


class EarlierThanHandBefore(InvalidInput):
    """A hand that ended before the previous one, from a caller who has not said that this is intended."""

    says: ClassVar[str] = say(
        "this time is before hand {hand} ended, at {time}; correct it, or say that it is out of order"
    )
    reason: str = ""
    hand: int = 0
    """The number of the previous hand."""
    time: datetime | None = None
    """The time at which the previous hand ended."""


class SeriesLocked(Refusal, code="SERIES_LOCKED"):
    """Two competitors have played all games of the month that count, or would with their open matches."""

    at: str
    a: str
    b: str
    mode: str
    month: str
    a_wins: int
    b_wins: int
    open_matches: int
    locked: bool
    """Whether all games that count are played. If not, only open matches stand in the way of a further match."""
    free_at: datetime
    """The time from which they can meet competitively again, at the latest."""
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


class TileNotHeld(Refusal, code="TILE_NOT_HELD"):
    """A tile that the seat does not hold."""

    at: ClassVar[str] = "tile"
    seat: int
    tile: Tile

    @property
    def sentence(self) -> str:
        return say("seat {seat} does not hold {tile}", seat=self.seat, tile=list(self.tile))


class TileDoesNotFit(Refusal, code="TILE_DOES_NOT_FIT"):
    """A tile that does not meet the end of the chain that the move names."""

    at: ClassVar[str] = "end"
    tile: Tile
    end: str | None
    shows: int | None
    """The half that this end shows; None before the first tile, and for an end that does not exist."""
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason


# ---------------------------------------------------------------- confirmations and disputes


class DidNotPlay(Refusal, code="DID_NOT_PLAY"):
    """Only a player of a match can confirm or dispute its result."""

    at: ClassVar[str] = "player"
    says: ClassVar[str] = say("{player!r} did not play in match {match!r}")
    match: str
    player: str


class AlreadyConfirmed(Refusal, code="ALREADY_CONFIRMED"):
    """A player can confirm a result only once."""

    says: ClassVar[str] = say("{player!r} has already confirmed the result of match {match!r}")
    match: str
    player: str


class DisputeIsOpen(Refusal, code="DISPUTE_IS_OPEN"):
    """A match has an open dispute: it can have no second one, and taking the result back must settle the first."""

    says: ClassVar[str] = say(
        "dispute {dispute} of match {match!r} is open, by {player!r}: settle it by a correction, a void or a"
        " reopening that names it, or reject it"
    )
    match: str
    dispute: int
    player: str
    """The player who opened it."""


class NoSuchDispute(Refusal, code="NO_SUCH_DISPUTE"):
    """A dispute that does not exist or is closed."""

    match: str
    dispute: int
    open_dispute: int | None
    """The number of the open dispute, if there is one."""
    at: str = "dispute"

    @property
    def sentence(self) -> str:
        if self.open_dispute is None:
            return say("match {match!r} has no open dispute, so none of number {dispute}", **vars(self))
        return say(
            "dispute {dispute} of match {match!r} is not open: the open one is number {open}",
            open=self.open_dispute,
            **vars(self),
        )


class NotYourDispute(Refusal, code="NOT_YOUR_DISPUTE"):
    """A player can withdraw only a dispute that they opened."""

    says: ClassVar[str] = say(
        "{player!r} opened dispute {dispute} of match {match!r}, and only they or an admin can withdraw it"
    )
    match: str
    dispute: int
    player: str
    """The player who opened it."""


# ---------------------------------------------------------------- merges of players


class AlreadyMerged(Refusal, code="ALREADY_MERGED"):
    """An id that was merged into another cannot be merged again. The other id can."""

    says: ClassVar[str] = say("{player!r} was merged into {into!r}: name that id instead")
    at: str
    player: str
    into: str


class MergeCircle(Refusal, code="MERGE_CIRCLE"):
    """A merge in the opposite direction is in force already."""

    at: ClassVar[str] = "drop"
    says: ClassVar[str] = say("{keep!r} was merged into {drop!r}, so {drop!r} cannot be merged into {keep!r}")
    keep: str
    drop: str


class PlayedTogether(Refusal, code="PLAYED_TOGETHER"):
    """Two ids that sit in one match are two people, since no player sits twice in a match."""

    at: ClassVar[str] = "drop"
    match: str
    players: tuple[str, str]
    """The ids that sit there, of the one player and of the other."""

    @property
    def sentence(self) -> str:
        one, other = self.players
        return say(
            "{one!r} and {other!r} both sit in match {match!r}: void it first if they are one person",
            one=one,
            other=other,
            match=self.match,
        )


class NotMerged(Refusal, code="NOT_MERGED"):
    """A merge that is not in force cannot be undone."""

    at: ClassVar[str] = "drop"
    says: ClassVar[str] = say("{drop!r} is merged into {into!r}, not into {keep!r}")
    keep: str
    drop: str
    into: str | None
    """The id that `drop` was merged into, if any."""

    @property
    def sentence(self) -> str:
        if self.into is None:
            return say("{drop!r} is not merged into any player", drop=self.drop)
        return super().sentence
