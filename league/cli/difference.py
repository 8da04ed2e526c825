"""`league difference`: compares two runs, as tables for people or as rows for scripts."""

import sys
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.preview_tables import counted, shown_rating, signed_change
from league.cli.terminal import Json
from league.domain.refusals import InvalidInput
from league.domain.sentences import joined, say
from league.domain.texts_and_times import escaped_in_json
from league.domain.verdict import Verdict
from league.projections.boards.definitions import BOARDS
from league.projections.difference.totals import LISTS, DifferenceFigures, totals
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.difference.verdict import verdict
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import chosen_run
from league.transfer.export import (
    PartOfList,
    columns_of_difference,
    count_of_difference,
    row_in_utc,
    rows_of_difference,
    write_csv,
    write_jsonl,
)
from league.transfer.transfer_part import Row
from league.wording.facts import label_of
from league.wording.forecast_verdict import in_words, losses_by_name
from league.wording.language import spoken
from league.wording.numbers import figure, number, signed
from league.wording.verdicts import position_warning

SUMMARY_ROWS, TABLE_ROWS = 10, 20
"""How many rows of a list are printed: in the summary, and in a table of one list without `--first`."""


SUMMARY = ("moves", "places", "standings", "badges", "results", "divergences", "months")
"""The lists of which the summary prints the first rows."""
What = StrEnum("What", {name.upper(): name for name in ("totals", *LISTS)})  # type: ignore[misc]  # the names are known when it runs
Format = Literal["table", "json", "jsonl", "csv"]


class DifferenceOutput(Struct, frozen=True):
    """What `league difference` prints, and in which format."""

    format: Format = "table"
    """`table`; `json` for one document; `csv` or `jsonl` for the rows of one list."""
    what: str | None = None
    """`totals` or one of the lists; None for everything, or in tables for a summary."""
    part: PartOfList = PartOfList()
    """The part of each list to print. If it names no number, tables print the first rows, other formats all."""


