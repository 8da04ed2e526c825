"""What is said of a move: what it cost, and why another one was better. Numbers come first, words follow from them."""

from collections.abc import Callable, Sequence

from league.domain.play.engine import Play
from league.domain.rules import Mode
from league.domain.seating import side_of
from league.domain.sentences import Sentence, say, say_count
from league.review.moves import OutsideSuit, ReviewedMove

BOTH = 2
"""Ends that one number is at, where it is the only one."""
LOST_TO_WON = 2
"""What lies between a hand lost and a hand won, where a hand counts itself: -1 and 1."""
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
"""By half, so many tiles of it."""


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
"""By half, its tiles, where they are not counted."""


def sentence_of(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> Sentence:
    """What a mistake cost and what was better; `names`: of the players, by seat."""
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
    """Why the best play was better, as far as the seat could know: what a lock gains, or who lacked what."""
    if move.locks or move.best_locks:
        return _of_lock(move)
    blocked = _stopped_more(move.suits, move.best_suits)
    gained = _stopped_more(move.best_suits, move.suits)
    for suit in _new_first(move.best_suits, move.suits):
        lacking = [names[seat] for seat in suit.passed if seat in gained and side_of(seat, mode) != move.side]
        if lacking:
            # In Spanish several have another verb than one.
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
    """What the move cost, at least 1: points, or hands of 100 where a hand counts itself."""
    lost = move.weighed.loss.value
    if move.weighed.is_in_hands:
        return say("{count} of 100 hands", count=max(1, round(100 * lost / LOST_TO_WON)))
    return say_count("{count} point", "{count} points", max(1, round(lost)))


def _of_lock(move: ReviewedMove) -> Sentence | None:
    """How often both plays gain points; None where the best one gains more, but not more often."""
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
    """The seats that surely can play on fewer of these ends than of the others."""
    return {seat for suit in suits for seat in suit.passed if _lacked(suits, seat) > _lacked(others, seat)}


def _lacked(suits: Sequence[OutsideSuit], seat: int) -> int:
    """How many of the two ends a seat surely could not follow. One number is at both ends."""
    return sum(seat in suit.passed for suit in suits) * (BOTH if len(suits) == 1 else 1)


def _new_first(suits: Sequence[OutsideSuit], others: Sequence[OutsideSuit]) -> list[OutsideSuit]:
    """Numbers at the ends, those first that the other play does not leave."""
    left = {suit.half for suit in others}
    return sorted(suits, key=lambda suit: suit.half in left)


def _both_said(move: ReviewedMove) -> tuple[str, str]:
    """The tile that was played and the best one; with their ends where they are the same."""
    played, best = (move.weighed.options[at].play for at in (move.weighed.played, move.weighed.best))
    if tile_said(played) == tile_said(best):
        return _at_end(played), _at_end(best)
    return tile_said(played), tile_said(best)


def tile_said(play: Play) -> str:
    """A tile as people say it, the higher half first."""
    return f"{max(play.tile)}-{min(play.tile)}"


def _at_end(play: Play) -> Sentence:
    """A tile and the end that it goes on."""
    if play.end == "left":
        return say("{tile} on the left", tile=tile_said(play))
    return say("{tile} on the right", tile=tile_said(play))


def _still_out(suits: list[OutsideSuit]) -> Sentence | None:
    """How few tiles of the numbers at the ends others could hold."""
    counted = [SUITS[suit.half](suit.outside) for suit in suits if suit.outside]
    if not counted:
        return None
    listed = counted[0] if len(counted) == 1 else say("{one} and {other}", one=counted[0], other=counted[1])
    total = sum(suit.outside for suit in suits)
    return say_count("only {suits} was still out", "only {suits} were still out", total, suits=listed)
