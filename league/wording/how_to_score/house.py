"""House rules: a capicúa that doubles, and points by the way in which a hand ends."""

from collections.abc import Iterator

from league.domain.rules import Ruleset
from league.domain.sentences import Sentence, say
from league.wording.how_to_score.bonuses import BOTH_ENDS, CAPICUAS, capicua_voids
from league.wording.how_to_score.way import Way, keys_of
from league.wording.how_to_score.winning import scores_pips


def _doubled(ruleset: Ruleset) -> Iterator[Sentence]:
    yield CAPICUAS[ruleset.capicua]
    yield say("The winner scores the leftover pips twice.")


def _doubled_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield from capicua_voids(ruleset)
    yield say("Bonuses are not doubled.")


def _endings(ruleset: Ruleset) -> Iterator[Sentence]:
    ending = ruleset.ending
    assert ending is not None, "the entry applies where hands score by their ending"
    yield say(
        "Who plays their last tile goes out and wins the hand. What it is worth depends on that tile, not on pips."
    )
    yield say("A double is worth {points}.", points=ending.double)
    yield say("A tile that could have gone on either end is worth {points}.", points=ending.both_ends)
    yield say("A double that could have gone on either end is worth {points}.", points=ending.double_both_ends)
    yield say("Any other tile is worth {points}.", points=ending.domino)


ENDING = Way(
    key="ending",
    title=say("Winning the hand"),
    settings=("hand_points", "ending"),
    applies=lambda ruleset: ruleset.ending is not None,
    tells=_endings,
    voids=lambda _: (say("Pips are not counted, but they decide a block."),),
    plays=lambda _: BOTH_ENDS,
)

DOUBLED = Way(
    key="capicua_doubled",
    title=say("Capicúa that doubles"),
    settings=keys_of("capicua_doubled"),
    applies=lambda ruleset: scores_pips(ruleset) and ruleset.capicua_doubles,
    tells=_doubled,
    voids=_doubled_voids,
    plays=lambda _: BOTH_ENDS,
)
