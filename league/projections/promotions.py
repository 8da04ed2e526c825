"""What a promotion moved: its figures, and each rating with its ranks and its parts, in both runs.

The transaction of the promotion writes these rows. They follow from the log: the event of a promotion names the
position up to which both runs were folded. A rebuild folds the log up to it under the rules before and after, and
writes the rows again.
"""

from datetime import datetime
from functools import partial
from typing import Any

from msgspec import Struct
from psycopg.rows import namedtuple_row
from sqlalchemy import ClauseElement, FromClause, Select, and_, case, false, func, insert, literal, select, union_all
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from league.eventlog.store import EventStore
from league.projections import tables as t
from league.projections.boards.board import BoardKey, DisplayRules
from league.projections.boards.definitions import ranked, rating_boards
from league.projections.difference.ratings import moves
from league.projections.difference.totals import DifferenceCounts, counted
from league.projections.difference.two_runs import TwoRuns
from league.projections.folds.match_fold import RulesTimeline
from league.projections.replays.starting_points import rules_until
from league.projections.runs import Conn
from league.projections.writers.catalogue import load_edition

# ---------------------------------------------------------------- promotions in the log


LOGGED = """
    SELECT folded_to, position, EXISTS (
        SELECT FROM promotions WHERE promotions.folded_to = logged.folded_to
    )
    FROM (SELECT (convert_from(state, 'UTF8')::jsonb #>> '{body,folded_to}')::bigint AS folded_to, (
              SELECT min(adopted.position) FROM stored_events AS adopted
              WHERE originator_id = 'rulebook' AND topic = 'edition-adopted/1' AND adopted.position > act.position
          ) AS position
          FROM stored_events AS act WHERE topic IN ('run-promoted/1', 'rolled-back/1')) AS logged
    WHERE folded_to < position
    ORDER BY folded_to
"""


class LoggedPromotion(Struct, frozen=True):
    """A promotion or a rollback, as the log tells it."""

    folded_to: int
    """The position up to which both runs were folded."""
    position: int
    """The position of the event that adopted the rules of the promoted run."""


def unwritten(conn: Conn) -> list[LoggedPromotion]:
    """The promotions of the log whose rows are not there, in its order."""
    found = conn.execute(LOGGED).fetchall()
    return [LoggedPromotion(folded_to, position) for folded_to, position, is_written in found if not is_written]


def whole_until(conn: Conn, until: int) -> int:
    """The first position from `until` on that parts no promotion: none is folded up to before it and adopted after."""
    for folded_to, position, _ in conn.execute(LOGGED).fetchall():
        if folded_to < until < position:
            until = position
    return until


def rules_of(store: EventStore, promotion: LoggedPromotion) -> RulesTimeline:
    """The rules that a promotion adopted."""
    return rules_until(store, promotion.position)


# ---------------------------------------------------------------- two runs compared


_DIALECT = PGDialect_psycopg()  # type: ignore[no-untyped-call]  # SQLAlchemy does not type it
_PARTS = ("matches", "start", "outcome", "expected", "modifier")
"""What a rating is made of."""


def write_moves(conn: Conn, first: int, second: int, folded_to: int) -> None:
    """Store the ratings that differ between two runs which are folded up to the same position."""
    two = _two_runs(conn, first, second, folded_to)
    moved = moves(two).subquery("moved")
    sides = [
        (_ranks(two.first, two.first_shown), _parts(two.first), "before"),
        (_ranks(two.second, two.second_shown), _parts(two.second), "after"),
    ]
    source: FromClause = moved
    columns: dict[str, Any] = {"folded_to": literal(folded_to)}
    columns |= {name: moved.c[name] for name in ("subject", "id", "mode", "before", "after")}
    for places, parts, when in sides:
        source = source.outerjoin(places, _same(moved, places)).outerjoin(parts, _same(moved, parts))
        columns[f"rank_{when}"] = places.c.rank
        columns |= {f"{name}_{when}": parts.c[name] for name in _PARTS}
    rows = select(*(column.label(name) for name, column in columns.items())).select_from(source)
    _execute(conn, insert(t.promotion_moves).from_select(list(columns), rows))


def figures_of(conn: Conn, first: int, second: int, folded_to: int) -> DifferenceCounts:
    """Compare two runs in figures. The moves must be stored."""
    m = t.promotion_moves
    moved = select(m.c.id, m.c.subject, m.c.mode, m.c.before, m.c.after).where(m.c.folded_to == folded_to).subquery()
    return counted(partial(_execute, conn), _two_runs(conn, first, second, folded_to), moved)


def write_figures(conn: Conn, promotion: LoggedPromotion, figures: DifferenceCounts) -> None:
    """Store the figures of a promotion."""
    values = {name: getattr(figures, name) for name in figures.__struct_fields__}
    row = {"folded_to": promotion.folded_to, "position": promotion.position, **values}
    _execute(conn, insert(t.promotions).values(row))


def _two_runs(conn: Conn, first: int, second: int, folded_to: int) -> TwoRuns:
    return TwoRuns(first, second, _shown(conn, first), _shown(conn, second), folded_to, folded_to, None)


def _shown(conn: Conn, run: int) -> DisplayRules | None:
    """The display rules of a run; None without a match."""
    query = "SELECT latest_decided_at, shown_edition FROM runs WHERE run = %s"
    row: tuple[datetime | None, str | None] | None = conn.execute(query, (run,)).fetchone()
    if row is None or row[0] is None or row[1] is None:
        return None
    edition = load_edition(conn, row[1])
    assert edition is not None, f"run {run} is shown under an edition that is gone"
    return DisplayRules(row[0], edition.rulebook, edition.hash)


def _ranks(run: int, shown: DisplayRules | None) -> FromClause:
    """The places of a run's competitors on the boards of ratings."""
    r = t.ratings.c
    if shown is None:
        return select(r.subject, r.id, r.mode, r.matches.label("rank")).where(false()).subquery()
    boards: list[Select[Any]] = []
    for board in rating_boards():
        places = ranked(run, BoardKey(board.kind), shown).c
        named = (literal(board.subject, t.Id).label("subject"), places.id, literal(board.mode, t.Id).label("mode"))
        boards.append(select(*named, places.rank).where(places.rank.is_not(None)))
    return union_all(*boards).subquery()


def _parts(run: int) -> FromClause:
    """What each rating of a run is made of."""
    c = t.changes.c

    def added(value: Any) -> Any:
        # Floats are added in the order decided, so equal leagues have equal sums to the last bit.
        return func.sum(aggregate_order_by(value, c.decided_at, c.match_id))

    return (
        select(
            c.subject,
            c.id,
            c.mode,
            func.count().label("matches"),
            func.max(case((c.matches_before == 0, c.before))).label("start"),
            added(c.k * c.outcome).label("outcome"),
            added(-(c.k * c.expected)).label("expected"),
            added(c.k * c.modifier).label("modifier"),
        )
        .where(c.run == run)
        .group_by(c.subject, c.id, c.mode)
        .subquery()
    )


def _same(one: FromClause, other: FromClause) -> Any:
    return and_(*(one.c[name] == other.c[name] for name in ("subject", "id", "mode")))


def _execute(conn: Conn, statement: ClauseElement) -> list[Any]:
    """Execute a statement of SQLAlchemy in the transaction of a connection of psycopg. Returns the rows, if any."""
    compiled = statement.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        cursor.execute(str(compiled).encode(), compiled.params)
        return cursor.fetchall() if cursor.description else []
