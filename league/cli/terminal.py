"""What the command line takes, prints and asks: options that several commands share, tables, refusals, questions.

Questions and their answers go to standard error, so that output stays for data.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from league.cli.entry import FAILURE
from league.domain.collected_refusals import Faults, InvalidRulebook, SeasonRefused, SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import escaped, escaped_in_json
from league.wording.language import spoken

FIRST, AROUND = 20, 5
"""The places that a board prints: from its top, and on either side of `--around`."""

TIMES = "Times without an offset are in the league's time zone; a date alone begins at midnight."
"""How `moment` and `league.cli.opening.in_utc` read times."""


def moment(text: str) -> datetime:
    """A time as entered. Without an offset it has no zone yet; a date alone is its midnight."""
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(text), time.min)
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        return read if read.tzinfo is None else read.astimezone(UTC)
    example = "2026-03-01, 2026-03-01T14:30 or 2026-03-01T14:30-05:00"
    raise typer.BadParameter(f"{text!r} is not a time; write it as {example}.")


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]

Actor = Annotated[
    str, typer.Option(help="The name that the log records as the author. It is not checked.", envvar="LEAGUE_ACTOR")
]

Run = Annotated[
    int | None, typer.Option(help="Read the run of the replay with this number (default: the official run).")
]

RunArgument = Annotated[
    int, typer.Argument(metavar="RUN", help="The number of the replay, as `league replays` lists it.")
]

KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", parser=moment, metavar="TIME", help=f"Use only what was recorded by then. {TIMES}"),
]

AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", parser=moment, metavar="TIME", help=f"The state at this time of play. {TIMES}"),
]

Region = Annotated[str | None, typer.Option(help="Only this region.")]

Around = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="The places around a player or a pair (an id or a name; the two of a pair joined by +).",
    ),
]

First = Annotated[
    int | None,
    typer.Option(
        help=f"How many places to print (default: {FIRST}); with --around, on either side (default: {AROUND}).",
        min=1,
    ),
]

OnePlayer = Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name.")]

OnlyPreview = Annotated[bool, typer.Option("--preview", help="Only print what would change; store nothing.")]

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]

Heads = Annotated[
    list[Path] | None,
    typer.Option("--heads", metavar="FILE", help="Signed heads that you kept outside the league. Repeatable."),
]

SignedBy = Annotated[
    list[Path] | None,
    typer.Option(
        "--public-key",
        metavar="FILE",
        help="Use a head signed by this key (default: the league's own key). Repeatable.",
    ),
]

ProofFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the proof to this file.")]


# ---------------------------------------------------------------- output


class SafeConsole(Console):
    """Translates sentences, and escapes terminal commands within texts; only its own styles reach the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text with its styles, as Rich reads them. A sentence is translated first."""
        return super().render_str(spoken(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Pieces of text with their styles, as Rich renders them, with controls escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text, kept="\n"))


# Without emoji: a text such as `match:zzz:` is printed as it is.
out = SafeConsole(highlight=False, emoji=False)
err = SafeConsole(stderr=True, highlight=False, emoji=False)


def _plain(value: Any) -> str:
    """A sentence as JSON has it: in the language that is spoken."""
    if isinstance(value, Sentence):
        return spoken(value)
    raise TypeError(f"JSON has no {type(value).__name__}")


_JSON = msgspec.json.Encoder(decimal_format="number", enc_hook=_plain)

TIME = 19
"""Cells up to this width, that of a time with seconds, are not broken if there is room."""
SHORT = 12
"""The width to which a column may shrink if the terminal is too narrow for its words."""
MOST_LINES = 20
"""How many faults of a refused import are printed; `--dry-run` prints all of them."""


def shown(text: str) -> str:
    """Text made safe to print: line breaks and terminal commands are escaped. Sentences are translated."""
    return escaped(spoken(text), kept="")


def quoted(text: str) -> str:
    """Text made safe to print within text that has Rich markup."""
    return escape(shown(text))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[str] = ()) -> None:
    """Print rows under a title. The columns named in `numbers` are aligned right; the others may wrap.

    Headings need no `say`: the catalogues collect the second argument of this function.
    """
    printed = Table(
        title=Text(spoken(title), style="bold"), title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    texts = [
        ["" if cell is None else shown(cell if isinstance(cell, str) else str(cell)) for cell in row] for row in rows
    ]
    headings = [spoken(column if isinstance(column, Sentence) else say(column)) for column in columns]
    widths = _widths(headings, texts, [column in numbers for column in columns])
    for heading, column, width in zip(headings, columns, widths, strict=True):
        justify: Literal["left", "right"] = "right" if column in numbers else "left"
        printed.add_column(heading, justify=justify, header_style="dim", overflow="fold", width=width)
    for cells in texts:
        # `Text` is not read as markup: names may contain brackets.
        printed.add_row(*map(Text, cells))
    out.print(printed)
    out.print()


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool]) -> list[int]:
    """Widths of columns that fit the terminal. Numbers, times and ids stay whole, and text breaks between words."""
    columns = [[heading, *(row[at] for row in rows)] for at, heading in enumerate(headings)]
    most = [max(map(cell_len, cells)) for cells in columns]
    words = [max(map(_longest_word, cells)) for cells in columns]
    for at, (_heading, *cells) in enumerate(columns):
        if numbers[at]:
            words[at] = max([words[at], *map(cell_len, cells)])
    free = out.width - 2 * (len(columns) - 1)
    narrow = [width if number else min(width, SHORT) for width, number in zip(words, numbers, strict=True)]
    times = [full if full <= TIME else width for width, full in zip(words, most, strict=True)]
    widths = next((tried for tried in (times, words, narrow) if sum(tried) <= free), narrow)
    for _spare in range(min(free, sum(most)) - sum(widths)):
        neediest = max(range(len(widths)), key=lambda at: most[at] / max(widths[at], 1))
        widths[neediest] += 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def print_json(value: Any) -> None:
    """Print a JSON document to standard output, for scripts. Control characters in texts are escaped as in JSON."""
    sys.stdout.write(escaped_in_json(_JSON.encode(value).decode()) + "\n")


def print_more(shown: int, total: int, command: str = "") -> None:
    """If rows of a list were left out, say how many are shown, and the option (of `command`) that prints all."""
    if shown < total:
        option = f"{command} --first {total}".lstrip()
        text = say("{shown} of {total} are shown; {option} shows all", shown=shown, total=total, option=quoted(option))
        out.print(f"[dim]{spoken(text)}[/]\n", soft_wrap=True)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Write to standard output until its reader closes it: `league export hands | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error; yields the function that updates it with (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(spoken(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on standard error, for work of unknown length."""
    with err.status(spoken(what)):
        yield


