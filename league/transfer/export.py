"""Exports for spreadsheets and auditors: unrounded numbers, times in UTC, in a stable order.

Defines what is exported from a run and from the difference of two runs, and how rows are written.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, TextIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Table, select

from league.domain.seating import side_of
from league.domain.texts_and_times import escaped, escaped_in_json
from league.features import declared
from league.projections import tables as t
from league.projections.boards.board import BoardKey, display_rules_now
from league.projections.boards.dated_boards import months
from league.projections.boards.definitions import BOARDS, boards_of, in_order, ranked
from league.projections.difference.ratings import DivergenceRow, terms_of
from league.projections.difference.results import FirstHand, HandMoveRow, ResultRow, first_hands
from league.projections.difference.totals import LISTS
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.pages import Query, count, typed
from league.projections.queries.players import regions
from league.projections.queries.snapshot import snapshot_of
from league.transfer.sheets.cells import quoted
from league.transfer.transfer_part import Export, LogExport, Read, Row, TransferPart


class PlaceOfBoard(Struct, frozen=True):
    """A place on a board, and its board."""

    board: BoardKey
    place: Any


def table_in_order(table: Table, *order: str) -> Read:
    """Read the rows of a table of runs, ordered by these columns."""

    def read(conn: Connection, run: int) -> Iterator[Any]:
        query = select(table).where(table.c.run == run).order_by(*(table.c[name] for name in order))
        return _stream(conn, query)

    return read


def same(*columns: str) -> dict[str, Callable[[Any], Any]]:
    """Columns whose heading is their name in the table."""
    return {column: attrgetter(column) for column in columns}


def sides(match: Any) -> list[list[str]]:
    """The players of a match by side."""
    found: dict[int, list[str]] = {}
    for seat, player in enumerate(match.seats):
        found.setdefault(side_of(seat, match.mode), []).append(player)
    return list(found.values())


def read_standings(conn: Connection, run: int) -> Iterator[PlaceOfBoard]:
    """The places of every month of the series."""
    shown = display_rules_now(conn, run)
    for board in boards_of(BOARDS["series"], months(conn, run)):
        assert shown is not None, "a month has standings only after a match"
        places = ranked(run, board, shown)
        for place in _stream(conn, select(places).order_by(places.c.rank, places.c.id)):
            yield PlaceOfBoard(board, place)


def read_boards(conn: Connection, run: int) -> Iterator[PlaceOfBoard]:
    """The places of every board that is exported, for the whole league and for each region."""
    snapshot = snapshot_of(conn, run)
    if snapshot.shown is None:
        return
    everywhere = (None, *regions(snapshot))
    of_league = months(conn, run)
    for definition in (board for _, board in sorted(BOARDS.items()) if board.is_exported):
        for region in everywhere:
            for board in boards_of(definition, of_league):
                wanted = replace(board, region=region)
                places = ranked(run, wanted, snapshot.shown)
                for place in _stream(conn, select(places).order_by(*in_order(places))):
                    yield PlaceOfBoard(wanted, place)


def _stream(conn: Connection, query: Any) -> Iterator[Any]:
    return iter(conn.execution_options(yield_per=1_000).execute(query))


EXPORTS = {
    "hands": Export(
        table_in_order(t.hands, "match_id", "hand"),
        {
            "match": attrgetter("match_id"),
            **same("hand", "ruleset", "winner", "ended_by", "winner_by", "stated_winner", "points"),
            "terms": lambda hand: [{"side": side, "rule": rule, "points": points} for side, rule, points in hand.terms],
            **same("not_judged", "counted"),
        },
    ),
    "matches": Export(
        table_in_order(t.matches, "match_id"),
        {
            "match": attrgetter("match_id"),
            **same("ruleset", "mode", "competition"),
            "played_at": attrgetter("began_at"),
            **same("decided_at"),
            "sides": sides,
            **same("winner", "score", "status"),
        },
    ),
    "changes": Export(
        table_in_order(t.changes, "decided_at", "match_id", "mode", "subject", "id"),
        {
            **same("decided_at"),
            "match": attrgetter("match_id"),
            **same("mode", "subject", "id", "before", "after", "k", "k_rule", "outcome", "expected", "modifier"),
            "modifier_terms": lambda change: [{"rule": rule, "value": value} for rule, value in change.modifier_terms],
            **same("capped", "edition", "position"),
        },
    ),
    "ratings": Export(
        table_in_order(t.ratings, "subject", "id", "mode"),
        same("subject", "id", "mode", "rating", "matches", "provisional"),
    ),
    "standings": Export(
        read_standings,
        {
            "month": attrgetter("board.month"),
            "mode": attrgetter("board.mode"),
            **{
                name: attrgetter(f"place.{name}") for name in ("rank", "id", "wins", "losses", "series_points", "total")
            },
        },
    ),
    "series": Export(
        table_in_order(t.series_pairs, "month", "mode", "a", "b"),
        same("month", "mode", "a", "b", "a_wins", "b_wins", "a_series_points", "locked", "ignored"),
    ),
    "achievements": Export(
        table_in_order(t.achievements, "player_id"),
        {"id": attrgetter("player_id"), **same("capicuas", "viajeras", "pollonas", "hands_won")},
    ),
    "badges": Export(
        table_in_order(t.badges, "player_id", "badge"),
        {"id": attrgetter("player_id"), **same("badge", "earned_at", "position")},
    ),
    "boards": Export(
        read_boards,
        {
            "board": attrgetter("board.kind"),
            "region": attrgetter("board.region"),
            "month": lambda row: row.board.month or None,
            "mode": lambda row: row.board.mode or None,
            **{name: attrgetter(f"place.{name}") for name in ("rank", "id", "value")},
        },
    ),
}
"""The core's exports by name. Voided matches are in `matches` only; docs/exports.md describes every column."""


