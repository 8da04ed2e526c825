"""The review of one move: what it cost, for what the seat could see, and with open tiles beside it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from league.ai.deals import Deal
from league.ai.inference import after, options_of, worth_of
from league.ai.knowledge import Knowledge, knowledge_of
from league.ai.stakes import Stakes
from league.domain.play.engine import HandInPlay, Play
from league.domain.play.turn import Maker
from league.domain.seating import side_of
from league.review.decisions import Decision
from league.review.options import Weighed, weigh

Kind = Literal["opening", "locking", "last_tiles", "partner", "suit", "other"]
"""What a decision was about; the first that fits."""

LAST_TILES = 2
"""Tiles of the own hand up to which a decision is about the last ones."""
FOUR = 4


class OutsideSuit(Struct, frozen=True):
    """A number at an end after a play, and where its tiles were, for what the seat could see."""

    half: int
    outside: int
    """Its tiles that were in other hands, in the boneyard or asleep."""
    passed: tuple[int, ...]
    """The seats that surely held none."""


class ReviewedMove(Struct, frozen=True):
    """A move and what it cost."""

    turn: int
    """Its place among all turns of the hand, from 0."""
    seat: int
    side: int
    kind: Kind
    weighed: Weighed
    open_loss: float
    """What it cost in the deal as it was, if all seats then played as the reviewer does. Never used to blame."""
    locks: bool
    """Whether the play locked the hand."""
    best_locks: bool
    suits: tuple[OutsideSuit, ...]
    """Of the ends after the play."""
    best_suits: tuple[OutsideSuit, ...]
    """Of the ends after the best one."""
    made_by: Maker | None = None
    """An AI or the clock, where the player did not choose it."""


class KindLosses(Struct, frozen=True):
    """What the decisions of one kind have cost a seat in a hand. A turn with a single play is no decision."""

    seat: int
    kind: Kind
    decisions: int
    mistakes: int
    lost: float
    """Points."""


def losses_by_kind(moves: Iterable[ReviewedMove]) -> list[KindLosses]:
    """What the decisions of players have cost, by seat and kind. Those of an AI or of the clock are not theirs."""
    groups: dict[tuple[int, Kind], list[Weighed]] = defaultdict(list)
    for move in moves:
        if len(move.weighed.options) > 1 and move.made_by not in {"ai", "clock"}:
            groups[move.seat, move.kind].append(move.weighed)
    return [
        KindLosses(seat, kind, len(of), sum(one.is_mistake for one in of), sum(one.loss.value for one in of))
        for (seat, kind), of in groups.items()
    ]


def review_move(decision: Decision, seed: int, most: int | None = None) -> ReviewedMove:
    """Review one move; equal arguments give an equal answer. `most`: deals to try, None: as many as it takes."""
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


def kind_of(decision: Decision, plays: Sequence[Play], known: Knowledge) -> Kind:
    """What a decision was about."""
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
    """Whether some plays leave one of these numbers at an end, and others do not."""
    return len({bool(ends & halves) for ends in shown}) > 1


def _opened_by_partner(decision: Decision) -> frozenset[int]:
    """The number that the partner's last play has opened, or both of a first tile; none without such a play."""
    seen = decision.seen
    if seen.mode != "2v2":
        return frozenset()
    partner = (decision.seat + FOUR // 2) % FOUR
    for turn in reversed(seen.turns):
        if turn.seat == partner and turn.tile is not None and turn.where != "draw":
            left, right = turn.tile
            return frozenset({None: {left, right}, "left": {left}, "right": {right}}[turn.where])
    return frozenset()


def _open_loss(decision: Decision, known: Knowledge, weighed: Weighed) -> float:
    """What the play cost in the deal as it was."""
    worth = worth_of(decision.seen, known, Stakes(decision.seen, win=0))
    tiles, hand = known.tiles, decision.before
    held = [tiles.mask(hand.tiles.of_mask(mask)) for mask in hand.held]
    boneyard = [tiles.bits[tile] for tile in hand.boneyard]
    values = {
        option.play: worth(after(Deal(held, boneyard), option, decision.seat))
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
    """What the seat knew of the numbers at the ends after a play."""
    found = []
    for half in sorted(set(hand.ends or ())):
        outside = (known.hidden & known.tiles.with_half[half]).bit_count()
        passed = tuple(seat for seat, lacks in enumerate(known.lacks) if half in lacks)
        found.append(OutsideSuit(half, outside, passed))
    return tuple(found)