def refusal(error: Refusal, *, as_json: bool) -> None:
    """Print why a command was refused: a line for each fault on standard error, or JSON on standard output."""
    found = list(faults(error))
    if as_json:
        print_json({"refused": {"code": error.code, "message": error.said(spoken), "faults": found}})
        return
    err.print(f"[bold red]{spoken(say('refused'))}[/] ({error.code})", highlight=False)
    first = found[:MOST_LINES]
    for fault in first:
        at_line = None if fault.get("line") is None else spoken(say("line {line}", line=fault["line"]))
        where = " ".join(part for part in (fault.get("file"), at_line) if part)
        if "sheet" in fault:
            where = f"{fault['sheet']} {fault['column'] or ''}{fault['row'] or ''}".strip()
        text = ": ".join(part for part in (where, fault["field"], fault["message"]) if part)
        err.print(f"  {shown(text)}", markup=False, soft_wrap=True)
    count = error.count if isinstance(error, SheetRefused) else len(found)
    if len(first) < count:
        err.print("  … " + spoken(say("and {count} more", count=count - len(first))))


def faults(error: Refusal) -> Iterator[dict[str, Any]]:
    """The faults behind a refusal: field, code and message of each, and its file and line, or its cell, if known."""
    match error:
        case Faults():
            for refusal in error.refusals:
                yield from faults(refusal)
        case SeasonRefused():
            for bad in error.lines:
                what = {"field": bad.refusal.field, "code": bad.refusal.code, "message": bad.refusal.said(spoken)}
                yield {"file": bad.file, "line": bad.line, **what}
        case SheetRefused():
            for cell in error.cells:
                where = {"sheet": cell.sheet, "row": cell.row, "column": cell.column}
                code, message = cell.refusal.code, cell.refusal.said(spoken)
                yield {**where, "field": cell.heading, "code": code, "message": message}
        case InvalidRulebook():
            for problem in error.problems:
                yield {"field": problem.at, "code": error.code, "message": spoken(problem.reason)}
        case _:
            yield {"field": error.field, "code": error.code, "message": error.said(spoken)}


