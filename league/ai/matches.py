"""Hands and matches played in this process, without a table or a database; every deal follows from one seed."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec.structs import replace

from league.domain.dealing import (
    NO_CONTRIBUTION,
    Shuffle,
    deal,
    drawn_starter,
    leading_tile,
    next_starter,
    starting_draw,
)
from league.domain.play import HandInPlay, Play, Seen, seen_by
from league.domain.result import Played, Result, result_of
from league.domain.rules import Mode, Ruleset
from league.domain.sentences import say
from league.domain.tiles import Tile

Chooser = Callable[[Seen], Play]
"""How a seat is played: the play that is chosen from what the seat sees."""

LATER_HAND = 2
"""The number under which a hand of no match is played: no rule about a first hand applies to it."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def shuffle_of(name: str, seed: int, hand: int, seats: int) -> Shuffle:
    """What decides the deals of a hand."""
    return Shuffle(name, hand, hashlib.sha256(str(seed).encode()).digest(), (NO_CONTRIBUTION,) * seats)


def single_hand(ruleset: Ruleset, seats: int, seed: int, number: int) -> HandInPlay:
    """One of the hands of a seed, as any after the first of a match: a seat drawn by lot leads what it likes."""
    shuffle = shuffle_of(say("single hands"), seed, number, seats)
    dealt = deal(shuffle, 0, ruleset)
    return HandInPlay(ruleset, dealt.dealt, _drawn(shuffle, 1, ruleset)[0], dealt.boneyard)


def play_hand(
    play: HandInPlay, mode: Mode, choosers: list[Chooser], score: tuple[int, ...] | None, number: int
) -> None:
    """Play a hand to its end, a chooser for each seat."""
    while not play.is_over:
        take_turn(play, lambda: choosers[play.to_move](seen_by(play.to_move, play, mode, score, number)))


def take_turn(play: HandInPlay, choose: Callable[[], Play]) -> None:
    """Take one turn: draw or pass where the seat to move has to, and let it choose where it can play."""
    match play.forced:
        case "draw":
            play.draw()
        case "pass":
            play.pass_turn()
        case None:
            play.play(*choose())


class MatchInPlay:
    """A match from its starting draw to its end, hand by hand."""

    def __init__(self, name: str, ruleset: Ruleset, mode: Mode, seats: tuple[str, ...], seed: int) -> None:
        self.name, self.ruleset, self.seed = name, ruleset, seed
        self._attempt = 0
        draw = None
        if ruleset.first_starter == "starting_draw":
            self._starter, draw, self._attempt = _drawn(self._shuffle(1, len(seats)), 0, ruleset)
        self.played = Played(name, mode, "competitive", seats, draw, _EPOCH)
        """The facts so far, hands included."""

    @property
    def number(self) -> int:
        """The number of the hand to play, from 1."""
        return len(self.played.hands) + 1

    @property
    def result(self) -> Result:
        """The result so far; the match is over when it has a winner."""
        return result_of(self.played, self.ruleset)

    def deal(self) -> HandInPlay:
        """The next hand, before its first tile."""
        seats = len(self.played.seats)
        if self.played.hands:
            dealt = deal(self._shuffle(self.number, seats), 0, self.ruleset)
            return HandInPlay(self.ruleset, dealt.dealt, next_starter(self.played, self.ruleset), dealt.boneyard)
        dealt = deal(self._shuffle(1, seats), self._attempt, self.ruleset)
        if self.played.starting_draw is not None:
            return HandInPlay(self.ruleset, dealt.dealt, self._starter, dealt.boneyard)
        starter, lead = leading_tile(dealt.dealt)
        return HandInPlay(self.ruleset, dealt.dealt, starter, dealt.boneyard, lead)

    def record(self, play: HandInPlay) -> Result:
        """Add a hand that has ended; gives the result then."""
        self.played = replace(self.played, hands=(*self.played.hands, play.facts()))
        result = self.result
        if result.last_hand is not None:
            self.played = replace(self.played, ended_at=_EPOCH)
        return self.result

    def _shuffle(self, hand: int, seats: int) -> Shuffle:
        return shuffle_of(self.name, self.seed, hand, seats)


def _drawn(shuffle: Shuffle, attempt: int, ruleset: Ruleset) -> tuple[int, tuple[Tile, ...], int]:
    """The seat that wins the starting draw, what each seat drew, and the attempt after it; on a tie all draw again."""
    while (starter := drawn_starter(draw := starting_draw(shuffle, attempt, ruleset.set))) is None:
        attempt += 1
    return starter, draw, attempt + 1
