"""What the command line prints: tables that fit a terminal, progress bars, and refusals."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from league.domain.refusals import InvalidRulebook, Refusal, SeasonRefused

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_JSON = msgspec.json.Encoder(decimal_format="number")

MOST_LINES = 20
"""Bad lines that are printed in full; a dry run prints all of them."""


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[str] = ()) -> None:
    """Print rows under a title; the columns named in `numbers` are set flush right, the others may wrap."""
    shown = Table(title=Text(title, style="bold"), title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        shown.add_column(
            column, justify="right" if column in numbers else "left", header_style="dim", no_wrap=column in numbers
        )
    for row in rows:
        # As text: what people call themselves is no markup.
        shown.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    out.print(shown)
    out.print()


def print_json(value: Any) -> None:
    """One JSON document on standard output, for scripts."""
    sys.stdout.write(_JSON.encode(value).decode() + "\n")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error; it is told (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign on standard error that something goes on, where nobody knows how long it takes."""
    with err.status(what):
        yield


def refusal(error: Refusal, *, as_json: bool) -> None:
    """Say why a command was refused: one line for each fault, on standard error (as JSON on standard output)."""
    found = list(faults(error))
    if as_json:
        print_json({"refused": {"code": error.code, "message": error.message, "faults": found}})
        return
    err.print(f"[bold red]refused[/] ({error.code})", highlight=False)
    shown = found[:MOST_LINES]
    for fault in shown:
        where = " ".join(f"{key} {fault[key]}" for key in ("file", "line") if fault.get(key) is not None)
        text = ": ".join(part for part in (where.removeprefix("file "), fault["field"], fault["message"]) if part)
        err.print(f"  {text}", markup=False, soft_wrap=True)
    if len(shown) < len(found):
        err.print(f"  … and {len(found) - len(shown)} more")


def faults(error: Refusal) -> Iterator[dict[str, Any]]:
    """The faults behind a refusal: file and line where there are any, field, code, message."""
    match error:
        case SeasonRefused():
            for bad in error.lines:
                what = {"field": bad.refusal.field, "code": bad.refusal.code, "message": bad.refusal.message}
                yield {"file": bad.file, "line": bad.line, **what}
        case InvalidRulebook():
            for problem in error.problems:
                yield {"field": problem.at, "code": error.code, "message": problem.reason}
        case _:
            yield {"field": error.field, "code": error.code, "message": error.message}
