"""`league difference`: what another run says otherwise, as tables for people, or as rows for scripts."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from league.cli import terminal
from league.domain.rating import shown
from league.domain.refusals import InvalidInput
from league.projections.boards.definitions import BOARDS
from league.projections.difference.totals import Totals, totals
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.queries.official import names_of
from league.transfer.difference_rows import LISTS, Part
from league.transfer.export import Row, in_utc, write_csv, write_jsonl

SUMMARY_ROWS, TABLE_ROWS = 10, 20
"""Of a list, what a summary shows to people, and a table of its own when nobody says how many."""


class Asked(Struct, frozen=True):
    """What of a difference is wanted, and how."""

    format: str = "table"
    """`table`; `json`, one document; `csv` or `jsonl`, the rows of one list."""
    what: str | None = None
    """`totals`, or one of the lists; None: all of it, and as tables a summary."""
    part: Part = Part()
    """Of each list; without a number of rows tables show the first ones, and other forms all."""


def show(conn: Connection, first: int, second: int, asked: Asked) -> None:
    """Print what the second run says otherwise than the first. Raises InvalidInput."""
    two = two_runs(conn, first, second)
    if asked.format == "table":
        _print_tables(conn, two, asked)
    elif asked.format == "json":
        _write_document(conn, two, asked)
    elif asked.what is None:
        raise InvalidInput("what", f"{asked.format} holds one list: say which")
    else:
        columns, rows = _rows(conn, two, asked.what, asked.part)
        if asked.format == "csv":
            write_csv(rows, sys.stdout, columns)
        else:
            write_jsonl(rows, sys.stdout)


def _rows(conn: Connection, two: TwoRuns, what: str, part: Part) -> tuple[Sequence[str], Iterator[Row]]:
    """The columns and the rows of the totals (one row), or of a list."""
    if what == "totals":
        figures = _figures(totals(conn, two))
        return list(figures), iter([figures])
    return LISTS[what].columns, LISTS[what].rows(conn, two, part)


# ---------------------------------------------------------------- for scripts


def _write_document(conn: Connection, two: TwoRuns, asked: Asked) -> None:
    """Row by row: a long list is never whole in memory."""
    parts = ("totals", *LISTS) if asked.what is None else (asked.what,)
    sys.stdout.write(f'{{"run":{two.second},"against":{two.first}')
    for part in parts:
        sys.stdout.write(f',"{part}":')
        if part == "totals":
            sys.stdout.write(_json(_figures(totals(conn, two))))
            continue
        before = "["
        for row in LISTS[part].rows(conn, two, asked.part):
            sys.stdout.write(before + _json(in_utc(row)))
            before = ","
        sys.stdout.write("]" if before == "," else "[]")
    sys.stdout.write("}\n")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _figures(found: Totals) -> Row:
    figures = {name: getattr(found, name) for name in found.__struct_fields__ if name != "predictions"}
    predictions = [{name: getattr(one, name) for name in one.__struct_fields__} for one in found.predictions]
    return {**figures, "drift": found.drift, "predictions": predictions}


# ---------------------------------------------------------------- for people


def _print_tables(conn: Connection, two: TwoRuns, asked: Asked) -> None:
    if asked.what in (None, "totals"):
        _print_totals(two, totals(conn, two))
    lists = tuple(LISTS) if asked.what is None else () if asked.what == "totals" else (asked.what,)
    usual = SUMMARY_ROWS if asked.what is None else TABLE_ROWS
    for what in lists:
        part = replace(asked.part, first=asked.part.first or usual)
        rows = list(LISTS[what].rows(conn, two, part))
        # Of a summary what is empty goes without saying.
        if rows or asked.what is not None:
            names = names_of(conn, {row["id"] for row in rows if "id" in row})
            title, columns, cells, numbers = TABLES[what]
            terminal.table(title, columns, [cells(row, names) for row in rows], numbers=numbers)


def _print_totals(two: TwoRuns, found: Totals) -> None:
    terminal.out.print(
        f"[bold]Run {two.second}[/] beside run {two.first}: {found.players_moved} players and {found.teams_moved} teams"
        f" would move, by {found.largest_move:.1f} points at most ({found.median_move:.1f} in the median,"
        f" {found.mean_move:.1f} in the mean); the mean rating drifts by {found.drift:+.1f}."
        f" {found.matches_changed} matches would have another result, {found.hands_changed} hands another score;"
        f" {found.standings_changed} standings of the series would differ. {found.badges_gained} badges would be"
        f" gained, {found.badges_lost} lost, {found.badges_earned_otherwise} earned by another event.\n"
    )
    if found.predictions:
        terminal.table(
            "Predictions of who won (lower is better)",
            ("mode", "matches", "Brier", "then", "log loss", "then "),
            [
                (
                    one.mode or "all",
                    one.matches,
                    *(_share(loss) for loss in (one.brier_before, one.brier_after)),
                    *(_share(loss) for loss in (one.log_loss_before, one.log_loss_after)),
                )
                for one in found.predictions
            ],
            numbers=("matches", "Brier", "then", "log loss", "then "),
        )


Names = dict[str, str]


def _move(row: Row, names: Names) -> tuple[Any, ...]:
    change = "" if row["change"] is None else f"{row['change']:+.1f}"
    return names[row["id"]], row["mode"], _shown(row["before"]), _shown(row["after"]), change


def _place(row: Row, names: Names) -> tuple[Any, ...]:
    board = " ".join(row[name] for name in ("board", "month", "mode") if row[name])
    in_words = BOARDS[row["board"]].in_words
    values = ("-" if value is None else in_words(value) for value in _both(row, "value"))
    return board, names[row["id"]], *_or_dash(_both(row, "rank")), *values


def _standing(row: Row, names: Names) -> tuple[Any, ...]:
    both = (*_both(row, "rank"), *_both(row, "total"))
    return row["month"], row["mode"], names[row["id"]], *_or_dash(both)


def _badge(row: Row, names: Names) -> tuple[Any, ...]:
    events = (*_both(row, "match"), *_both(row, "position"))
    return names[row["id"]], row["badge"], row["what"].replace("_", " "), *_or_dash(events)


def _result(row: Row, _: Names) -> tuple[Any, ...]:
    scores = ("-" if score is None else "-".join(map(str, score)) for score in _both(row, "score"))
    statuses = ((status or "-").replace("_", " ") for status in _both(row, "status"))
    return row["match"], *_or_dash(_both(row, "winner")), *scores, *statuses, _or_dash((row["hand"],))[0]


def _divergence(row: Row, names: Names) -> tuple[Any, ...]:
    terms = "; ".join(f"{one['term']} {_value(one['before'])} → {_value(one['after'])}" for one in row["terms"])
    position = row["position_before"] if row["position_after"] is None else row["position_after"]
    return names[row["id"]], row["mode"], row["match"], position, terms


TABLES: dict[str, tuple[str, tuple[str, ...], Callable[[Row, Names], tuple[Any, ...]], tuple[str, ...]]] = {
    "moves": (
        "The largest moves",
        ("who", "mode", "before", "after", "change"),
        _move,
        ("before", "after", "change"),
    ),
    "places": (
        "Places on boards",
        ("board", "who", "rank", "then", "value", "then "),
        _place,
        ("rank", "then", "value", "then "),
    ),
    "standings": (
        "Standings of the series",
        ("month", "mode", "who", "rank", "then", "total", "then "),
        _standing,
        ("rank", "then", "total", "then "),
    ),
    "badges": (
        "Badges",
        ("who", "badge", "", "match", "then", "position", "then "),
        _badge,
        ("position", "then "),
    ),
    "results": (
        "Other results",
        ("match", "winner", "then", "score", "then ", "status", "then  ", "first hand"),
        _result,
        ("first hand",),
    ),
    "divergences": (
        "Where ratings diverge first",
        ("who", "mode", "match", "position", "terms"),
        _divergence,
        ("position",),
    ),
}
"""Of each list its title, its columns, what they show of a row, and which of them are numbers."""


def _both(row: Row, name: str) -> tuple[Any, Any]:
    return row[f"{name}_before"], row[f"{name}_after"]


def _or_dash(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("-" if value is None else value for value in values)


def _shown(value: float | None) -> str:
    return "-" if value is None else str(shown(value))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
