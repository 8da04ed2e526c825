"""Texts name only commands that there are: in the code, its catalogues, the documentation, and files of operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from league.cli.commands import COMMANDS, load

ROOT = Path(__file__).parents[1]
READ = (
    "league/**/*.py", "league/**/*.html", "league/**/*.js", "league/**/*.graphql", "league/**/*.toml", "league/**/*.po",
    "migrations/**/*.py", "tests/**/*.py", "docs/**/*.md", "examples/**/*.md", "examples/**/*.toml",
    "README.md", "CHANGELOG.md", "*.toml", "*.yml", "Makefile", "Dockerfile",
)  # fmt: skip
COMMAND = r"league (?:--language \w+ )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?"
QUOTED = re.compile(rf"[`\"']{COMMAND}")
TYPED = re.compile(rf"^(?:\$ )?{COMMAND}", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
DELETED = re.compile(r"^(#+) (?:Commands that were deleted|Removed)$.*?(?=^#{1,2} |\Z)", re.DOTALL | re.MULTILINE)
"""A part of a page that says what to do instead of commands that are gone."""


def texts() -> Iterator[tuple[str, str]]:
    """Every file that is read, and what it says of commands that are there."""
    for file in sorted({file for pattern in READ for file in ROOT.glob(pattern)}):
        yield str(file.relative_to(ROOT)), DELETED.sub("", file.read_text(encoding="utf-8"))


def named(name: str, text: str) -> Iterator[tuple[str, str]]:
    """The commands that a text names, each with the word after it."""
    yield from QUOTED.findall(text)
    if name.endswith(".md"):
        for block in FENCED.findall(text):
            yield from TYPED.findall(block)


def is_there(command: str, word: str) -> bool:
    """Whether there is such a command, and such a subcommand if it has any."""
    if command not in COMMANDS:
        return False
    inner: dict[str, Any] = getattr(load(command), "commands", {})
    return not inner or not word or word in inner


@pytest.mark.heavy
def test_every_command_that_a_text_names_is_there() -> None:
    """Between backticks, in quotation marks, or in a block of lines to type."""
    found = {name: sorted(set(named(name, text))) for name, text in texts()}
    assert sum(map(len, found.values())) > len(COMMANDS)
    lacking = {name: [one for one in commands if not is_there(*one)] for name, commands in found.items()}
    assert {name: commands for name, commands in lacking.items() if commands} == {}


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Run `league heads sign` first.", [("heads", "sign")]),
        ("```sh\nleague --language es board global\n```", [("board", "global")]),
        ('say("{command}", command="league import")', [("import", "")]),
        ("The league keeps a log.\nleague keeps a log", []),
    ],
)
def test_commands_are_found(text: str, commands: list[tuple[str, str]]) -> None:
    """And nothing else that begins with the word."""
    assert list(named("page.md", text)) == commands
