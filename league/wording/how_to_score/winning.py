"""Winning a hand: by a domino or in a block, what the winner scores, and what happens to a tie."""

from collections.abc import Iterator

from league.domain.hand import NOBODY_WINS, Closing, has_boneyard
from league.domain.rules import Ruleset
from league.domain.seating import FULL_TABLE
from league.domain.sentences import Sentence, say
from league.domain.tiles import full_set
from league.wording.how_to_score.example import SEATS, ExamplePlay
from league.wording.how_to_score.way import Way


def is_for_pairs(ruleset: Ruleset) -> bool:
    """Whether partners can play under the ruleset."""
    return "2v2" in ruleset.modes


def is_for_individuals(ruleset: Ruleset) -> bool:
    """Whether more than two sides can play under the ruleset."""
    return "individuals" in ruleset.modes


def scores_pips(ruleset: Ruleset) -> bool:
    """Whether the winner of a hand scores pips."""
    return ruleset.scoring == "points" and ruleset.ending is None


def may_draw(ruleset: Ruleset) -> bool:
    """Whether a player can come to draw: at a table with fewer than four seats, if the ruleset has a boneyard."""
    return any(has_boneyard(ruleset, SEATS[mode]) for mode in ruleset.modes)


# ---------------------------------------------------------------- by a domino

DOMINO = ExamplePlay(
    held=((), ((4, 6), (1, 2)), ((1, 1),), ((2, 3),)),
    closing=Closing((2, 5), fits_both_ends=False, ends_equal=False),
)


def _domino_pips(ruleset: Ruleset) -> Iterator[Sentence]:
    yield say("Who plays their last tile goes out and wins the hand.")
    match ruleset.counted_pips:
        case "opponents" | "all_on_block":
            yield say("The winner scores the pips of all tiles that the opponents still hold.")
        case "all_others":
            yield (
                say("The winner scores the pips of all tiles that the others still hold, the partner too.")
                if is_for_pairs(ruleset)
                else say("The winner scores the pips of all tiles that the others still hold.")
            )


def _uncounted_pips(ruleset: Ruleset) -> Iterator[Sentence]:
    if is_for_pairs(ruleset) and ruleset.counted_pips != "all_others":
        yield say("The tiles of the partner do not count.")
    if ruleset.modes != ("2v2",) or FULL_TABLE * ruleset.tiles_each < len(full_set(ruleset.set)):
        yield say("Tiles that nobody holds do not count.")


def _hand_point(_: Ruleset) -> Iterator[Sentence]:
    yield say("Who plays their last tile goes out and wins the hand. A hand won is one point, also in a block.")
    yield say("Pips are not counted, but they decide a block.")


def _hand_point_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.reset == "to_zero":
        yield say("It gives no point to a side that was behind: then the score goes back to 0-0.")


# ---------------------------------------------------------------- by a block

BLOCK_WINNERS = {
    "side_total": say("The side that holds the fewest pips together wins it."),
    "lowest_hand": say("The player who holds the fewest pips wins it."),
    "locker_vs_next": say("The player who locked it and the next one in turn compare their pips: the lower one wins."),
}
"""Who wins a block, by the setting `block_winner`."""

LOCKED = Closing((5, 6), ends_equal=True, blocks_too=True)
BLOCK = ExamplePlay(
    ended_by="block",
    held=(((2, 4),), ((3, 6),), ((2, 6),), ((0, 2),)),
    closing=LOCKED,
)
"""Each rule for blocks gives another number of points here."""


def _block(ruleset: Ruleset) -> Iterator[Sentence]:
    yield say("When nobody can play any more, the hand is blocked.")
    yield BLOCK_WINNERS[ruleset.block_winner]
    if is_for_pairs(ruleset) and ruleset.block_winner != "side_total":
        yield say("The hand goes to that player's side.")
    if ruleset.ending is not None:
        yield say("The winner scores {points}, whatever the pips are.", points=ruleset.ending.block)
        return
    match ruleset.scoring, ruleset.counted_pips:
        case "points", "opponents":
            yield say("The winner scores the pips of all tiles that the opponents hold.")
        case "points", "all_on_block":
            yield say("The winner scores the pips of all tiles that anybody holds, also the winner's own.")
        case "points", "all_others":
            yield say("The winner scores the pips of everybody else.")
        case "hands", _:
            yield say("It is one point, like any hand.")


def _block_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.block_winner == "locker_vs_next" and is_for_pairs(ruleset):
        yield say("The hands of the other two do not decide who wins, even if they are lower.")
    if scores_pips(ruleset) and ruleset.counted_pips == "opponents":
        yield (
            say("The winner's own pips do not count, nor the partner's.")
            if is_for_pairs(ruleset)
            else say("The winner's own pips do not count.")
        )
    if scores_pips(ruleset) and ruleset.counted_pips == "all_others" and is_for_pairs(ruleset):
        yield say("Only the winner's own pips do not count; the partner's do.")
    yield say("A tile that blocks the hand and is the player's last one is a domino, not a block.")


