"""The inputs of a round, as its drawing stores them, and the tables that follow from them."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from league.tournaments.domain.seed import tie_value

Criterion = Literal["series", "meetings", "partners", "byes"]
"""A criterion that may give way."""


class Met(Struct, frozen=True):
    """Somebody met at a table, or had as partner there."""

    id: str
    round: int
    table: int


class Ranked(Struct, frozen=True, omit_defaults=True):
    """A competitor who is available for a round, as its drawing stores them."""

    id: str
    won: int
    """Matches so far."""
    rank: int
    """In the standing, or by rating before the first round. Those who are equal share it."""
    region: str | None = None
    byes: int = 0
    met: tuple[Met, ...] = ()
    """As opponents: at tables of this tournament, voided ones too."""
    partners: tuple[Met, ...] = ()


class Drawn(Struct, frozen=True):
    """A competitor who is available for a round, with a place that nobody shares."""

    id: str
    won: int
    place: int
    """From 1."""
    region: str | None = None
    byes: int = 0
    met: tuple[Met, ...] = ()
    partners: tuple[Met, ...] = ()


def placed(ranked: Iterable[Ranked], seed: str) -> list[Drawn]:
    """The competitors by place: by rank, and of those who share one by tie value (stage `place`).

    The seed follows from the log with the drawing, so a drawing cannot store places.
    """
    ordered = sorted(ranked, key=lambda one: (one.rank, tie_value(seed, "place", one.id)))
    return [
        Drawn(one.id, one.won, place, one.region, one.byes, one.met, one.partners)
        for place, one in enumerate(ordered, 1)
    ]


def as_ranked(drawn: Iterable[Drawn]) -> tuple[Ranked, ...]:
    """What a drawing would have stored of competitors whose places are known."""
    return tuple(Ranked(one.id, one.won, one.place, one.region, one.byes, one.met, one.partners) for one in drawn)


class Commitment(Struct, frozen=True):
    """What a competitor's device promised before a drawing: the hash of bytes that only it knows."""

    id: str
    """Of the competitor."""
    position: int | None
    """In the log; None until the round is paired."""
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class Contribution(Struct, frozen=True):
    """What a competitor's device gave for a drawing."""

    id: str
    """Of the competitor."""
    bytes: str
    """32 bytes in lower-case hexadecimal. Their SHA-256 is the commitment."""


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
