"""The facts of a hand as options of a command."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct
from msgspec.structs import replace

from league.cli.seated import Seated
from league.domain.hand import Closing, HandFacts, Held
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.tiles import Tile
from league.wording.language import _

Ended = Annotated[
    Literal["domino", "block"] | None, typer.Option(help=_("How the hand ended; a block is also called tranque."))
]
By = Annotated[str | None, typer.Option(metavar="PLAYER", help=_("Who went out, or whose tile blocked the hand."))]
Winner = Annotated[
    str | None, typer.Option(metavar="SIDE", help=_("The side that the sheet names as the winner of the hand."))
]
Leftover = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHO=PIPS",
        help=_("Pips left with a side or a player: 'Rosa & Juan=35', 'Rosa=20', or tiles: 'Rosa=6-6 3-1'. Repeatable."),
    ),
]
Starter = Annotated[str | None, typer.Option(metavar="PLAYER", help=_("Who started."))]
LastTile = Annotated[str | None, typer.Option("--tile", metavar="A-B", help=_("The last tile that was played."))]
FitsBothEnds = Annotated[
    bool | None,
    typer.Option("--fits-both-ends/--fits-one-end", help=_("Whether the last tile could have gone on either end.")),
]
EndsEqual = Annotated[
    bool | None, typer.Option("--ends-equal/--ends-differ", help=_("Whether both ends were equal after it."))
]
BlocksToo = Annotated[
    bool | None, typer.Option("--blocks-too/--blocks-not", help=_("Whether nobody could have moved after it."))
]
Capicua = Annotated[
    bool | None, typer.Option("--capicua/--no-capicua", help=_("Whether the sheet claims a capicúa, or none."))
]
OpeningPass = Annotated[
    bool | None,
    typer.Option("--opening-pass/--no-opening-pass", help=_("Whether there was an opening pass that scores.")),
]
Corridos = Annotated[
    list[str] | None,
    typer.Option("--pase-corrido", metavar="WHO", help=_("Who made a pase corrido: a player or a side. Repeatable.")),
]
NoCorrido = Annotated[bool, typer.Option("--no-pase-corrido", help=_("There was no pase corrido."))]
Drew = Annotated[list[str] | None, typer.Option(metavar="PLAYER", help=_("Who drew from the boneyard. Repeatable."))]
NobodyDrew = Annotated[bool, typer.Option("--nobody-drew", help=_("Nobody drew from the boneyard."))]
FactsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=_("Read the facts from a JSON file in the format of a recorded season, and from no option."),
    ),
]

TILE = re.compile(r"\[?\s*(\d)\s*[-|/:]\s*(\d)\s*\]?")
TILES = re.compile(rf"(?:{TILE.pattern}[\s,]*)+")


class GivenHand(Struct, frozen=True):
    """What the options of a command say of a hand; None: nothing."""

    ended: Literal["domino", "block"] | None = None
    by: str | None = None
    winner: str | None = None
    leftover: list[str] | None = None
    starter: str | None = None
    tile: str | None = None
    fits_both_ends: bool | None = None
    ends_equal: bool | None = None
    blocks_too: bool | None = None
    capicua: bool | None = None
    opening_pass: bool | None = None
    corridos: list[str] | None = None
    drew: list[str] | None = None


def listed(given: list[str] | None, *, none: bool, at: str) -> list[str] | None:
    """Who is named for something that happens several times; empty when the options say that there was none. Raises."""
    if none and given:
        raise InvalidInput(at, say("names players, and says that there were none"))
    return [] if none else given or None


def facts_given(given: GivenHand, seated: Seated, facts: HandFacts) -> HandFacts:
    """Facts with what the options say in the place of what was known. Raises InvalidInput."""
    if given.ended is not None and given.ended != facts.ended_by:
        facts = replace(facts, ended_by=given.ended, seat=None)
    if given.by is not None:
        facts = replace(facts, seat=seated.seat(given.by, "by"))
    if given.winner is not None:
        facts = replace(facts, stated_winner=seated.side(given.winner, "winner"))
    if given.leftover is not None:
        facts = replace(facts, leftover=(None,) * len(seated.ids), side_leftover=None)
        for entry in given.leftover:
            facts = _with_leftover(facts, entry, seated)
    if given.starter is not None:
        facts = replace(facts, starter=seated.seat(given.starter, "starter"))
    if given.corridos is not None:
        facts = with_corridos(facts, given.corridos, seated)
    if given.drew is not None:
        facts = replace(facts, drew=tuple(seated.seat(who, "drew") for who in given.drew))
    plain = {"stated_capicua": given.capicua, "opening_pass": given.opening_pass}
    closing = {name: getattr(given, name) for name in ("fits_both_ends", "ends_equal", "blocks_too")}
    tile = None if given.tile is None else read_tile(given.tile, "tile")
    return replace(
        facts,
        closing=replace(facts.closing, **_known({**closing, "tile": tile})),
        **_known(plain),
    )


def no_facts(ended: Literal["domino", "block"], seated: Seated) -> HandFacts:
    """A hand of which only its ending is known."""
    return HandFacts(None, ended, None, (None,) * len(seated.ids), Closing())


def with_held(facts: HandFacts, seat: int, held: Held) -> HandFacts:
    """The facts with what a seat still holds."""
    return replace(facts, leftover=(*facts.leftover[:seat], held, *facts.leftover[seat + 1 :]))


def with_side_leftover(facts: HandFacts, side: int, pips: int, seated: Seated) -> HandFacts:
    """The facts with the pips of a side; those of a side of one player are the player's."""
    seats = seated.seats_of(side)
    if len(seats) == 1:
        return with_held(facts, seats[0], pips)
    totals = list(facts.side_leftover or (None,) * len(seated.sides))
    totals[side] = pips
    return replace(facts, side_leftover=tuple(totals))


