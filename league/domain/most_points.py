"""The most points that a hand can give a side, and the targets that no match can reach."""

from collections.abc import Iterator

from msgspec.structs import astuple

from league.domain.bonuses import BONUSES
from league.domain.collected_refusals import RulebookFault
from league.domain.hand import has_boneyard
from league.domain.rules import Mode, Rulebook, Ruleset
from league.domain.seating import SEATS, seats_of
from league.domain.sentences import say
from league.domain.tiles import full_set, tile_pips

MOST_HANDS = 1_000
"""Limit on the hands of a match."""


def targets_out_of_reach(rulebook: Rulebook, base: Rulebook | None) -> Iterator[RulebookFault]:
    """The targets that a side does not reach even if it wins every hand that a match can have.

    Leaves out rulesets of the base: a league may have adopted such a target before it was refused.
    """
    known = base.rulesets if base else {}
    for name, ruleset in rulebook.rulesets.items():
        if known.get(name) == ruleset:
            continue
        seatings = [(mode, seats) for mode in ruleset.modes for seats in SEATS[mode]]
        most = 1 if ruleset.scoring == "row" else max(most_in_a_hand(ruleset, *seating) for seating in seatings)
        if ruleset.target > most * MOST_HANDS:
            yield RulebookFault(
                f"rulesets.{name}.target",
                say(
                    "no match reaches it: a hand gives at most {most}, and a match has at most {hands} hands; "
                    "write at most {reached}",
                    most=most, hands=MOST_HANDS, reached=most * MOST_HANDS,
                ),
            )  # fmt: skip


def most_in_a_hand(ruleset: Ruleset, mode: Mode, seats: int) -> int:
    """An upper bound on the points that one hand gives a side under a ruleset. It is easily computed, not exact.

    With scoring `points` it is the sum of the heaviest tiles that the counted seats can hold, and of every bonus,
    although some bonuses exclude each other. The shutout of a match counts, since it comes with the last hand. A seat
    makes at most one pase corrido less than it has tiles. With scoring `hands` it is the hand's point and its bonuses.
    """
    tiles = full_set(ruleset.set)
    side = len(seats_of(0, mode, seats))
    bonuses = 0
    for setting, bonus in BONUSES.items():
        points = getattr(ruleset.bonuses, setting)
        given = max(points, default=0) if isinstance(points, tuple) else points or 0
        if bonus.scoring != ruleset.scoring or (setting == "shutout" and ruleset.shutout == "off"):
            continue
        held = len(tiles) if has_boneyard(ruleset, seats) else ruleset.tiles_each
        bonuses += given * side * (held - 1) if setting == "pase_corrido" else given
    if ruleset.scoring == "hands":
        return 1 + bonuses
    if ruleset.ending is not None:
        return int(max(astuple(ruleset.ending))) + bonuses
    heaviest = sorted(map(tile_pips, tiles), reverse=True)
    everybody = _tiles_that_count(ruleset, seats, seats) if ruleset.counted_pips == "all_on_block" else 0
    others = _tiles_that_count(ruleset, seats, seats - (1 if ruleset.counted_pips == "all_others" else side))
    after_domino = sum(heaviest[:others]) * (2 if ruleset.capicua_doubles else 1)
    return max(after_domino, sum(heaviest[:everybody])) + bonuses


def _tiles_that_count(ruleset: Ruleset, seats: int, counted: int) -> int:
    """The most tiles that this many of the seats can hold together at the end of a hand."""
    if has_boneyard(ruleset, seats):
        return len(full_set(ruleset.set)) - (seats - counted) * ruleset.tiles_each
    return counted * ruleset.tiles_each
