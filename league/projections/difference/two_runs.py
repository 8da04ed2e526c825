"""Two runs side by side: the basis of every list of a difference."""

from collections.abc import Callable, Mapping
from typing import Any, Generic

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, FromClause, Subquery, Table, and_, func, select, text

from league.domain.timeline import OtherRules, rules_that_differ
from league.eventlog.codec import UNFOLDED
from league.projections import tables as t
from league.projections.boards.board import DisplayRules, display_rules_now, read_edition
from league.projections.queries.pages import Order, Query, R
from league.projections.runs import HashSpan


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
    do not count, nor do adoptions of rules: each run has its own rules.
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


OF_RULES = ("edition-published/1", "edition-adopted/1")
"""Events after which a run still has the rules that it had."""

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
    asked = {"behind": behind, "ahead": ahead, "unfolded": [*UNFOLDED, *OF_RULES]}
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


def other_rules(conn: Connection, two: TwoRuns) -> list[OtherRules[str]]:
    """The spans for which two runs have different editions, by hash, in order."""
    r = t.runs.c
    rows = conn.execute(select(r.run, r.timeline).where(r.run.in_((two.first, two.second))))
    spans = {row.run: [(s.start, s.hash) for s in msgspec.convert(row.timeline, list[HashSpan])] for row in rows}
    return rules_that_differ(spans[two.first], spans[two.second])


def scored_alike(conn: Connection, two: TwoRuns) -> bool:
    """Whether both runs have the same results, hands, standings and encounters, as is known without reading them.

    They have where the same version of the folds has read the same events, and the rules differ in what decides none of
    these: the ratings, the badges and the boards.
    """
    r = t.runs.c
    codes = conn.scalars(select(r.code).where(r.run.in_((two.first, two.second)))).all()
    if two.events_in_one_run is not None or len(set(codes)) > 1:
        return False
    editions = ((read_edition(conn, one.before), read_edition(conn, one.after)) for one in other_rules(conn, two))
    return all(
        before.series == after.series
        and all(after.rulesets.get(name) == ruleset for name, ruleset in before.rulesets.items())
        for before, after in editions
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
