"""The review of a hand: its moves, and what of its result was the deal, luck, and the play of either side."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from random import Random

import msgspec
from msgspec import Struct

from league.ai.deals import Deal
from league.ai.heuristic import best_play
from league.ai.inference import Option, after
from league.ai.knowledge import knowledge_of
from league.ai.rollouts import Rollouts
from league.ai.stakes import Stakes
from league.domain.hand import HandFacts
from league.domain.play.engine import HandInPlay
from league.domain.play.seen import seen_by
from league.domain.seating import count_sides, side_of
from league.domain.tiles import ordered
from league.domain.transcript import dealt_hand, played_through
from league.review.decisions import PlayedHand, decisions, must_lead
from league.review.moves import ReviewedMove, review_move

JUDGE = 2
"""The version of what judges moves: raise it when the same hand gets another review, or another `input_hash`.

Workers then make all stored reviews again.
"""

DEALS = 256
"""Deals of the tiles that a side does not hold, for the value of its deal."""


class Parts(Struct, frozen=True):
    """What made the result of a hand for one side, in points less those of the others. The parts add up."""

    side: int
    result: float
    deal: float
    """What the side's own tiles were worth before the first play, over all deals of the others."""
    own_moves: float
    """What the moves of the own side cost: at most 0, but for the error of the estimates."""
    other_moves: float
    """What the moves of the others gave away."""
    luck: float
    """The rest: how the hidden tiles lay."""


class ReviewedHand(Struct, frozen=True):
    """A hand, reviewed."""

    moves: tuple[ReviewedMove, ...]
    """Every turn in which a tile was played."""
    parts: tuple[Parts, ...]
    """By side."""


def input_hash(hand: PlayedHand) -> str:
    """A SHA-256 of all that the review of a hand rests on, in hexadecimal digits."""
    return sha256(msgspec.json.encode(hand, order="deterministic")).hexdigest()


def review_hand(hand: PlayedHand, seed: int = 0, moves: Sequence[ReviewedMove] = ()) -> ReviewedHand:
    """Review a hand; `moves`: those that are reviewed already. Raises InvalidInput where its turns break a rule."""
    done = (*moves, *review_moves(hand, seed, len(moves)))
    return ReviewedHand(done, parts_of(hand, done, seed))


def review_moves(hand: PlayedHand, seed: int = 0, first: int = 0) -> Iterator[ReviewedMove]:
    """The moves as they are reviewed, without the `first` ones."""
    for number, decision in enumerate(decisions(hand)):
        if number >= first:
            yield review_move(decision, seed)


def parts_of(hand: PlayedHand, moves: Sequence[ReviewedMove], seed: int = 0) -> tuple[Parts, ...]:
    """What made the result of a hand, by side."""
    played = played_through(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    sides = count_sides(hand.mode, played.seats)
    lost = [sum(move.weighed.loss.value for move in moves if move.side == side) for side in range(sides)]
    found = []
    for side in range(sides):
        result = _stakes(hand, side).worth(played.facts())
        deal = value_of_deal(hand, side, seed)
        own, others = -lost[side], (sum(lost) - lost[side]) / (sides - 1)
        found.append(Parts(side, result, deal, own, others, result - deal - own - others))
    return tuple(found)


def value_of_deal(hand: PlayedHand, side: int, seed: int = 0, deals: int = DEALS) -> float:
    """What the tiles of a side were worth before the first play: the average over deals of all other tiles."""
    start, random = _start(hand), Random(f"{seed} deal")  # noqa: S311  # a review is no secret
    own = [seat for seat in range(start.seats) if side_of(seat, hand.mode) == side]
    stakes = _stakes(hand, side)
    total = 0.0
    for _ in range(deals):
        total += stakes.worth(_play_out(_dealt_anew(start, own, random), hand))
    return total / deals


def _stakes(hand: PlayedHand, side: int) -> Stakes:
    """What the end of the hand is worth to a side: its points, less those of the others."""
    start = _start(hand)
    seat = next(seat for seat in range(start.seats) if side_of(seat, hand.mode) == side)
    return Stakes(seen_by(seat, start, hand.mode, hand.score, hand.number), win=0)


def _start(hand: PlayedHand) -> HandInPlay:
    """The hand before its first turn."""
    start = dealt_hand(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    start.must_lead = must_lead(hand)
    return start


def _dealt_anew(start: HandInPlay, own: Sequence[int], random: Random) -> HandInPlay:
    """The same hands for some seats, and the other tiles dealt by chance; a tile that has to lead stays where it is."""
    tiles = start.tiles
    # From the starter on, so that the same hand around other seats gives the same deals.
    others = [seat for step in range(start.seats) if (seat := (start.starter + step) % start.seats) not in own]
    kept = tiles.bits[start.must_lead] if start.must_lead is not None and start.starter not in own else 0
    hidden = [*tiles.of_mask(tiles.all & ~kept & ~sum(start.held[seat] for seat in own))]
    random.shuffle(hidden)
    dealt = [tiles.of_mask(held) for held in start.held]
    for seat in others:
        fixed = [start.must_lead] if kept and seat == start.starter and start.must_lead is not None else []
        count = start.held[seat].bit_count() - len(fixed)
        dealt[seat], hidden = [*fixed, *hidden[:count]], hidden[count:]
    return HandInPlay(start.ruleset, dealt, start.starter, hidden, start.must_lead)


def _play_out(start: HandInPlay, hand: PlayedHand) -> HandFacts:
    """How a hand ends when the AI plays all seats."""
    seen = seen_by(start.starter, start, hand.mode, hand.score, hand.number)
    known = knowledge_of(seen)
    lead = best_play(seen)
    place, ends = known.tiles.places[ordered(lead.tile)], known.tiles.ends_of[lead.tile]
    held = [known.tiles.mask(start.tiles.of_mask(mask)) for mask in start.held]
    deal = Deal(held, [known.tiles.bits[tile] for tile in start.boneyard])
    return Rollouts(seen, known).play_out(after(deal, Option(lead, place, ends, both=False), start.starter))
