"""Questions to a person at a terminal. They and their answers go to standard error, so that output stays for data."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import typer

from league.cli import terminal
from league.cli.exit_codes import FAILURE
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.wording.language import _, spoken

T = TypeVar("T")

YES, NO = ("s", "si", "sí", "y", "yes"), ("n", "no")
"""What people answer, whichever language is spoken."""


def at_terminal() -> bool:
    """Whether a person can be asked; in a script there is no person."""
    return sys.stdin.isatty()


@contextmanager
def nothing_stored() -> Iterator[None]:
    """Inside this context Ctrl-C and the end of input end the command, which says that nothing is stored."""
    try:
        yield
    except (typer.Abort, EOFError, KeyboardInterrupt):
        terminal.err.print("\n" + _("Stopped. Nothing is stored."), markup=False)
        raise typer.Exit(FAILURE) from None


def ask(question: str, suggested: str = "") -> str:
    """One line, without spaces around it; Enter takes what is suggested. Raises typer.Abort."""
    return str(typer.prompt(question, default=suggested, show_default=bool(suggested), err=True)).strip()


def ask_until(question: str, read: Callable[[str], T], suggested: str = "") -> T:
    """Ask until `read` accepts the answer; each refusal that it raises is printed. Raises typer.Abort."""
    while True:
        try:
            return read(ask(question, suggested))
        except Refusal as refused:
            terminal.err.print("  " + terminal.shown(spoken(refused.message)), markup=False, soft_wrap=True)


def is_yes(answer: str) -> bool:
    """Whether an answer is yes or no. Raises InvalidInput for one that is neither."""
    if answer.lower() not in YES + NO:
        raise InvalidInput("answer", say("enter y for yes or n for no"))
    return answer.lower() in YES


def confirmed(question: str) -> bool:
    """Whether the answer is yes; Enter is no. Raises typer.Abort."""
    return ask_until(f"{question} {_('[y/N]')}", lambda answer: bool(answer) and is_yes(answer))


def choose(title: str, options: Sequence[str]) -> int | None:
    """The number, from 0, of the option that the person names; None when none of them is meant. Raises typer.Abort."""
    terminal.err.print(title, markup=False)
    for number, option in enumerate(options, 1):
        terminal.err.print(f"{number:3}  {terminal.shown(option)}", markup=False)
    question = _("Which one? (1 to {last}; Enter: none of them)", last=len(options))
    while True:
        answer = ask(question)
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(options):
            return int(answer) - 1


def agreed(question: str, *, ask: bool) -> bool:
    """Whether to go on with what was shown; says that nothing is stored if not. `ask`: else the answer is yes."""
    with nothing_stored():
        if ask and not confirmed(question):
            terminal.err.print(_("Nothing is stored."))
            return False
    return True
