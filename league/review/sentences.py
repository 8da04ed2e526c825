"""What is said of a move: what it cost, and why another one was better. Numbers come first, words follow from them."""

from collections.abc import Callable, Iterator

from league.domain.play.engine import Play
from league.domain.rules import Mode
from league.domain.seating import side_of
from league.domain.sentences import Sentence, say, say_count
from league.review.moves import OutsideSuit, ReviewedMove

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


def sentence_of(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> Sentence:
    """What a mistake cost and what was better; `names`: of the players, by seat."""
    played, better = move.weighed.options[move.weighed.played].play, move.weighed.options[move.weighed.best].play
    tile, best = tile_said(played), tile_said(better)
    if tile == best:  # on the other end
        tile, best = _at_end(played), _at_end(better)
    cost = say_count("{count} point", "{count} points", max(1, round(move.weighed.loss.value)))
    why = reason_of(move, names, mode)
    if move.locks:
        said = say("locking with {tile} cost {cost}; {best} was better", tile=tile, cost=cost, best=best)
    elif move.best_locks:
        said = say("not locking with {best} cost {cost}", best=best, cost=cost)
    else:
        said = say("playing {tile} cost {cost}; {best} was better", tile=tile, cost=cost, best=best)
    return said if why is None else say("{said}: {why}", said=said, why=why)


def reason_of(move: ReviewedMove, names: tuple[str, ...], mode: Mode) -> Sentence | None:
    """Why the best play was better, as far as the seat could know: the chance of a lock, or who lacked a number."""
    ours = {suit.half for suit in move.suits}
    new = [suit for suit in move.best_suits if suit.half not in ours]
    if move.locks or move.best_locks:
        locking = move.weighed.options[move.weighed.played if move.locks else move.weighed.best]
        return say("such a lock wins the hand in {count} of 100 deals", count=round(100 * (locking.wins or 0)))
    for suit in new:
        lacking = [names[seat] for seat in suit.passed if side_of(seat, mode) != move.side]
        if lacking:
            # In Spanish several have another verb than one.
            return say_count(
                "{name} had none of the number {half}",
                "{name} had none of the number {half}",
                len(lacking),
                name=" & ".join(lacking),
                half=suit.half,
            )
    for suit in move.suits:
        partner = [seat for seat in suit.passed if side_of(seat, mode) == move.side and seat != move.seat]
        if partner:
            return say("the partner had none of the number {half}", half=suit.half)
    fewest = min((suit.outside for suit in move.suits), default=0)
    return _still_out([suit for suit in new if suit.outside < fewest])


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
    return say_count("{suits} was still outside", "{suits} were still outside", total, suits=listed)


def lines_of(
    moves: tuple[ReviewedMove, ...], names: tuple[str, ...], mode: Mode
) -> Iterator[tuple[ReviewedMove, Sentence]]:
    """The mistakes, the dearest first, each with its sentence."""
    for move in sorted(moves, key=lambda one: -one.weighed.loss.value):
        if move.weighed.is_mistake:
            yield move, sentence_of(move, names, mode)
