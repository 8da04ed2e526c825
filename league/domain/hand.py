"""The facts of one hand: what happened at the table. `hand_faults` says which of them cannot be true together."""

from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from league.domain.rules import Ruleset
from league.domain.seating import FULL_TABLE
from league.domain.tiles import Tile, ordered, total_pips

Held = tuple[Tile, ...] | int | None
"""What a seat still holds: its tiles, or only their pip total, or unknown."""


# gc=False, here and in what else the folds make by the million: plain values that form no cycles, which the garbage
# collector need not go through.
class Closing(Struct, frozen=True, gc=False):
    """The last tile played and its facts; None where a fact is not known."""

    tile: Tile | None = None
    fits_both_ends: bool | None = None
    """Before it was played it could go on either end, also when both ends were equal."""
    ends_equal: bool | None = None
    """After it was played both ends show the same number."""
    blocks_too: bool | None = None
    """After it no seat could have moved, with any held tile or one of the boneyard."""


def _unknown() -> None:
    """The default of a fact that is written into events even where it is not known: plain defaults are left out."""


class HandFacts(Struct, frozen=True, gc=False, omit_defaults=True):
    """What is known of a hand. None always means: not known."""

    starter: int | None
    ended_by: Literal["domino", "block"]
    seat: int | None
    """By a domino the seat that went out; in a block the locker."""
    leftover: tuple[Held, ...]
    closing: Closing = field(default_factory=Closing)
    opening_pass: bool | None = field(default_factory=_unknown)
    """True when it scores: one that the third seat voids is false."""
    corridos: tuple[int, ...] | None = field(default_factory=_unknown)
    """The seat of each pase corrido, in order."""
    drew: tuple[int, ...] | None = field(default_factory=_unknown)
    """The seats that drew from the boneyard."""
    side_leftover: tuple[int | None, ...] | None = None
    """By side, the pips of partners whose tiles were not counted apart."""
    side_corridos: tuple[int, ...] | None = None
    """By side, how many pases corridos it made, where the seats are not known."""
    stated_winner: int | None = None
    """The side that the sheet names as the winner: evidence, read where the facts do not give one."""
    stated_capicua: bool | None = None
    """Whether the sheet claims a capicúa: evidence, read where the facts do not settle it."""


def has_boneyard(ruleset: Ruleset, seats: int) -> bool:
    """True when a seat that cannot play draws; with four seats there is no boneyard (Caribbean text, Playing Turns)."""
    return ruleset.cannot_play != "pass" and seats < FULL_TABLE


def held_pips(held: Held) -> int | None:
    """The pips of what a seat still holds, None where unknown."""
    return held if held is None or isinstance(held, int) else total_pips(held)


def spelled(facts: HandFacts) -> HandFacts:
    """The facts in one spelling: every tile with its lower half first, held tiles in order."""
    leftover = tuple(tuple(sorted(map(ordered, held))) if isinstance(held, tuple) else held for held in facts.leftover)
    tile = facts.closing.tile and ordered(facts.closing.tile)
    return replace(facts, leftover=leftover, closing=replace(facts.closing, tile=tile))


def with_statement_of(said: HandFacts, facts: HandFacts) -> HandFacts:
    """The facts of a hand, with what the sheet states beside them."""
    return replace(facts, stated_winner=said.stated_winner, stated_capicua=said.stated_capicua)
