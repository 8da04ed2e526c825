"""Two runs side by side: the basis of every list of a difference; and matches and hands that differ."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Subquery,
    Table,
    and_,
    column,
    func,
    literal,
    or_,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import distinct_on

from league.eventlog.codec import UNFOLDED
from league.projections import tables as t
from league.projections.boards.board import DisplayRules, display_rules_now
from league.projections.queries.pages import Order, Query, R, typed


class TwoRuns(Struct, frozen=True):
    """Two runs of the league to compare: `before` refers to the first run and `after` to the second."""

    first: int
    second: int
    first_shown: DisplayRules | None
    """The display rules of the run; None without a decided match."""
    second_shown: DisplayRules | None
    first_position: int
    """The log position up to which the run is folded."""
    second_position: int
    events_in_one_run: tuple[int, int] | None
    """The first and the last position that only one run has folded; None where both have folded the same events.

    If there are such events, differences may come from them and not from the rules: a replay does not follow the log,
    and a replay of what was known at a moment ends there. Events that folds do not read, such as the start of a replay,
    do not count.
    """


class DifferenceList(Struct, Generic[R], frozen=True):
    """A list of what differs between two runs, as the API, the command line and files read it."""

    row: type[R]
    query: Callable[..., Query]
    """Gives the rows for two runs, with conditions as keyword arguments; each list has `player`, with their pairs."""
    orders: Mapping[str, Order]
    """The orders by name; the first is the usual one."""
    columns: Mapping[str, str]
    """The columns of exported files by name, each with the field of the row."""
    whole: Callable[[Connection, TwoRuns], dict[str, Any]] = lambda *_: {}
    """Gives the further arguments of `query` for the whole list."""

    @property
    def usual(self) -> Order:
        """The order in which it is listed."""
        return next(iter(self.orders.values()))


def same_names(*names: str) -> dict[str, str]:
    """Columns that have the names of the row's fields."""
    return {name: name for name in names}


m, h = t.matches.c, t.hands.c

_EVENTS_BETWEEN = text(
    "SELECT min(position), max(position) FROM followed_events"
    " WHERE position > :behind AND position <= :ahead AND topic <> ALL(:unfolded)"
)


def two_runs(conn: Connection, first: int, second: int) -> TwoRuns:
    """Two runs to compare. The caller prevents their removal (`snapshot.chosen_run`)."""
    r = t.runs.c
    rows = conn.execute(select(r.run, r.position).where(r.run.in_((first, second))))
    positions = {row.run: row.position for row in rows}
    behind, ahead = sorted((positions[first], positions[second]))
    asked = {"behind": behind, "ahead": ahead, "unfolded": list(UNFOLDED)}
    from_, to = conn.execute(_EVENTS_BETWEEN, asked).one()
    return TwoRuns(
        first,
        second,
        display_rules_now(conn, first),
        display_rules_now(conn, second),
        positions[first],
        positions[second],
        None if from_ is None else (from_, to),
    )


def joined(of_first: Subquery, of_second: Subquery, *keys: str) -> tuple[FromClause, tuple[ColumnElement[Any], ...]]:
    """The rows of both runs in a full join by key; and the key columns."""
    same = and_(*(of_first.c[key] == of_second.c[key] for key in keys))
    either = tuple(func.coalesce(of_first.c[key], of_second.c[key]).label(key) for key in keys)
    return of_first.join(of_second, same, full=True), either


def rows_of(table: Table, two: TwoRuns, *wanted: ColumnElement[bool]) -> tuple[Subquery, Subquery]:
    """The rows of a table in the first run and in the second; `wanted` are conditions on the table's columns."""
    rows = select(table).where(*wanted)
    of_first, of_second = (rows.where(table.c.run == run) for run in (two.first, two.second))
    return of_first.subquery("first"), of_second.subquery("second")


def before_and_after(of_first: Subquery, of_second: Subquery, *names: str) -> list[ColumnElement[Any]]:
    """These columns of both runs, suffixed `_before` and `_after`."""
    return [
        run.c[name].label(f"{name}_{when}")
        for name in names
        for run, when in ((of_first, "before"), (of_second, "after"))
    ]


