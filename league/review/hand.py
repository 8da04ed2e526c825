"""Reviews a hand: what each move cost, judged by what the seat could see, and what made the result of the hand.

The sentences about a move follow from its numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import Literal

import msgspec
from msgspec import Struct

from league.ai.deals import SampledDeal
from league.ai.knowledge import Knowledge, knowledge_of
from league.ai.levels import PlayOption, after, best_play, options_of, worth_of
from league.ai.rollouts import HandStakes, Rollouts
from league.domain.hand import HandFacts
from league.domain.play import HandInPlay, Maker, Play, seen_by
from league.domain.rules import Mode
from league.domain.seating import count_sides, side_of
from league.domain.sentences import Sentence, say, say_count
from league.domain.tiles import ordered
from league.domain.transcript import dealt_hand, played_through
from league.review.decisions import PlayDecision, TranscribedHand, decisions, must_lead
from league.review.options import WeighedDecision, weigh

DecisionKind = Literal["opening", "locking", "last_tiles", "partner", "suit", "other"]
"""What a decision was about. If several fit, the first one counts."""

LAST_TILES = 2
"""With this many tiles or fewer in hand, a decision is about the last tiles."""
FOUR = 4


class OutsideSuit(Struct, frozen=True):
    """A number at an end after a play, and what the seat knew about the tiles with this number."""

    half: int
    outside: int
    """How many of its tiles the seat did not see: in other hands, in the boneyard or asleep."""
    passed: tuple[int, ...]
    """The seats that certainly held none of them."""


class ReviewedMove(Struct, frozen=True):
    """A move and what it cost."""

    turn: int
    """Its number among all turns of the hand, from 0."""
    seat: int
    side: int
    kind: DecisionKind
    weighed: WeighedDecision
    open_loss: float
    """What it cost in the real deal, if all seats then played as the reviewer does. It never makes a move a mistake."""
    locks: bool
    """Whether the play locked the hand."""
    best_locks: bool
    """Whether the best play would have locked the hand."""
    suits: tuple[OutsideSuit, ...]
    """The numbers at the ends after the play."""
    best_suits: tuple[OutsideSuit, ...]
    """The numbers at the ends after the best play."""
    made_by: Maker | None = None
    """Who chose the play: the player, an AI or the clock; None if not known."""


def review_move(decision: PlayDecision, seed: int, most: int | None = None) -> ReviewedMove:
    """Review one move. Equal arguments give an equal result.

    `most`: limit on the deals that choose the best play; None means MOST_DEALS.
    """
    weighed = weigh(decision, seed, most)
    known = knowledge_of(decision.seen)
    best = weighed.options[weighed.best].play
    ours, theirs = _played(decision.before, decision.play), _played(decision.before, best)
    return ReviewedMove(
        turn=decision.turn,
        seat=decision.seat,
        side=side_of(decision.seat, decision.seen.mode),
        kind=kind_of(decision, [option.play for option in weighed.options], known),
        weighed=weighed,
        open_loss=_open_loss(decision, known, weighed),
        locks=_is_locked(ours),
        best_locks=_is_locked(theirs),
        suits=_suits(ours, known),
        best_suits=_suits(theirs, known),
        made_by=decision.made_by,
    )


def kind_of(decision: PlayDecision, plays: Sequence[Play], known: Knowledge) -> DecisionKind:
    """What a decision between these plays was about."""
    seen = decision.seen
    if not seen.turns:
        return "opening"
    afterwards = [_played(decision.before, play) for play in plays]
    if any(map(_is_locked, afterwards)):
        return "locking"
    if len(seen.tiles) <= LAST_TILES:
        return "last_tiles"
    shown = [set(hand.ends or ()) for hand in afterwards]
    if _differ(shown, _opened_by_partner(decision)):
        return "partner"
    if _differ(shown, known.lacks[(decision.seat + 1) % len(seen.counts)]):
        return "suit"
    return "other"


def _differ(shown: Sequence[set[int]], halves: frozenset[int]) -> bool:
    """Whether some plays leave one of these numbers at an end and other plays do not."""
    return len({bool(ends & halves) for ends in shown}) > 1


def _opened_by_partner(decision: PlayDecision) -> frozenset[int]:
    """The number that the partner's last play opened, or both numbers of a first tile; empty without such a play."""
    seen = decision.seen
    if seen.mode != "2v2":
        return frozenset()
    partner = (decision.seat + FOUR // 2) % FOUR
    for turn in reversed(seen.turns):
        if turn.seat == partner and turn.tile is not None and turn.where != "draw":
            left, right = turn.tile
            return frozenset({None: {left, right}, "left": {left}, "right": {right}}[turn.where])
    return frozenset()


def _open_loss(decision: PlayDecision, known: Knowledge, weighed: WeighedDecision) -> float:
    """What the play cost in the real deal."""
    worth = worth_of(decision.seen, known, HandStakes(decision.seen, win=0))
    tiles, hand = known.tiles, decision.before
    held = [tiles.mask(hand.tiles.of_mask(mask)) for mask in hand.held]
    boneyard = [tiles.bits[tile] for tile in hand.boneyard]
    values = {
        option.play: worth(after(SampledDeal(held, boneyard), option, decision.seat))
        for option in options_of(decision.seen, known)
    }
    return max(values.values()) - values[weighed.options[weighed.played].play]


def _played(before: HandInPlay, play: Play) -> HandInPlay:
    hand = before.copy()
    hand.play(*play)
    return hand


def _is_locked(hand: HandInPlay) -> bool:
    return hand.is_over and all(hand.held)


def _suits(hand: HandInPlay, known: Knowledge) -> tuple[OutsideSuit, ...]:
    """What the seat knew about the numbers at the ends after a play."""
    found = []
    for half in sorted(set(hand.ends or ())):
        outside = (known.hidden & known.tiles.with_half[half]).bit_count()
        passed = tuple(seat for seat, lacks in enumerate(known.lacks) if half in lacks)
        found.append(OutsideSuit(half, outside, passed))
    return tuple(found)


JUDGE = 2
"""The version of the code that judges moves. Raise it when a hand gets another review or another `input_hash`.

Workers then make all stored reviews again.
"""

DEALS = 256
"""Deals that are sampled to value the tiles dealt to a side."""


class HandResultParts(Struct, frozen=True):
    """What made the result of a hand for one side. `result` is the sum of the other four numbers.

    The unit is points of the side, minus those of the others. In rulesets without points a hand won counts 1, a hand
    lost -1.
    """

    side: int
    result: float
    deal: float
    """The value of the side's own tiles before the first play, on average over deals of all other tiles."""
    own_moves: float
    """What the side's own moves cost: at most 0, except for errors of estimation."""
    other_moves: float
    """What the moves of the others gave away."""
    luck: float
    """The rest: how the hidden tiles lay."""


class ReviewedHand(Struct, frozen=True):
    """A hand, reviewed."""

    moves: tuple[ReviewedMove, ...]
    """A review for every turn in which a tile was played."""
    parts: tuple[HandResultParts, ...]
    """What made the result, by side."""


def input_hash(hand: TranscribedHand) -> str:
    """The SHA-256, in hexadecimal, of everything that the review of a hand depends on."""
    return sha256(msgspec.json.encode(hand, order="deterministic")).hexdigest()


def review_hand(hand: TranscribedHand, seed: int = 0, moves: Sequence[ReviewedMove] = ()) -> ReviewedHand:
    """Review a hand. `moves`: the moves that are already reviewed. Raises InvalidInput if its turns break a rule."""
    done = (*moves, *review_moves(hand, seed, len(moves)))
    return ReviewedHand(done, parts_of(hand, done, seed))


def review_moves(hand: TranscribedHand, seed: int = 0, first: int = 0) -> Iterator[ReviewedMove]:
    """Review the moves one after the other, without the first `first` moves."""
    for number, decision in enumerate(decisions(hand)):
        if number >= first:
            yield review_move(decision, seed)


def parts_of(hand: TranscribedHand, moves: Sequence[ReviewedMove], seed: int = 0) -> tuple[HandResultParts, ...]:
    """What made the result of a hand, by side. `moves`: all reviewed moves of the hand."""
    played = played_through(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    sides = count_sides(hand.mode, played.seats)
    lost = [sum(move.weighed.loss.value for move in moves if move.side == side) for side in range(sides)]
    found = []
    for side in range(sides):
        result = _stakes(hand, side).worth(played.facts())
        deal = value_of_deal(hand, side, seed)
        own, others = -lost[side], (sum(lost) - lost[side]) / (sides - 1)
        found.append(HandResultParts(side, result, deal, own, others, result - deal - own - others))
    return tuple(found)


def value_of_deal(hand: TranscribedHand, side: int, seed: int = 0, deals: int = DEALS) -> float:
    """The value of a side's tiles before the first play, on average over deals of all other tiles."""
    start, random = _start(hand), Random(f"{seed} deal")  # noqa: S311  # a review is no secret
    own = [seat for seat in range(start.seats) if side_of(seat, hand.mode) == side]
    stakes = _stakes(hand, side)
    total = 0.0
    for _ in range(deals):
        total += stakes.worth(_play_out(_dealt_anew(start, own, random), hand))
    return total / deals


def _stakes(hand: TranscribedHand, side: int) -> HandStakes:
    """Values the end of the hand for a side: its points, minus those of the others."""
    start = _start(hand)
    seat = next(seat for seat in range(start.seats) if side_of(seat, hand.mode) == side)
    return HandStakes(seen_by(seat, start, hand.mode, hand.score, hand.number), win=0)


def _start(hand: TranscribedHand) -> HandInPlay:
    """The hand before its first turn."""
    start = dealt_hand(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    start.must_lead = must_lead(hand)
    return start


def _dealt_anew(start: HandInPlay, own: Sequence[int], random: Random) -> HandInPlay:
    """Keep the tiles of some seats and deal all others at random. A tile that must lead stays in its seat."""
    tiles = start.tiles
    # Begin at the starter, so that the same hand with the seats rotated gives the same deals.
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


def _play_out(start: HandInPlay, hand: TranscribedHand) -> HandFacts:
    """How a hand ends if the AI plays all seats."""
    seen = seen_by(start.starter, start, hand.mode, hand.score, hand.number)
    known = knowledge_of(seen)
    lead = best_play(seen)
    place, ends = known.tiles.places[ordered(lead.tile)], known.tiles.ends_of[lead.tile]
    held = [known.tiles.mask(start.tiles.of_mask(mask)) for mask in start.held]
    deal = SampledDeal(held, [known.tiles.bits[tile] for tile in start.boneyard])
    return Rollouts(seen, known).play_out(after(deal, PlayOption(lead, place, ends, both=False), start.starter))


BOTH = 2
"""If there is only one number at the ends, it is at both."""
LOST_TO_WON = 2
"""The difference between a hand lost (-1) and a hand won (1), in rulesets without points."""
SUITS: tuple[Callable[[int], Sentence], ...] = (
    lambda count: say_count("{count} blank", "{count} blanks", count),
    lambda count: say_count("{count} one", "{count} ones", count),
    lambda count: say_count("{count} two", "{count} twos", count),
    lambda count: say_count("{count} three", "{count} threes", count),
    lambda count: say_count("{count} four", "{count} fours", count),
    lambda count: say_count("{count} five", "{count} fives", count),
    lambda count: say_count("{count} six", "{count} sixes", count),
    lambda count: say_count("{count} seven", "{count} sevens", count),
    lambda count: say_count("{count} eight", "{count} eights", count),
    lambda count: say_count("{count} nine", "{count} nines", count),
)
"""Counted tiles with a number, by the number."""


NUMBERS = (
    say("blanks"),
    say("ones"),
    say("twos"),
    say("threes"),
    say("fours"),
    say("fives"),
    say("sixes"),
    say("sevens"),
    say("eights"),
    say("nines"),
)
"""Tiles with a number that are not counted, by the number."""


def sentence_of(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> Sentence:
    """A sentence that says what a mistake cost and what was better. `names`: of the players, by seat."""
    tile, best = _both_said(move)
    cost = _cost(move)
    why = reason_of(move, names, mode)
    if move.locks:
        said = say("locking with {tile} cost {cost}; {best} was better", tile=tile, cost=cost, best=best)
    elif move.best_locks:
        said = say("not locking with {best} cost {cost}", best=best, cost=cost)
    else:
        said = say("playing {tile} cost {cost}; {best} was better", tile=tile, cost=cost, best=best)
    return said if why is None else say("{said}: {why}", said=said, why=why)


def reason_of(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> Sentence | None:
    """Why the best play was better, as far as the seat could know. None if no short reason fits."""
    if move.locks or move.best_locks:
        return _of_lock(move)
    blocked = _stopped_more(move.suits, move.best_suits)
    gained = _stopped_more(move.best_suits, move.suits)
    for suit in _new_first(move.best_suits, move.suits):
        lacking = [names[seat] for seat in suit.passed if seat in gained and side_of(seat, mode) != move.side]
        if lacking:
            # The Spanish verb differs between one player and several.
            return say_count(
                "{name} had no {number}",
                "{name} had no {number}",
                len(lacking),
                name=" & ".join(lacking),
                number=NUMBERS[suit.half],
            )
    for suit in _new_first(move.suits, move.best_suits):
        if any(seat in blocked and side_of(seat, mode) == move.side and seat != move.seat for seat in suit.passed):
            return say(
                "{tile} left {number}, of which the partner had none",
                tile=_both_said(move)[0],
                number=NUMBERS[suit.half],
            )
    ours = {suit.half for suit in move.suits}
    fewest = min((suit.outside for suit in move.suits), default=0)
    return _still_out([suit for suit in move.best_suits if suit.half not in ours and suit.outside < fewest])


def _cost(move: ReviewedMove) -> Sentence:
    """What the move cost, at least 1: in points, or in hands of 100 in rulesets without points."""
    lost = move.weighed.loss.value
    if move.weighed.is_in_hands:
        return say("{count} of 100 hands", count=max(1, round(100 * lost / LOST_TO_WON)))
    return say_count("{count} point", "{count} points", max(1, round(lost)))


def _of_lock(move: ReviewedMove) -> Sentence | None:
    """How often each of both plays gains points; None if the best one does not gain points more often."""
    tile, best = _both_said(move)
    of_best, of_tile = (
        round(100 * (move.weighed.options[at].wins or 0)) for at in (move.weighed.best, move.weighed.played)
    )
    if of_best <= of_tile:
        return None
    return say(
        "{best} gains points in {of_best} of 100 deals, {tile} in {of_tile}",
        best=best,
        of_best=of_best,
        tile=tile,
        of_tile=of_tile,
    )


def _stopped_more(suits: Sequence[OutsideSuit], others: Sequence[OutsideSuit]) -> set[int]:
    """The seats that certainly lack the number at more of these ends than at the other ends."""
    return {seat for suit in suits for seat in suit.passed if _lacked(suits, seat) > _lacked(others, seat)}


def _lacked(suits: Sequence[OutsideSuit], seat: int) -> int:
    """On how many of the two ends a seat certainly could not play. A single number counts for both ends."""
    return sum(seat in suit.passed for suit in suits) * (BOTH if len(suits) == 1 else 1)


def _new_first(suits: Sequence[OutsideSuit], others: Sequence[OutsideSuit]) -> list[OutsideSuit]:
    """Sort the numbers at the ends: first those that the other play does not leave."""
    left = {suit.half for suit in others}
    return sorted(suits, key=lambda suit: suit.half in left)


def _both_said(move: ReviewedMove) -> tuple[str, str]:
    """The tile that was played and the best tile. If they are the same tile, each names its end too."""
    played, best = (move.weighed.options[at].play for at in (move.weighed.played, move.weighed.best))
    if tile_said(played) == tile_said(best):
        return _at_end(played), _at_end(best)
    return tile_said(played), tile_said(best)


def tile_said(play: Play) -> str:
    """A tile as people say it, the higher half first."""
    return f"{max(play.tile)}-{min(play.tile)}"


def _at_end(play: Play) -> Sentence:
    """A tile and the end on which it is played."""
    if play.end == "left":
        return say("{tile} on the left", tile=tile_said(play))
    return say("{tile} on the right", tile=tile_said(play))


def _still_out(suits: list[OutsideSuit]) -> Sentence | None:
    """How few tiles with these numbers the others could hold; None if no number has such tiles."""
    counted = [SUITS[suit.half](suit.outside) for suit in suits if suit.outside]
    if not counted:
        return None
    listed = counted[0] if len(counted) == 1 else say("{one} and {other}", one=counted[0], other=counted[1])
    total = sum(suit.outside for suit in suits)
    return say_count("only {suits} was still out", "only {suits} were still out", total, suits=listed)
