"""How the league refuses a match or a hand that cannot be played or recorded now."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say


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
