"""The last stage of all formats: the numbers of tables, the order of sides, and the seats of a side."""

from collections.abc import Sequence
from operator import attrgetter

from msgspec import Struct

from league.domain.competitor import competitor_of
from league.tournaments.domain.drawn import Drawn, Relaxed, Round, Table, tie_value


class Pairing(Struct, frozen=True):
    """A match that has no table yet."""

    sides: tuple[tuple[Drawn, ...], tuple[Drawn, ...]]
    relaxed: tuple[Relaxed, ...] = ()

    @property
    def everybody(self) -> list[Drawn]:
        """The competitors of both sides."""
        return [one for side in self.sides for one in side]


def numbered(pairings: Sequence[Pairing], of: Round) -> tuple[Table, ...]:
    """The tables of a round: the one with the most matches won is 1, then by the best place; a fixed table is kept.

    Where two at a table, or two tables, keep the same number, the better place has it.
    """
    ranked = sorted(pairings, key=lambda one: (-sum(each.won for each in one.everybody), _best(one)))
    kept: dict[int, Pairing] = {}
    for pairing in sorted(pairings, key=_best):
        for one in sorted(pairing.everybody, key=attrgetter("place")):
            number = of.fixed.get(one.id)
            if number is not None and 1 <= number <= len(pairings) and number not in kept:
                kept[number] = pairing
                break
    others = iter([one for one in ranked if one not in kept.values()])
    by_number = {number: kept.get(number) or next(others) for number in range(1, len(pairings) + 1)}
    return tuple(_table(number, pairing, of) for number, pairing in by_number.items())


def _table(number: int, pairing: Pairing, of: Round) -> Table:
    def seated(side: Sequence[Drawn]) -> tuple[str, ...]:
        return tuple(sorted((one.id for one in side), key=lambda id_: tie_value(of.seed, "seat", id_)))

    first, second = sorted(map(seated, pairing.sides), key=lambda side: tie_value(of.seed, "side", competitor_of(side)))
    return Table(number, (first, second), pairing.relaxed)


def _best(pairing: Pairing) -> int:
    return min(one.place for one in pairing.everybody)