def difference(
    run: Annotated[int, typer.Argument(metavar="RUN", help="The number of the replay's run.")],
    against: Annotated[int | None, typer.Option(help="The run to compare with (default: the official run).")] = None,
    what: Annotated[
        What | None, typer.Option(help="Print one part only (default: a summary; with --format json, everything).")
    ] = None,
    player: Annotated[
        str | None, typer.Option(metavar="ID", help="In the lists, only this player and their pairs.")
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="Tables (the default), one JSON document, or the rows of one list."),
    ] = None,
    first: Annotated[int | None, typer.Option(help="How many rows of each list.", min=1)] = None,
    skip: Annotated[
        int,
        typer.Option(help="How many rows to leave out before them: --first 50 --skip 50 is the second page.", min=0),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Compare two runs.

    The summary counts what differs and prints the first rows of some lists: ratings (`moves`), `places` on boards,
    `standings` of the series, `badges`, `results` of matches, the events where ratings first diverge (`divergences`),
    and the `months` in which something differs. Other lists are `hands`, `encounters` of the series, the `changes` of
    ratings match by match, and `seasons`.
    """
    if as_json and format_ not in (None, "json"):
        raise InvalidInput("format", say("--json and --format {format} ask for different things", format=format_))
    with existing_league() as league:
        league.project()
        with reading(league) as conn, terminal.reader_may_leave():
            wanted = DifferenceOutput(
                "json" if as_json else format_ or "table", what and what.value, PartOfList(player, first, skip)
            )
            first, second = (chosen_run(conn, number, drafts=True) for number in (against, run))
            print_difference(conn, first, second, wanted)


def print_difference(conn: Connection, first: int, second: int, wanted: DifferenceOutput) -> None:
    """Print how the second run differs from the first. Raises InvalidInput."""
    two = two_runs(conn, first, second)
    if (warning := position_warning(two)) is not None:
        terminal.err.print(
            f"[yellow]{spoken(say('warning'))}[/] {spoken(warning)}"
        )  # separate from the rows, which scripts read
    if wanted.format == "table":
        _print_tables(conn, two, wanted)
    elif wanted.format == "json":
        _write_document(conn, two, wanted)
    elif wanted.what is None:
        raise InvalidInput("what", say("{format} holds one list: say which", format=wanted.format))
    else:
        columns, rows = _rows(conn, two, wanted.what, wanted.part)
        if wanted.format == "csv":
            write_csv(rows, sys.stdout, columns)
        else:
            write_jsonl(rows, sys.stdout)


def _rows(conn: Connection, two: TwoRuns, what: str, part: PartOfList) -> tuple[Sequence[str], Iterator[Row]]:
    """The columns and the rows of a list, or of the totals, which are one row."""
    if what == "totals":
        figures = _figures(conn, two)
        return list(figures), iter([figures])
    return columns_of_difference(what), rows_of_difference(conn, two, what, part)


# ---------------------------------------------------------------- for scripts


def _write_document(conn: Connection, two: TwoRuns, wanted: DifferenceOutput) -> None:
    """Write the document row by row, because a long list may not fit into memory."""
    parts = ("totals", *LISTS) if wanted.what is None else (wanted.what,)
    sys.stdout.write(f'{{"run":{two.second},"against":{two.first}')
    for part in parts:
        sys.stdout.write(f',"{part}":')
        if part == "totals":
            sys.stdout.write(_json(_figures(conn, two)))
            continue
        before = "["
        for row in rows_of_difference(conn, two, part, wanted.part):
            sys.stdout.write(before + _json(row_in_utc(row)))
            before = ","
        sys.stdout.write("]" if before == "," else "[]")
    sys.stdout.write("}\n")


def _json(value: Any) -> str:
    return escaped_in_json(msgspec.json.encode(value).decode())


def _figures(conn: Connection, two: TwoRuns) -> Row:
    found, judged = totals(conn, two), verdict(conn, two)
    figures = {name: getattr(found, name) for name in found.__struct_fields__ if name != "predictions"}
    predictions = [{name: getattr(one, name) for name in one.__struct_fields__} for one in found.predictions]
    document = None
    if judged is not None:
        words = in_words(judged, first_is_in_force=two.first == chosen_run(conn, None))
        document = {**msgspec.to_builtins(judged), "sentence": spoken(words.sentence)}
    return {**figures, "drift": found.drift, "predictions": predictions, "verdict": document}


# ---------------------------------------------------------------- for people


def _print_tables(conn: Connection, two: TwoRuns, wanted: DifferenceOutput) -> None:
    if wanted.what in (None, "totals"):
        _print_totals(two, totals(conn, two))
    lists = SUMMARY if wanted.what is None else () if wanted.what == "totals" else (wanted.what,)
    usual = SUMMARY_ROWS if wanted.what is None else TABLE_ROWS
    for what in lists:
        most = wanted.part.first or usual
        rows = list(rows_of_difference(conn, two, what, replace(wanted.part, first=most)))
        # A summary omits empty lists.
        if rows or wanted.what is not None:
            names = names_of(conn, {row[name] for row in rows for name in ("id", "a", "b") if name in row})
            title, columns, cells, numbers = TABLES[what]
            terminal.table(title, columns, [cells(row, names) for row in rows], numbers=numbers)
        total = count_of_difference(conn, two, what, wanted.part.player)
        if wanted.part.skip + len(rows) < total:
            against = "" if two.first == chosen_run(conn, None) else f" --against {two.first}"
            player = "" if wanted.part.player is None else f" --player {wanted.part.player}"
            command = f"league difference {two.second}{against} --what {what}{player}"
            terminal.print_more(len(rows), total, command)
    if wanted.what in (None, "totals") and (judged := verdict(conn, two)) is not None:
        print_verdict(judged, first_is_in_force=two.first == chosen_run(conn, None))


def _print_totals(two: TwoRuns, found: DifferenceFigures) -> None:
    terminal.out.print(
        say(
            "[bold]Run {second}[/] beside run {first}: {players_moved} and {teams_moved} would move, by "
            "{largest_move} points at most ({median_move} in the median, {mean_move} in the "
            "mean); the mean rating drifts by {drift}. {matches_changed} would have another result, "
            "{hands_changed} another score; {standings_changed} and {encounters_changed} of the series would differ. "
            "{badges_gained} "
            "would be gained, {badges_lost} lost, {badges_earned_otherwise} earned by another event.\n",
            second=two.second,
            first=two.first,
            players_moved=counted(found.players_moved, "player"),
            teams_moved=counted(found.teams_moved, "team"),
            largest_move=number(found.largest_move, 1),
            median_move=number(found.median_move, 1),
            mean_move=number(found.mean_move, 1),
            drift=signed(found.drift, 1),
            matches_changed=counted(found.matches_changed, "match"),
            hands_changed=counted(found.hands_changed, "hand"),
            standings_changed=counted(found.standings_changed, "standing"),
            encounters_changed=counted(found.encounters_changed, "encounter"),
            badges_gained=counted(found.badges_gained, "badge"),
            badges_lost=counted(found.badges_lost, "badge"),
            badges_earned_otherwise=counted(found.badges_earned_otherwise, "badge"),
        )
    )
    if found.predictions:
        numbers = (say("matches"), "Brier", say("then"), say("log loss"), joined("", (say("then"), " ")))
        terminal.table(
            say("Predictions of who won (lower is better)"),
            (say("mode"), *numbers),
            [
                (
                    one.mode or say("all"),
                    one.matches,
                    *(_share(loss) for loss in (one.brier_before, one.brier_after)),
                    *(_share(loss) for loss in (one.log_loss_before, one.log_loss_after)),
                )
                for one in found.predictions
            ],
            numbers=numbers,
        )


def print_verdict(judged: Verdict, *, first_is_in_force: bool) -> None:
    """Print a verdict: the sentence, a table of the losses, what was judged, and notes."""
    words = in_words(judged, first_is_in_force=first_is_in_force)
    terminal.out.print(f"[bold]{spoken(words.sentence)}[/] {spoken(words.meaning)}\n")
    numbers = (say("log loss"), "Brier")
    terminal.table(
        say("How well results are foreseen (lower is better)"),
        ("", *numbers),
        [
            (name, _share(loss.log_loss), _share(loss.brier))
            for name, loss in losses_by_name(judged, first_is_in_force=first_is_in_force)
        ],
        numbers=numbers,
    )
    for line in (words.basis, *words.notes):
        terminal.out.print(terminal.shown(line), markup=False)
    terminal.out.print()


Names = dict[str, str]

CHANGES = {"gained": say("gained"), "lost": say("no longer earned"), "earned_otherwise": say("earned otherwise")}
"""What becomes of a badge."""


def _move(row: Row, names: Names) -> tuple[Any, ...]:
    ratings = map(shown_rating, (row["before"], row["after"]))
    return names[row["id"]], say(row["mode"]), *ratings, signed_change(row["change"])


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
    return names[row["id"]], row["badge"], say(CHANGES[row["what"]]), *_or_dash(events)


def _result(row: Row, _names: Names) -> tuple[Any, ...]:
    scores = ("-" if score is None else "-".join(map(str, score)) for score in _both(row, "score"))
    statuses = ("-" if status is None else say(status.replace("_", " ")) for status in _both(row, "status"))
    return row["match"], *_or_dash(_both(row, "winner")), *scores, *statuses, _or_dash((row["hand"],))[0]


def _hand(row: Row, _names: Names) -> tuple[Any, ...]:
    points = ("-" if of is None else "-".join(map(str, of)) for of in _both(row, "points"))
    counted = ("-" if of is None else say("yes") if of else say("no") for of in _both(row, "counted"))
    return row["match"], row["hand"], *points, *counted


def _encounter(row: Row, names: Names) -> tuple[Any, ...]:
    wins = (
        "-" if row[f"a_wins_{when}"] is None else f"{row[f'a_wins_{when}']}-{row[f'b_wins_{when}']}"
        for when in ("before", "after")
    )
    points = (*_both(row, "a_series_points"), *_both(row, "a_game_points"))
    return row["month"], row["mode"], names[row["a"]], names[row["b"]], *wins, *_or_dash(points)


def _change(row: Row, names: Names) -> tuple[Any, ...]:
    changes = map(signed_change, _both(row, "change"))
    return names[row["id"]], say(row["mode"]), row["match"], *changes, signed_change(row["difference"])


def _season(row: Row, _names: Names) -> tuple[Any, ...]:
    return row["season"], row["name"], row["results"], row["hands"]


def _month(row: Row, _names: Names) -> tuple[Any, ...]:
    series = (row["standings_of_players"], row["standings_of_pairs"], row["encounters"])
    return row["month"], row["results"], row["hands"], *series


def _divergence(row: Row, names: Names) -> tuple[Any, ...]:
    terms = "; ".join(
        f"{label_of(one['term'])} {_value(one['before'])} → {_value(one['after'])}" for one in row["terms"]
    )
    position = row["position_before"] if row["position_after"] is None else row["position_after"]
    return names[row["id"]], row["mode"], row["match"], position, terms


TABLES: dict[str, tuple[str, tuple[str, ...], Callable[[Row, Names], tuple[Any, ...]], tuple[str, ...]]] = {
    "moves": (
        say("The largest moves"),
        (say("who"), say("mode"), say("before"), say("after"), say("change")),
        _move,
        (say("before"), say("after"), say("change")),
    ),
    "places": (
        say("Places on boards"),
        (say("board"), say("who"), say("rank"), say("then"), say("value"), joined("", (say("then"), " "))),
        _place,
        (say("rank"), say("then"), say("value"), joined("", (say("then"), " "))),
    ),
    "standings": (
        say("Standings of the series"),
        (say("month"), say("mode"), say("who"), say("rank"), say("then"), say("total"), joined("", (say("then"), " "))),
        _standing,
        (say("rank"), say("then"), say("total"), joined("", (say("then"), " "))),
    ),
    "encounters": (
        say("Encounters of the series"),
        (
            *(say("month"), say("mode"), say("who"), say("opponent"), say("games"), say("then")),
            *(
                say("series points"),
                joined("", (say("then"), " ")),
                say("game points"),
                joined("", (say("then"), "  ")),
            ),
        ),
        _encounter,
        (say("series points"), joined("", (say("then"), " ")), say("game points"), joined("", (say("then"), "  "))),
    ),
    "badges": (
        say("Badges"),
        (say("who"), say("badge"), "", say("match"), say("then"), say("position"), joined("", (say("then"), " "))),
        _badge,
        (say("position"), joined("", (say("then"), " "))),
    ),
    "results": (
        say("Other results"),
        (
            say("match"),
            say("winner"),
            say("then"),
            say("score"),
            joined("", (say("then"), " ")),
            say("status"),
            joined("", (say("then"), "  ")),
            say("first hand"),
        ),
        _result,
        (say("first hand"),),
    ),
    "hands": (
        say("Hands that score otherwise"),
        (
            *(say("match"), say("hand"), say("points"), say("then")),
            *(say("counts"), joined("", (say("then"), " "))),
        ),
        _hand,
        (say("hand"),),
    ),
    "divergences": (
        say("Where ratings diverge first"),
        (say("who"), say("mode"), say("match"), say("position"), say("terms")),
        _divergence,
        (say("position"),),
    ),
    "changes": (
        say("Rating changes"),
        (say("who"), say("mode"), say("match"), say("change"), say("then"), say("difference")),
        _change,
        (say("change"), say("then"), say("difference")),
    ),
    "seasons": (
        say("Seasons that differ"),
        (say("season"), say("name"), say("results"), say("hands")),
        _season,
        (say("results"), say("hands")),
    ),
    "months": (
        say("Months that differ"),
        (say("month"), say("results"), say("hands"), say("standings"), say("standings of pairs"), say("encounters")),
        _month,
        (say("results"), say("hands"), say("standings"), say("standings of pairs"), say("encounters")),
    ),
}
"""For each list: its title, its columns, the function that makes the cells of a row, and the columns of numbers."""


def _both(row: Row, name: str) -> tuple[Any, Any]:
    return row[f"{name}_before"], row[f"{name}_after"]


def _or_dash(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("-" if value is None else value for value in values)


def _share(value: float | None) -> str:
    return "-" if value is None else number(value, 4)


def _value(value: Any) -> str:
    if value is None:
        return say("none")
    return figure(value) if isinstance(value, float) else str(value)
