"""Subqueries that share a table with the statement around them, without an alias and without saying so.

In such a subquery a column of the statement around it is the subquery's own (`editions.hash = editions.hash`), or the
subquery loses the table and reads the row of the statement around it. Both are valid SQL, and both answer wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from sqlalchemy import CTE, Engine, FromClause, Join, Lateral, Select, Subquery, Table, event
from sqlalchemy.sql.elements import ClauseElement


def shared_tables(statement: Any) -> Iterator[str]:
    """The tables that subqueries share with what is around them, unless they name what they correlate."""
    yield from _within(statement, frozenset(), {})


Walked = dict[tuple[int, frozenset[Table]], ClauseElement]
"""Parts of a statement by their identity and the tables around them. The elements are held, so that no id is reused."""


def _within(element: ClauseElement, around: frozenset[Table], walked: Walked) -> Iterator[str]:
    # A statement has its CTEs and subqueries wherever it names one of their columns: a board's has 2,000 parts at 100
    # times as many places.
    if (id(element), around) in walked:
        return
    walked[id(element), around] = element
    if isinstance(element, Select):
        own = frozenset(table for source in element.get_final_froms() for table in _tables_of(source))
        own = frozenset(table for table in own if table.schema != "pg_catalog")  # of SQLAlchemy's own inspection
        yield from (table.name for table in own & around if not _is_correlated(element, table))
        around |= own
    for child in element.get_children():
        # What stands in FROM sees nothing of the statement around it, unless it is lateral.
        apart = isinstance(child, Subquery | CTE) and not isinstance(element, Lateral)
        yield from _within(child, frozenset() if apart else around, walked)


def _is_correlated(select: Select[Any], table: Table) -> bool:
    """Whether the subquery says that it means the table of the statement around it; SQLAlchemy has no public name."""
    if select._correlate_except is not None:
        return table not in select._correlate_except
    return table in select._correlate


def _tables_of(source: FromClause) -> Iterator[Table]:
    if isinstance(source, Table):
        yield source
    elif isinstance(source, Join):
        yield from _tables_of(source.left)
        yield from _tables_of(source.right)


@contextmanager
def refused() -> Iterator[None]:
    """Meanwhile no such statement is executed; each is looked at when it is executed first."""
    seen: WeakSet[Any] = WeakSet()

    def look(_conn: Any, _cursor: Any, text: str, _parameters: Any, context: Any, _many: bool) -> None:
        compiled = getattr(context, "compiled", None)
        if compiled is None or compiled in seen:
            return
        shared = set(shared_tables(compiled.statement))
        assert not shared, f"give {shared} an alias in the subquery, or say what it correlates: {text}"
        seen.add(compiled)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", look)
