"""The decisions of a played hand, and the deals that fit what a seat saw when it made a decision.

`league.ai.deals` samples deals only roughly in proportion to their odds, which is enough to play. A review needs values
that can be checked, so this module samples exactly. Before it places a tile, it sums the odds of all deals that each
place leaves.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec import Struct

from league.ai.deals import DealSampler, Odds, SampledDeal, TilePlace, plausibility_of
from league.ai.knowledge import Knowledge
from league.domain.dealing import leading_tile
from league.domain.play import HandInPlay, Maker, Play, SeenHand, Turn, seen_by
from league.domain.rules import Mode, Ruleset
from league.domain.transcript import Transcript, dealt_hand, played_through, take_turn


class TranscribedHand(Struct, frozen=True):
    """A hand with its turns, and its number and score in its match."""

    transcript: Transcript
    ruleset: Ruleset
    mode: Mode
    number: int = 1
    """Number of the hand in its match, from 1."""
    score: tuple[int, ...] | None = None
    """The score before this hand, by side; None in rulesets without points."""
    made_by: tuple[Maker | None, ...] = ()
    """Who chose each turn, at a live table; empty if that is not known."""


class PlayDecision(Struct, frozen=True):
    """A turn in which a seat played a tile."""

    turn: int
    """Its number among all turns of the hand, from 0."""
    seen: SeenHand
    """What the seat saw before its play, and all plays that it could make."""
    play: Play
    """The play that it made."""
    before: HandInPlay
    """The hand with all tiles known, before the play."""
    made_by: Maker | None = None
    """Who chose the play: the player, an AI or the clock; None if not known."""

    @property
    def seat(self) -> int:
        """The seat that played."""
        assert self.seen.seat is not None, "a spectator plays nothing"
        return self.seen.seat


def decisions(hand: TranscribedHand) -> Iterator[PlayDecision]:
    """The decisions in order, including forced plays. Raises InvalidInput if the turns break a rule."""
    played_through(hand.transcript, hand.ruleset, len(hand.transcript.dealt))  # refuses turns that break a rule
    play = dealt_hand(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    play.must_lead = must_lead(hand)
    for number, turn in enumerate(hand.transcript.plays):
        if turn.tile is not None and turn.where != "draw":
            seen = seen_by(play.to_move, play, hand.mode, hand.score, hand.number)
            made_by = hand.made_by[number] if hand.made_by else None
            yield PlayDecision(number, seen, _played(turn), play.copy(), made_by)
        take_turn(turn, play, f"plays.{number}")


def must_lead(hand: TranscribedHand) -> tuple[int, int] | None:
    """The tile that must lead a first hand (Caribbean text). None if the starter chooses, or led another tile."""
    if hand.number > 1 or hand.ruleset.first_starter != "highest_double":
        return None
    starter, tile = leading_tile(hand.transcript.dealt)
    first = hand.transcript.plays[0]
    return tile if (first.seat, _ordered(first.tile)) == (starter, _ordered(tile)) else None


def _ordered(tile: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if tile is None else (min(tile), max(tile))


def _played(turn: Turn) -> Play:
    assert turn.tile is not None, "a tile was played"
    assert turn.where in {None, "left", "right"}, "it was played on an end"
    return Play(turn.tile, turn.where)


MOST_STATES = 400_000
"""Limit on the states that are counted for one turn. Beyond it, after many draws, deals are sampled as the AI does."""


class WeighedDeal(NamedTuple):
    """A deal and its weight relative to other deals."""

    deal: SampledDeal
    weight: float


class FittingDeals:
    """The deals that fit what a seat has seen at one turn. They can be listed or sampled.

    Masks are those of `WeighedTiles`.
    """

    def __init__(self, seen: SeenHand, known: Knowledge, odds: Odds | None = None) -> None:
        """`odds`: the odds of the hidden tiles; None takes them from `plausibility_of`."""
        assert seen.seat is not None, "a spectator decides nothing"
        self._seen, self._known = seen, known
        self._odds = plausibility_of(seen, known) if odds is None else odds
        # Begin at the viewing seat, so that the same hand with the seats rotated gives the same deals.
        seats = [(seen.seat + step) % len(seen.counts) for step in range(len(seen.counts))]
        places = [TilePlace(seat, *group) for seat in seats for group in known.held[seat]]
        self._tiles = known.tiles.places_of(known.hidden)
        rest = len(self._tiles) - sum(place.room for place in places)
        self._places = [*places, TilePlace(None, rest, known.tiles.all)] if rest else places
        self._room = tuple(place.room for place in self._places)
        self._options = [
            [
                (at, 1.0 if place.seat is None else self._odds[place.seat][tile])
                for at, place in enumerate(self._places)
                if place.may >> tile & 1
            ]
            for tile in self._tiles
        ]
        """The places where each hidden tile may lie, each with a factor for its odds."""
        self._counts: list[dict[tuple[int, ...], float]] = []

    def all(self, most: int) -> list[WeighedDeal] | None:
        """Every deal, with its weight. None if there are more than `most`, or if tiles can be drawn.

        If tiles can be drawn, their order matters, and there are too many deals.
        """
        if self._seen.boneyard:
            return None
        found: list[WeighedDeal] = []
        for deal in self._each(0, [*self._room], [0] * len(self._places), 1.0):
            found.append(deal)
            if len(found) > most:
                return None
        return found

    def sample(self, random: Random, number: int) -> list[WeighedDeal]:
        """Sample `number` deals, in proportion to their odds."""
        if not self._counts and not self._count():
            imagined = DealSampler(self._seen, self._known, random, self._odds)
            return [WeighedDeal(imagined.sample(), 1.0) for _ in range(number)]
        return [WeighedDeal(self._drawn(random), 1.0) for _ in range(number)]

    def _drawn(self, random: Random) -> SampledDeal:
        room, lie = self._room, [0] * len(self._places)
        for tile, options, ways in zip(self._tiles, self._options, self._counts[1:], strict=True):
            if len(options) > 1:
                odds = [factor * ways.get(_less(room, at), 0.0) for at, factor in options]
                (at, _factor) = random.choices(options, odds)[0]
            else:
                at = options[0][0]
            room = _less(room, at)
            lie[at] |= 1 << tile
        return self._deal(lie, random)

    def _count(self) -> bool:
        """Sum the odds of all ways to place a tile and the later ones, for each tile and each state of free room.

        Returns False if there are too many states.
        """
        reached: list[set[tuple[int, ...]]] = [{self._room}]
        states = 1
        for options in self._options:
            reached.append({_less(room, at) for room in reached[-1] for at, _ in options if room[at]})
            states += len(reached[-1])
            if states > MOST_STATES:
                return False
        ways = dict.fromkeys(reached[-1], 1.0)
        counts = [ways]
        for options, rooms in zip(reversed(self._options), reversed(reached[:-1]), strict=True):
            ways = {room: sum(factor * ways[_less(room, at)] for at, factor in options if room[at]) for room in rooms}
            counts.append(ways)
        self._counts = counts[::-1]
        return True

    def _each(self, number: int, room: list[int], lie: list[int], weight: float) -> Iterator[WeighedDeal]:
        if number == len(self._tiles):
            yield WeighedDeal(self._deal(lie, None), weight)
            return
        for at, factor in self._options[number]:
            if room[at]:
                room[at] -= 1
                lie[at] |= 1 << self._tiles[number]
                yield from self._each(number + 1, room, lie, weight * factor)
                lie[at] ^= 1 << self._tiles[number]
                room[at] += 1

    def _deal(self, lie: list[int], random: Random | None) -> SampledDeal:
        assert self._seen.seat is not None, "a spectator decides nothing"
        held = [0] * len(self._seen.counts)
        held[self._seen.seat] = self._known.own
        asleep = 0
        for place, mask in zip(self._places, lie, strict=True):
            if place.seat is None:
                asleep = mask
            else:
                held[place.seat] |= mask
        boneyard: list[int] = []
        if self._seen.boneyard and random is not None:
            boneyard = [1 << tile for tile in self._known.tiles.places_of(asleep)]
            random.shuffle(boneyard)
        return SampledDeal(held, boneyard)


def _less(room: tuple[int, ...], at: int) -> tuple[int, ...]:
    """The free room after one tile is placed at `at`."""
    return (*room[:at], room[at] - 1, *room[at + 1 :])
