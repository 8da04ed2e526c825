"""What else holds in a match: how it ends, who starts, what is dealt, and feats that are noted without points."""

from collections.abc import Iterator

from msgspec.structs import replace

from league.domain.hand import NOBODY_WINS
from league.domain.result import has_viajera
from league.domain.rules import Bonuses, Ruleset
from league.domain.seating import MODES
from league.domain.sentences import Sentence, either, say
from league.domain.tiles import full_set
from league.wording.how_to_score.bonuses import BOTH_ENDS, CAPICUAS, capicua_voids
from league.wording.how_to_score.example import ExamplePlay
from league.wording.how_to_score.way import Way
from league.wording.how_to_score.winning import DOMINO, may_draw

# ---------------------------------------------------------------- the end


def _end(ruleset: Ruleset) -> Iterator[Sentence]:
    target = ruleset.target
    match ruleset.scoring:
        case "row":
            yield say("The first side to win {target} hands in a row wins the match.", target=target)
            yield say("A hand that another side wins, or nobody, ends the row.")
        case "hands":
            yield say("The first side with {target} hand points wins the match.", target=target)
        case "points":
            yield say("The first side with {target} points wins the match.", target=target)
    if ruleset.bonuses.opening_pass is not None or ruleset.bonuses.pase_corrido is not None:
        # Only with these can a side score in a hand that another one wins.
        yield say("A hand is always played to its end; if more than one side has reached the target, the highest wins.")
        yield say("Where these are level, the side that won the latest hand wins.")
    if ruleset.scoring == "row":
        yield say("If play stops before, the side whose row is running wins.")
    else:
        yield say("If play stops before, the side that leads wins; on a level score the one that won the latest hand.")


# ---------------------------------------------------------------- who starts, who draws

FIRST_STARTERS = {
    "starting_draw": say(
        "Each player draws a tile; who has the most pips starts the first hand. On a tie all draw again."
    ),
    "highest_double": say(
        "The first hand is started by the holder of the highest double of the set. If it sleeps, by that of the next "
        "double; if all doubles sleep, by that of the highest tile. That tile is played first."
    ),
}
"""Who starts the first hand, by the setting `first_starter`."""

DRAWS = {
    "pass": say("Who has no tile that fits passes."),
    "draw_until_playable": say(
        "With two or three players, who has no tile that fits draws until one does, and passes "
        "when the boneyard is empty. With four players who cannot play passes."
    ),
    "draw_one": say(
        "With two or three players, who has no tile that fits draws one, and passes if it does not fit. "
        "With four players who cannot play passes."
    ),
}
"""What a player does who cannot play, by the setting `cannot_play`."""


def _start(ruleset: Ruleset) -> Iterator[Sentence]:
    yield FIRST_STARTERS[ruleset.first_starter]
    yield say("Each later hand is started by the player who won the hand before.")


def _start_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.block_tie in NOBODY_WINS:
        yield say("After a block that nobody has won, the tied block says who starts.")


def _tiles(ruleset: Ruleset) -> Iterator[Sentence]:
    values = {"count": len(full_set(ruleset.set)), "each": ruleset.tiles_each}
    if ruleset.set == "double-six":
        yield say("The double-six set with {count} tiles; each player gets {each}.", **values)
    else:
        yield say("The double-nine set with {count} tiles; each player gets {each}.", **values)
    yield say("It is played {modes}.", modes=either(MODES[mode] for mode in ruleset.modes))


# ---------------------------------------------------------------- feats


def _has_points(ruleset: Ruleset) -> bool:
    return ruleset.scoring == "points"


def _viajera_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.bonuses != Bonuses():
        yield say("Bonuses do not count towards it.")
    if ruleset.counted_pips == "all_on_block":
        yield say("The pips that the winner's own side holds do not count towards it.")
    if ruleset.capicua_doubles:
        yield say("The pips count once towards it, also with a capicúa.")


def _viajera_play(ruleset: Ruleset) -> ExamplePlay:
    half = ruleset.viajera_from // 2
    return ExamplePlay(held=((), ruleset.viajera_from - half, 9, half), closing=DOMINO.closing, modes=("2v2",))


GAME = (
    Way(
        key="end",
        title=say("The end"),
        settings=("target", "scoring"),
        tells=_end,
        part="game",
    ),
    Way(
        key="start",
        title=say("Who starts"),
        settings=("first_starter", "next_starter"),
        tells=_start,
        voids=_start_voids,
        part="game",
    ),
    Way(
        key="cannot_play",
        title=say("Who cannot play"),
        settings=("cannot_play",),
        tells=lambda ruleset: (DRAWS[ruleset.cannot_play if may_draw(ruleset) else "pass"],),
        part="game",
    ),
    Way(
        key="tiles",
        title=say("Tiles"),
        settings=("set", "tiles_each", "modes"),
        tells=_tiles,
        part="game",
    ),
    Way(
        key="capicua",
        title=say("Capicúa"),
        settings=("capicua", "capicua_void_on"),
        applies=lambda ruleset: (
            ruleset.scoring != "points" or (ruleset.bonuses.capicua is None and not ruleset.capicua_doubles)
        ),
        tells=lambda ruleset: (CAPICUAS[ruleset.capicua], say("It is noted and gives no points.")),
        voids=capicua_voids,
        plays=lambda _: BOTH_ENDS,
        part="noted",
    ),
    Way(
        key="viajera",
        title=say("Viajera"),
        settings=("viajera_from",),
        applies=has_viajera,
        tells=lambda ruleset: (
            say("A hand in which the winner scores {pips} pips or more.", pips=ruleset.viajera_from),
            say("It is noted and gives no further points."),
        ),
        voids=_viajera_voids,
        plays=_viajera_play,
        part="noted",
    ),
    Way(
        key="pollona",
        title=say("Pollona"),
        settings=(),
        applies=_has_points,
        tells=lambda _: (
            say("Winning the match while every loser is on 0."),
            say("It is noted and gives no points."),
        ),
        voids=lambda _: (say("It does not count when a side gives up."),),
        plays=lambda _: replace(DOMINO, stops=True, first=True),
        part="noted",
    ),
)
