"""The tables of a round once it is known who meets: their numbers, the order of sides, and the seats.

Rules, Tournaments, "Table numbers".
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from msgspec import Struct

from league.domain.seating import competitor_of
from league.tournaments.domain.drawn import (
    PairedTable,
    PlacedCompetitor,
    Relaxation,
    RoundPairings,
    RoundToPair,
    tie_value,
)


class Pairing(Struct, frozen=True):
    """Two sides who meet, before their table has a number."""

    sides: tuple[tuple[PlacedCompetitor, ...], tuple[PlacedCompetitor, ...]]
    relaxed: tuple[Relaxation, ...] = ()

    @property
    def everybody(self) -> list[PlacedCompetitor]:
        """The competitors of both sides."""
        return [one for side in self.sides for one in side]


def numbered_meetings(
    drawn: Sequence[PlacedCompetitor],
    wanted: Sequence[tuple[str, str]],
    of: RoundToPair,
    *,
    with_absent: bool = False,
) -> RoundPairings:
    """The wanted meetings among available competitors; the rest sit out. Planned repeats do not give way.

    `with_absent`: meetings with somebody who left are tables too, after all others. They are not played.
    """
    known: Mapping[str, PlacedCompetitor] = {one.id: one for one in drawn}
    there = [(known[a], known[b]) for a, b in wanted if a in known and b in known]
    tables = numbered([Pairing(((a,), (b,)), given_lock((a.id, b.id), of)) for a, b in there], of)
    if with_absent:
        tables += _with_absent(known, wanted, of, len(tables))
    playing = {id_ for table in tables for side in table.sides for id_ in side}
    return RoundPairings(tables, tuple(one.id for one in drawn if one.id not in playing))


def _with_absent(
    known: Mapping[str, PlacedCompetitor], wanted: Sequence[tuple[str, str]], of: RoundToPair, before: int
) -> tuple[PairedTable, ...]:
    """The tables of somebody who left, by the place of who is there; those of two who left come last, by their ids.

    `before`: how many other tables there are.
    """

    def order(two: tuple[str, str]) -> tuple[int, list[str]]:
        places = [known[id_].place for id_ in two if id_ in known]
        return min(places, default=len(known) + 1), sorted(two, key=str.encode)

    absent = sorted((two for two in wanted if not known.keys() >= set(two)), key=order)
    return tuple(
        PairedTable(number, in_order_of_sides([(a,), (b,)], of.seed), ())
        for number, (a, b) in enumerate(absent, before + 1)
    )


def given_lock(names: tuple[str, str], of: RoundToPair) -> tuple[Relaxation, ...]:
    """The criterion `series` if the series has locked the two who meet; otherwise nothing."""
    return (Relaxation("series", names),) if frozenset(names) in of.locked else ()


def numbered(pairings: Sequence[Pairing], of: RoundToPair) -> tuple[PairedTable, ...]:
    """The tables of a round with their numbers. Competitors with a fixed table get it if the round has that number.

    Among the others, most matches won comes first, then the best place. If competitors keep different numbers at one
    table, or one number at different tables, the better place decides.
    """
    ranked = sorted(pairings, key=lambda one: (-sum(each.won for each in one.everybody), _best(one)))
    fixed: dict[int, Pairing] = {}
    for pairing in sorted(pairings, key=_best):
        for one in sorted(pairing.everybody, key=attrgetter("place")):
            number = of.fixed.get(one.id)
            if number is not None and 1 <= number <= len(pairings) and number not in fixed:
                fixed[number] = pairing
                break
    others = iter([one for one in ranked if one not in fixed.values()])
    by_number = {number: fixed.get(number) or next(others) for number in range(1, len(pairings) + 1)}
    return tuple(_table(number, pairing, of) for number, pairing in by_number.items())


def _table(number: int, pairing: Pairing, of: RoundToPair) -> PairedTable:
    def seated(side: Sequence[PlacedCompetitor]) -> tuple[str, ...]:
        return tuple(sorted((one.id for one in side), key=lambda id_: tie_value(of.seed, "seat", id_)))

    return PairedTable(number, in_order_of_sides(map(seated, pairing.sides), of.seed), pairing.relaxed)


def in_order_of_sides(sides: Iterable[tuple[str, ...]], seed: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sides of a table, the one with the lower tie value first."""
    first, second = sorted(sides, key=lambda side: tie_value(seed, "side", competitor_of(side)))
    return first, second


def _best(pairing: Pairing) -> int:
    return min(one.place for one in pairing.everybody)