def with_corridos(facts: HandFacts, whose: list[str], seated: Seated) -> HandFacts:
    """The facts with the pases corridos of players; where one is only known by its side, of sides."""
    if any(seated.are_partners(who) for who in whose):
        sides = [seated.side(who, "pase_corrido") for who in whose]
        return replace(facts, corridos=None, side_corridos=tuple(map(sides.count, range(len(seated.sides)))))
    return replace(facts, corridos=tuple(seated.seat(who, "pase_corrido") for who in whose), side_corridos=None)


def read_tile(text: str, at: str) -> Tile:
    """A tile as people write it: `6-3`, `6|3` or `[6|3]`. Raises InvalidInput."""
    read = TILE.fullmatch(text.strip())
    if read is None:
        raise InvalidInput(at, say("{text} is not a tile; write it as 6-3", text=repr(text)))
    return (int(read[1]), int(read[2]))


def read_held(text: str, at: str) -> Held:
    """What a player still holds: pips, or tiles. Raises InvalidInput."""
    text = text.strip()
    if text.isdecimal():
        return int(text)
    if TILES.fullmatch(text):
        return tuple((int(a), int(b)) for a, b in TILE.findall(text))
    raise InvalidInput(at, say("{text} is neither pips nor tiles; write 20, or 6-6 3-1", text=repr(text)))


def _with_leftover(facts: HandFacts, entry: str, seated: Seated) -> HandFacts:
    who, sign, what = entry.rpartition("=")
    if not sign:
        raise InvalidInput("leftover", say("{entry} needs a player or a side before =", entry=repr(entry)))
    held = read_held(what, "leftover")
    if not seated.are_partners(who):
        return with_held(facts, seated.seat(who, "leftover"), held)
    side = seated.side(who, "leftover")
    if not isinstance(held, int):
        raise InvalidInput("leftover", say("{entry} names tiles: say which of the two holds them", entry=repr(entry)))
    return with_side_leftover(facts, side, held, seated)


def _known(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