def of_player(player: str, id_: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether an id is the player's, or that of a pair that includes the player."""
    return t.includes(id_, player)


def listed(rows: Query) -> Query:
    """A list whose columns are named as its order names them."""
    return select(rows.subquery("listed"))


# ---------------------------------------------------------------- results of matches


class ResultRow(NamedTuple):
    """The result of a match in two runs; None where a run does not have it."""

    match_id: str
    ruleset: str
    mode: str
    began_at: datetime
    decided_at_before: datetime | None
    decided_at_after: datetime | None
    winner_before: int | None
    winner_after: int | None
    score_before: list[int] | None
    score_after: list[int] | None
    status_before: str | None
    status_after: str | None
    # a JSON document: [side, rule, points], added to the score of the match and to no hand
    terms_before: list[list[Any]] | None
    terms_after: list[list[Any]] | None


def results(two: TwoRuns, *, mode: str | None = None, player: str | None = None) -> Query:
    """Rows of ResultRow: matches with a different winner, score or status."""
    wanted = [] if mode is None else [m.mode == mode]
    wanted += [] if player is None else [literal(player) == func.any(m.seats)]
    of_first, of_second = rows_of(t.matches, two, *wanted)
    both, _ = joined(of_first, of_second, "match_id")
    either = ("match_id", "ruleset", "mode", "began_at")
    rows = select(
        *(func.coalesce(of_first.c[name], of_second.c[name]).label(name) for name in either),
        *before_and_after(of_first, of_second, "decided_at", "winner", "score", "status", "terms"),
    )
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "score", "status"))
    return listed(rows.select_from(both).where(or_(*differs)))


RESULTS = DifferenceList(
    ResultRow,
    results,
    {"by_beginning": Order((column("began_at", t.Time), column("match_id", t.Id)))},
    {
        "match": "match_id",
        **same_names("ruleset", "mode", "decided_at_before", "decided_at_after", "winner_before", "winner_after"),
        **same_names("score_before", "score_after", "status_before", "status_after", "terms_before", "terms_after"),
    },
)


# ---------------------------------------------------------------- hands


class HandMoveRow(NamedTuple):
    """A hand in two runs; None where a run does not score it."""

    match_id: str
    hand: int
    position: int
    """The position of the event that recorded or last corrected the hand."""
    winner_before: int | None
    winner_after: int | None
    points_before: list[int] | None
    points_after: list[int] | None
    counted_before: bool | None
    counted_after: bool | None
    terms_before: list[list[Any]] | None  # a JSON document: [side, rule, points] of each
    terms_after: list[list[Any]] | None


class FirstHand(NamedTuple):
    """The first hand of a match that is scored differently, and how many of its hands are."""

    hand: HandMoveRow
    hands: int


def other_hands(two: TwoRuns, matches: Sequence[str] | None = None) -> Query:
    """Rows of HandMoveRow: hands with a different winner or different points, or that count in one run only.

    `matches`: only hands of these matches; None: all.
    """
    of_first, of_second = rows_of(t.hands, two, *([] if matches is None else [h.match_id.in_(matches)]))
    both, key = joined(of_first, of_second, "match_id", "hand")
    # A corrected hand shows the position of its correction.
    position = func.greatest(of_first.c.position, of_second.c.position).label("position")
    rows = select(*key, position, *before_and_after(of_first, of_second, "winner", "points", "counted", "terms"))
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "points", "counted"))
    return listed(rows.select_from(both).where(or_(*differs)))


def first_hands(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, FirstHand]:
    """For each of these matches that has hands scored differently, the first such hand and their number."""
    rows = other_hands(two, matches).subquery()
    query = (
        select(rows, func.count().over(partition_by=rows.c.match_id).label("hands"))
        .ext(distinct_on(rows.c.match_id))
        .order_by(rows.c.match_id, rows.c.hand)
    )
    found = conn.execute(query).all()
    hands = typed(HandMoveRow, found)
    return {hand.match_id: FirstHand(hand, row.hands) for row, hand in zip(found, hands, strict=True)}
