"""The bonuses of a hand, in match points on top of the pips."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from league.domain.bonuses import HAND_TERMS, HandBonus
from league.domain.hand import NOBODY_WINS, Closing
from league.domain.rules import Ruleset
from league.domain.sentences import Sentence, say
from league.wording.how_to_score.example import ExamplePlay
from league.wording.how_to_score.way import Way, keys_of
from league.wording.how_to_score.winning import BLOCK, DOMINO, may_draw

Tells = Callable[[Ruleset], Iterable[Sentence]]


def _bonus(
    key: str, title: Sentence, tells: Tells, voids: Tells, plays: ExamplePlay, settings: tuple[str, ...] = ()
) -> Way:
    """The entry of the bonus with this name in `HAND_TERMS`. `settings`: further ones that it tells."""
    bonus = HAND_TERMS[key]
    assert isinstance(bonus, HandBonus), f"{key} is no bonus"

    def points(ruleset: Ruleset) -> tuple[int, ...]:
        given = getattr(ruleset.bonuses, bonus.setting or key)
        return given if isinstance(given, tuple) else () if given is None else (given,)

    return Way(
        key=key,
        title=title,
        settings=(*keys_of(key), *settings),
        applies=lambda ruleset: bool(points(ruleset)) and bonus.scoring == ruleset.scoring,
        tells=tells,
        voids=voids,
        points=points,
        plays=lambda _: plays,
    )


def _not_in_a_block(_: Ruleset) -> Iterator[Sentence]:
    yield say("It does not count in a block.")


def _not_without_winner(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.block_tie in NOBODY_WINS:
        yield say("It does not count when nobody has won the hand.")


# ---------------------------------------------------------------- capicúa

BOTH_ENDS = ExamplePlay(held=DOMINO.held, closing=Closing((3, 5), fits_both_ends=True, ends_equal=True))

CAPICUAS = {
    "fits_both_ends": say("Going out with a tile that could have gone on either end, also where both ends were equal."),
    "ends_equal": say("Going out with a tile after which both ends of the chain show the same number."),
}
"""What a capicúa is, by the setting `capicua`."""

CAPICUA_VOIDS = {
    "double": say("It does not count when the last tile is a double."),
    "blank_half": say("It does not count when the last tile has a blank."),
    "double_blank": say("It does not count when the last tile is the double blank."),
}
"""When a capicúa does not count, by the choices of `capicua_void_on`."""


def capicua_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    """When a capicúa does not count."""
    for kind in ruleset.capicua_void_on:
        yield CAPICUA_VOIDS[kind]
    yield from _not_in_a_block(ruleset)


# ---------------------------------------------------------------- passes


def _not_by_the_clock(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.live.on_timeout == "pass":
        yield say("At a live table a pass by the clock gives nobody a bonus.")


def _opening_pass_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield say("It does not count when the third player passes on the first tile too.")
    if "1v1" in ruleset.modes:
        yield say("It does not count where only two play: there the pass of the other one is a pase corrido.")
    yield from _not_by_the_clock(ruleset)


def _pase_corrido_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield say("It does not count when that player cannot play again either: that is a block.")
    yield from _not_by_the_clock(ruleset)


# ---------------------------------------------------------------- other bonuses


def _shutout(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.shutout == "per_match":
        yield say(
            "Winning the match while every loser is on 0. It is given once, at the end, on top of the final score."
        )
    else:
        yield say("Winning a hand in which nobody else scores anything.")


def _shutout_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if ruleset.shutout == "per_match":
        yield say("It belongs to no hand, and it does not help to reach the target.")
        yield say("It does not count when a side gives up.")
    else:
        yield from _not_without_winner(ruleset)


def _without_draw_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    if not may_draw(ruleset):
        yield say("Nobody draws under these rules, so it is never given.")
    else:
        yield say("It does not count with four players, where nobody draws.")
        yield say("It does not count when the player who goes out has drawn in this hand.")
    yield from _not_in_a_block(ruleset)


def _chuchazo_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield from _not_in_a_block(ruleset)
    if ruleset.capicua_void_on and ruleset.bonuses.capicua is not None:
        yield say("There is no capicúa on top of it, whatever the ends show.")


def _key_bone_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield from _not_in_a_block(ruleset)
    if ruleset.reset == "to_zero":
        yield say("It does not count when the hand takes the score back to 0-0.")


def _round_voids(ruleset: Ruleset) -> Iterator[Sentence]:
    yield say("From hand {number} on there is no such bonus.", number=len(ruleset.bonuses.rounds) + 1)
    yield from _not_without_winner(ruleset)


BONUS_WAYS = (
    _bonus(
        "opening_pass",
        say("Opening pass"),
        lambda _: (
            say("The starter plays the first tile of the hand and the next player passes: for the starter's side."),
            say("It counts also if that side loses the hand."),
        ),
        _opening_pass_voids,
        replace(DOMINO, starter=0, opening_pass=True, modes=("2v2", "individuals")),
        settings=("live.on_timeout",),
    ),
    _bonus(
        "pase_corrido",
        say("Pase corrido"),
        lambda _: (
            say("A player plays a tile, all others pass in turn, and the same player plays again."),
            say("It counts each time, also for the side that loses the hand."),
        ),
        _pase_corrido_voids,
        replace(DOMINO, corridos=(1,)),
        settings=("live.on_timeout",),
    ),
    _bonus("capicua", say("Capicúa"), lambda ruleset: (CAPICUAS[ruleset.capicua],), capicua_voids, BOTH_ENDS),
    _bonus(
        "chuchazo",
        say("Chuchazo"),
        lambda _: (say("Going out with the double blank (0-0)."),),
        _chuchazo_voids,
        replace(DOMINO, closing=Closing((0, 0), fits_both_ends=False, ends_equal=False)),
    ),
    _bonus(
        "double_out",
        say("Going out with a double"),
        lambda _: (say("The last tile of who goes out is a double."),),
        _not_in_a_block,
        replace(DOMINO, closing=Closing((5, 5), fits_both_ends=False, ends_equal=False)),
    ),
    _bonus(
        "domino_without_draw",
        say("Going out without drawing"),
        lambda _: (say("Who goes out has drawn nothing from the boneyard in this hand."),),
        _without_draw_voids,
        replace(DOMINO, drew=(), modes=("1v1", "individuals")),
    ),
    _bonus(
        "block_won",
        say("Winning a block"),
        lambda _: (say("For the side that wins a blocked hand."),),
        _not_without_winner,
        BLOCK,
    ),
    _bonus(
        "first_hand",
        say("Winning the first hand"),
        lambda _: (say("For the side that wins the first hand of the match, by a domino or in a block."),),
        _not_without_winner,
        replace(DOMINO, first=True),
    ),
    _bonus(
        "round_bonus",
        say("Bonus of the first hands"),
        lambda ruleset: (
            say(
                "The winner of hand 1, 2, 3 and so on gets this many points on top: {points}.",
                points=", ".join(map(str, ruleset.bonuses.rounds)),
            ),
        ),
        _round_voids,
        replace(DOMINO, first=True),
    ),
    _bonus(
        "key_bone",
        say("Key bone"),
        lambda _: (say("Going out with a tile that fitted both ends. It comes on top of the point for the hand."),),
        _key_bone_voids,
        BOTH_ENDS,
    ),
    Way(
        key="shutout",
        title=say("Shutout"),
        settings=keys_of("shutout"),
        applies=lambda ruleset: (
            ruleset.scoring == "points" and ruleset.shutout != "off" and ruleset.bonuses.shutout is not None
        ),
        tells=_shutout,
        voids=_shutout_voids,
        points=lambda ruleset: (ruleset.bonuses.shutout or 0,),
        plays=lambda ruleset: replace(DOMINO, first=True, stops=ruleset.shutout == "per_match"),
    ),
)