def exports_by_name() -> dict[str, Export]:
    """All exports of a run by name: first the core's, then the features'."""
    return {**EXPORTS, **{name: export for part in declared(TransferPart) for name, export in part.exports.items()}}


def log_exports_by_name() -> dict[str, LogExport]:
    """The features' exports from the log by name."""
    return {name: export for part in declared(TransferPart) for name, export in part.log_exports.items()}


# ---------------------------------------------------------------- writing


def write_jsonl(rows: Iterator[Row], out: TextIO) -> int:
    """Write one JSON object per line. Returns the number of rows."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last number is the count
        out.write(escaped_in_json(msgspec.json.encode(row_in_utc(row)).decode()) + "\n")
    return count


def write_csv(rows: Iterator[Row], out: TextIO, columns: Iterable[str]) -> int:
    """Write a heading and one line per row. Lists and structs are JSON, None is empty. Returns the number of rows."""
    writer, count = csv.DictWriter(out, list(columns), lineterminator="\n"), 0
    writer.writeheader()
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last number is the count
        writer.writerow({name: cell(value) for name, value in row_in_utc(row).items()})
    return count


def row_in_utc(row: Row) -> Row:
    """A row with its times as text, in UTC."""
    return {k: v.astimezone(UTC).isoformat() if isinstance(v, datetime) else v for k, v in row.items()}


def cell(value: Any) -> Any:
    """A value as a cell of a spreadsheet: lists and structs as JSON, texts so that they are not taken for formulas."""
    if isinstance(value, list | tuple | dict | bool | Struct):
        return escaped_in_json(msgspec.json.encode(value).decode())
    value = escaped(value).replace("\r", r"\r") if isinstance(value, str) else value
    return quoted(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- the difference of two runs


_PAGE = 1_000


class PartOfList(Struct, frozen=True):
    """Which rows of a list of differences to read."""

    player: str | None = None
    """Only rows that concern this player or their pairs."""
    first: int | None = None
    """At most this many rows; None: all."""
    skip: int = 0
    """How many rows to skip first."""
    conditions: Mapping[str, Any] = {}
    """Further arguments of the list's query, such as `mode`; without any, the whole list is read."""
    order: str | None = None
    """The name of the order; None: the usual one of the list."""


HAND_COLUMNS = (
    "hands", "hand", "position", "hand_winner_before", "hand_winner_after", "hand_points_before", "hand_points_after",
    "hand_counted_before", "hand_counted_after", "hand_terms_before", "hand_terms_after",
)  # fmt: skip
"""The columns about a match's hands that are scored differently: how many they are, and the first such hand."""
_MORE_COLUMNS = {"results": HAND_COLUMNS, "divergences": ("terms",)}


def columns_of_difference(what: str) -> tuple[str, ...]:
    """The columns of a list."""
    return (*LISTS[what].columns, *_MORE_COLUMNS.get(what, ()))


def rows_of_difference(conn: Connection, two: TwoRuns, what: str, part: PartOfList) -> Iterator[Row]:
    """The rows of a list."""
    each = LISTS[what]
    order = each.usual if part.order is None else each.orders[part.order]
    rows = _query(conn, two, what, part).order_by(*order.columns).limit(part.first).offset(part.skip)
    with conn.execute(rows, execution_options={"yield_per": _PAGE}) as result:
        found = typed(each.row, result)
        if what == "results":
            yield from _with_hands(conn, two, found)
        else:
            yield from map(_ROWS.get(what) or partial(_row, what), found)


def count_of_difference(conn: Connection, two: TwoRuns, what: str, player: str | None) -> int:
    """How many rows a list has, of one player or of all."""
    return count(conn, _query(conn, two, what, PartOfList(player)))


def divergence_of(row: DivergenceRow) -> Row:
    """A row of divergences, with the terms that differ."""
    terms = [{"term": one.term, "before": one.before, "after": one.after} for one in terms_of(row)]
    return {**_row("divergences", row), "terms": terms}


def _hand_with_terms(row: HandMoveRow) -> Row:
    return {**_row("hands", row), "terms_before": _terms(row.terms_before), "terms_after": _terms(row.terms_after)}


_ROWS: Mapping[str, Callable[[Any], Row]] = {"divergences": divergence_of, "hands": _hand_with_terms}
"""How a row of a list becomes a row of a file, where its columns are not just fields."""


def _query(conn: Connection, two: TwoRuns, what: str, part: PartOfList) -> Query:
    each = LISTS[what]
    given = part.conditions or each.whole(conn, two)
    return each.query(two, player=part.player, **given)


def _row(what: str, row: object) -> Row:
    # A board that is not monthly has no month and no mode: they are empty there, and null in files.
    return {
        column: None if value == "" else value
        for column, name in LISTS[what].columns.items()
        for value in (getattr(row, name),)
    }


def _with_hands(conn: Connection, two: TwoRuns, rows: Iterator[ResultRow]) -> Iterator[Row]:
    while page := list(islice(rows, _PAGE)):
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
