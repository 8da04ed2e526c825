"""The inputs of a round, as its drawing stores them, and the tables that follow from them."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Criterion = Literal["series", "meetings", "partners", "byes"]
"""A criterion that may give way."""


class Met(Struct, frozen=True):
    """Somebody met at a table, or had as partner there."""

    id: str
    round: int
    table: int


class Drawn(Struct, frozen=True):
    """A competitor who is available for a round."""

    id: str
    won: int
    """Matches so far."""
    place: int
    """In the standing, from 1; no two are equal."""
    region: str | None = None
    byes: int = 0
    met: tuple[Met, ...] = ()
    """As opponents: at tables of this tournament, voided ones too."""
    partners: tuple[Met, ...] = ()


class Round(Struct, frozen=True):
    """What the pairing of a round reads beside its competitors."""

    seed: str
    number: int
    """From 1."""
    opponent_window: int | None = None
    """Rounds before this one in which a meeting counts; None: all."""
    partner_window: int | None = None
    """The same for partners."""
    region_rounds: int = 0
    """The first rounds, in which competitors of one region are kept apart."""
    by_rating: bool = False
    """Whether the first round pairs by rating: the upper half against the lower one."""
    near_partners: bool = True
    """Whether partners have won about as many matches; else they are drawn."""
    locked: frozenset[frozenset[str]] = frozenset()
    """Two competitors who have met as often as the series allows, where the plan does not let them play casually."""
    fixed: Mapping[str, int] = {}
    """Tables that competitors keep."""


class Relaxed(Struct, frozen=True):
    """A criterion that gave way, and for whom."""

    criterion: Criterion
    ids: tuple[str, ...]
    round: int | None = None
    """Of the earlier meeting."""


class Table(Struct, frozen=True):
    """A match of a round. Side 0 comes first; each side lists its players by seat."""

    number: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    relaxed: tuple[Relaxed, ...] = ()


class Paired(Struct, frozen=True):
    """A round: its tables in the order of their numbers, and who sits out."""

    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()
    relaxed: tuple[Relaxed, ...] = ()
    """Of those who sit out."""


def counting(met: tuple[Met, ...], other: str, number: int, window: int | None) -> list[int]:
    """The rounds within a window before round `number` in which somebody was met, the last one first."""
    first = 1 if window is None else number - window
    return sorted((one.round for one in met if one.id == other and first <= one.round < number), reverse=True)