def local(moment: datetime, zone: tzinfo) -> str:
    """A time in a zone, to the minute: `2026-03-01 20:30`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def print_zone(zone: tzinfo) -> None:
    """Say, below a table, in which time zone its times are."""
    out.print(f"[dim]{spoken(say('Times are in the time zone {zone}.', zone=zone))}[/]")


# ---------------------------------------------------------------- questions


T = TypeVar("T")

YES, NO = ("s", "si", "sí", "y", "yes"), ("n", "no")
"""What people answer, in either language."""


def at_terminal() -> bool:
    """Whether a person can be asked; in a script there is no person."""
    return sys.stdin.isatty()


@contextmanager
def nothing_stored() -> Iterator[None]:
    """Inside this context, Ctrl-C or the end of input ends the command. It then says that nothing is stored."""
    try:
        yield
    except (typer.Abort, EOFError, KeyboardInterrupt):
        err.print("\n" + spoken(say("Stopped. Nothing is stored.")), markup=False)
        raise typer.Exit(FAILURE) from None


def ask(question: str, suggested: str = "") -> str:
    """Ask for a line, and return it without spaces around it; Enter takes what is suggested. Raises typer.Abort."""
    return str(typer.prompt(spoken(question), default=suggested, show_default=bool(suggested), err=True)).strip()


def ask_until(question: str, read: Callable[[str], T], suggested: str = "") -> T:
    """Ask until `read` accepts the answer; each refusal that it raises is printed. Raises typer.Abort."""
    while True:
        try:
            return read(ask(question, suggested))
        except Refusal as refused:
            err.print("  " + shown(refused.said(spoken)), markup=False, soft_wrap=True)


def is_yes(answer: str) -> bool:
    """Whether an answer is yes. Raises InvalidInput if it is neither yes nor no."""
    if answer.lower() not in YES + NO:
        raise InvalidInput("answer", say("enter y for yes or n for no"))
    return answer.lower() in YES


def confirmed(question: str) -> bool:
    """Whether the person answers yes; Enter means no. Raises typer.Abort, and names `--yes` if nobody can be asked."""
    try:
        return _answered_yes(question)
    except typer.Abort:
        if not at_terminal():
            err.print("\n" + spoken(say("There is no terminal to ask at: `--yes` answers the question.")), markup=False)
        raise


def _answered_yes(question: str) -> bool:
    return ask_until(f"{spoken(question)} {spoken(say('[y/N]'))}", lambda answer: bool(answer) and is_yes(answer))


def choose(title: str, options: Sequence[str]) -> int | None:
    """The index of the option that the person chooses; None if they choose none. Raises typer.Abort."""
    err.print(title, markup=False)
    for number, option in enumerate(options, 1):
        err.print(f"{number:3}  {shown(option)}", markup=False)
    question = say("Which one? (1 to {last}; Enter: none of them)", last=len(options))
    while True:
        answer = ask(question)
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(options):
            return int(answer) - 1


def agreed(question: str, *, ask: bool) -> bool:
    """Whether to go on with what was shown. Without `ask`, yes. If the answer is no, say that nothing is stored."""
    with nothing_stored():
        if ask and not confirmed(question):
            err.print(say("Nothing is stored."))
            return False
    return True