TIED = {
    "side_total": say("A block is tied when no side holds fewer pips than all others."),
    "lowest_hand": say("A block is tied when players of different sides hold the fewest pips."),
    "locker_vs_next": say("A block is tied when the two players who compare their pips hold the same number."),
}
"""When a block is tied, by the setting `block_winner`."""

TIES = {
    "previous_winner": say(
        "It goes to the side that won the hand before. While no hand was won, it goes to the highest starting draw, "
        "and without a draw to the side that started."
    ),
    "starting_draw": say(
        "It goes to the side of the highest starting draw, and without a draw to the side that started."
    ),
    "starter": say("It goes to the side of the player who started the hand."),
    "locker": say("It goes to the side of the player who locked the hand."),
    "no_score": say("Nobody has won the hand and nobody scores. The player who started it starts again."),
    "next_starts": say("Nobody has won the hand and nobody scores. The player after the starter starts the next hand."),
}
"""Who wins a tied block, by the setting `block_tie`."""


def _tie(ruleset: Ruleset) -> Iterator[Sentence]:
    yield TIED[ruleset.block_winner]
    yield TIES[ruleset.block_tie]
    if ruleset.block_tie in NOBODY_WINS:
        return
    if is_for_individuals(ruleset):
        yield say("If each plays alone and that one is not among the tied, it goes to the next of the tied in turn.")
    if ruleset.scoring == "points":
        yield say("The winner scores as in any block.")


def _tie_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if is_for_pairs(ruleset) and ruleset.block_winner == "lowest_hand":
        yield say("Equal hands of two partners are no tie.")


def _tie_play(ruleset: Ruleset) -> ExamplePlay:
    """Ana has locked, Beto has started: each rule for ties reads one of the facts."""
    tie = ruleset.block_tie
    return ExamplePlay(
        ended_by="block",
        held=(((1, 6),), ((3, 4),), ((3, 6),), ((0, 1), (2, 6))),
        closing=Closing((5, 5), ends_equal=True, blocks_too=True),
        starter=1,
        last_winner=0 if tie == "previous_winner" else None,
        draw=((4, 6), (1, 2), (1, 3), (0, 3)) if tie == "starting_draw" else None,
    )


# ---------------------------------------------------------------- the entries

RESETS = {
    "to_zero": say(
        "When the side that is behind wins a hand, the score goes back to 0-0, and the hand scores nothing."
    ),
    "winner_keeps_hand": say(
        "When the side that is behind wins a hand, the score goes back to 0-0, and the hand counts."
    ),
}
"""What happens when the side that is behind wins a hand, by the setting `reset`."""

WINNING = (
    Way(
        key="leftover",
        title=say("Winning the hand"),
        settings=("scoring", "counted_pips"),
        applies=scores_pips,
        tells=_domino_pips,
        voids=_uncounted_pips,
        plays=lambda _: DOMINO,
    ),
    Way(
        key="hand_won",
        title=say("Winning the hand"),
        settings=("scoring",),
        applies=lambda ruleset: ruleset.scoring == "hands",
        tells=_hand_point,
        voids=_hand_point_voids,
        points=lambda _: (1,),
        plays=lambda _: DOMINO,
    ),
    Way(
        key="row",
        title=say("Winning the hand"),
        settings=("scoring",),
        applies=lambda ruleset: ruleset.scoring == "row",
        tells=lambda _: (
            say("Who plays their last tile goes out and wins the hand."),
            say("A hand has no points: hands won in a row count."),
        ),
        plays=lambda _: DOMINO,
    ),
    Way(
        key="block",
        title=say("Block"),
        settings=("block_winner", "counted_pips", "scoring", "ending"),
        tells=_block,
        voids=_block_voids,
        plays=lambda _: BLOCK,
    ),
    Way(
        key="block_tie",
        title=say("Tied block"),
        settings=("block_tie", "block_winner"),
        tells=_tie,
        voids=_tie_voids,
        plays=_tie_play,
    ),
    Way(
        key="reset",
        title=say("Back to 0-0"),
        settings=("reset",),
        applies=lambda ruleset: ruleset.scoring == "hands" and ruleset.reset != "off",
        tells=lambda ruleset: (RESETS[ruleset.reset],),
        voids=lambda _: (say("It does not happen while the score is level."),),
        plays=lambda _: ExamplePlay(held=DOMINO.held, closing=DOMINO.closing, score=(1, 3, 2)),
    ),
)
