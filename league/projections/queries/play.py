"""How competitors played, turn by turn: sums over the hands whose turns are known."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from sqlalchemy import Float, Select, and_, bindparam, cast, func, select, true

from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.queries.played import STATEMENTS, Counted, Whose, owned_by, played
from league.projections.queries.snapshot import Snapshot


class Play(Struct, frozen=True):
    """Sums over the hands; of a pair over both of its players."""

    hands: int = 0
    """Of which the turns are known."""
    turns: int = 0
    passes: int = 0
    passes_caused: int = 0
    average_milliseconds: float | None = None
    """For a play; None without a play whose time is known."""
    closed_by_domino: int = 0
    closed_by_block: int = 0
    average_pips: float | None = None
    """Held at the end of a hand, by a player; None without a hand."""
    led: tuple[tuple[int, int], ...] = ()
    """By half, how often a tile with it led a hand; those that led one, in ascending order."""


def play_of(snapshot: Snapshot, counted: Counted, whose: Sequence[Whose]) -> dict[Whose, Play]:
    """How each of them played in these matches."""
    (sums, led), of_these = _statements(counted.shape), owned_by(snapshot.run, whose, counted)
    halves: dict[Whose, list[tuple[int, int]]] = {one: [] for one in whose}
    for of, against, number, times in snapshot.conn.execute(led, of_these):
        halves[Whose(of, against)].append((number, times))
    found = {one: Play() for one in whose}
    for row in snapshot.conn.execute(sums, of_these):
        figures = {name: getattr(row, name) for name in Play.__struct_fields__ if name != "led"}
        one = Whose(row.of_, row.against)
        found[one] = Play(**figures, led=tuple(halves[one]))
    return found


@lru_cache(STATEMENTS)
def _statements(counted: Counted) -> tuple[Select[Any], Select[Any]]:
    """What reads the sums over all hands, and how often each half led."""
    rows, p, h, m = played(counted), t.play_metrics.c, t.hands.c, t.matches.c
    owners = competitor_columns.players_of(rows.c.of_)
    hands = (
        select(rows.c.of_, rows.c.against, *(column for column in p if column.name != "player_id"))
        .join(t.play_metrics, and_(p.match_id == rows.c.match_id, p.player_id == func.any(owners)))
        .join(t.hands, and_(h.run == bindparam("run"), h.match_id == p.match_id, h.hand == p.hand))
        .join(t.matches, and_(m.run == bindparam("run"), m.match_id == p.match_id))
        .where(h.counted, m.status != "forfeited")
        .cte("of_hands")
    ).c
    sums = ("turns", "passes", "passes_caused")
    query = select(
        hands.of_,
        hands.against,
        func.count(func.distinct(func.row(hands.match_id, hands.hand))).label("hands"),
        *(func.sum(hands[name]).label(name) for name in sums),
        cast(func.sum(hands.milliseconds) / func.nullif(cast(func.sum(hands.timed), Float(53)), 0), Float(53)).label(
            "average_milliseconds"
        ),
        func.count().filter(hands.closed_by == "domino").label("closed_by_domino"),
        func.count().filter(hands.closed_by == "block").label("closed_by_block"),
        cast(func.avg(hands.pips), Float(53)).label("average_pips"),
    ).group_by(hands.of_, hands.against)
    half = func.unnest(hands.led).table_valued("half").render_derived(name="halves")
    # A double has its number twice, and leads with it once.
    led = (
        select(hands.of_, hands.against, half.c.half, func.count(func.distinct(func.row(hands.match_id, hands.hand))))
        .join(half, true())
        .group_by(hands.of_, hands.against, half.c.half)
        .order_by(half.c.half)
    )
    return query, led
