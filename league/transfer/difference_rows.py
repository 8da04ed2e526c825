"""The difference of two runs as rows, for spreadsheets and scripts: unrounded, in a stable order."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from league.projections.difference.ratings import DivergenceRow, terms_of
from league.projections.difference.totals import LISTS
from league.projections.difference.two_runs import FirstHand, ResultRow, TwoRuns, first_hands
from league.projections.queries.pages import Query, count, typed
from league.transfer.export import Row

PAGE = 1_000


class Part(Struct, frozen=True):
    """Which rows of a list."""

    player: str | None = None
    """Only rows that concern this player or their pairs."""
    first: int | None = None
    """At most this many rows; None: all."""
    skip: int = 0
    """How many rows to skip first."""


HAND_COLUMNS = (
    "hands", "hand", "position", "hand_winner_before", "hand_winner_after", "hand_points_before", "hand_points_after",
    "hand_counted_before", "hand_counted_after", "hand_terms_before", "hand_terms_after",
)  # fmt: skip
"""Of a match with another result: how many of its hands are scored differently, and the first of them."""
MORE_COLUMNS = {"results": HAND_COLUMNS, "divergences": ("terms",)}


def columns_of(what: str) -> tuple[str, ...]:
    """The columns of a list."""
    return (*LISTS[what].columns, *MORE_COLUMNS.get(what, ()))


def rows_of(conn: Connection, two: TwoRuns, what: str, part: Part) -> Iterator[Row]:
    """The rows of a list in its usual order."""
    each = LISTS[what]
    rows = _query(conn, two, what, part.player).order_by(*each.usual.columns).limit(part.first).offset(part.skip)
    with conn.execute(rows, execution_options={"yield_per": PAGE}) as result:
        found = typed(each.row, result)
        if what == "results":
            yield from _with_hands(conn, two, found)
        else:
            yield from map(divergence_of if what == "divergences" else partial(_row, what), found)


def count_of(conn: Connection, two: TwoRuns, what: str, player: str | None) -> int:
    """How many rows a list has, of one player or of all."""
    return count(conn, _query(conn, two, what, player))


def divergence_of(row: DivergenceRow) -> Row:
    """A row of divergences, with the terms that differ."""
    terms = [{"term": one.term, "before": one.before, "after": one.after} for one in terms_of(row)]
    return {**_row("divergences", row), "terms": terms}


def _query(conn: Connection, two: TwoRuns, what: str, player: str | None) -> Query:
    each = LISTS[what]
    return each.query(two, player=player, **each.whole(conn, two))


def _row(what: str, row: object) -> Row:
    # A board that is not monthly has no month and no mode: they are empty there, and null in files.
    return {
        column: None if value == "" else value
        for column, name in LISTS[what].columns.items()
        for value in (getattr(row, name),)
    }


def _with_hands(conn: Connection, two: TwoRuns, rows: Iterator[ResultRow]) -> Iterator[Row]:
    while page := list(islice(rows, PAGE)):
        hands = first_hands(conn, two, [row.match_id for row in page])
        for row in page:
            terms = {name: _terms(getattr(row, name)) for name in ("terms_before", "terms_after")}
            yield {**_row("results", row), **terms, **_hand(hands.get(row.match_id))}


def _hand(first: FirstHand | None) -> Row:
    """The columns of a first hand; without one they are null."""
    both = [f"{name}_{when}" for name in ("winner", "points", "counted", "terms") for when in ("before", "after")]
    found = {name: None if first is None else getattr(first.hand, name) for name in ("hand", "position", *both)}
    for terms in ("terms_before", "terms_after"):
        found[terms] = _terms(found[terms])
    hand, position = found.pop("hand"), found.pop("position")
    hands = 0 if first is None else first.hands
    return {"hands": hands, "hand": hand, "position": position, **{f"hand_{name}": v for name, v in found.items()}}


def _terms(terms: Sequence[Any] | None) -> list[Row] | None:
    return None if terms is None else [{"side": side, "rule": rule, "points": points} for side, rule, points in terms]
