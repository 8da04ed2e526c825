"""The commands of the program: each is listed, helps, loads alone, and is described in docs/cli.md."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import League

from league import cli
from league.cli.commands import COMMANDS, load

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
EXAMPLES = [line for line in PAGE.splitlines() if line.startswith("league ")]

WITHOUT_JSON = {
    "demo": "tells a story",
    "serve": "is a process", "project": "is a process", "worker": "is a process",
    "export": "writes rows in formats of its own", "sheet-template": "writes a sheet",
    "heads public-key": "writes PEM",
    "digest": "prints JSON anyway", "restore": "prints JSON anyway",
}  # fmt: skip
"""The commands without `--json`, and why."""


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command of this file opens a database."""
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps(league: League, name: str) -> None:
    """Each command has a help page, whose first line is the summary in `league --help`."""
    said = league(name, "--help")
    assert said.code == 0
    assert (load(name).help or "").splitlines()[0] == COMMANDS[name].summary
    assert f"league {name}" in said.out


def test_every_command_that_prints_can_print_json() -> None:
    """Each command and subcommand has `--json`, with the listed exceptions."""
    lacking = {name for name in COMMANDS for name, one in leaves(name, load(name)) if "--json" not in options(one)}
    assert lacking == set(WITHOUT_JSON)


def test_help_lists_every_command(league: League) -> None:
    """Commands stand under their panel, in the order of the registry; those of features come last."""
    said = league("--help")
    listed = [word for word in re.findall(r"^│ ([a-z-]+) ", said.out, re.MULTILINE) if word in COMMANDS]
    panels = list(dict.fromkeys(entry.panel for entry in COMMANDS.values()))
    expected = sorted(COMMANDS, key=lambda name: panels.index(COMMANDS[name].panel))
    assert (said.code, listed) == (0, expected)


def test_the_version_is_that_of_the_package(league: League) -> None:
    """`league --version` prints it and ends."""
    said = league("--version")
    assert (said.code, said.out) == (0, f"league {version('domino-league')}\n")


def test_a_mistyped_command_is_refused_with_a_suggestion(league: League) -> None:
    """The refusal is a usage error."""
    said = league("bord")
    assert said.code == 2
    assert "Did you mean 'board'?" in said.err


def test_a_number_beyond_a_limit_is_refused_in_words(league: League) -> None:
    """The option, its limit and the number are named."""
    assert "'--hand': must be at least 1, not 0" in league("explain", "--hand", "0").err
    assert "'--port': must be at most 65535, not 99999" in league("serve", "--port", "99999").err


def test_help_and_usage_errors_are_english(league: League) -> None:
    """They stay English in every language, because they name commands and options."""
    for arguments in (["--help"], ["board", "--help"], ["board", "--first", "0"], ["bord"]):
        said = league("--language", "es", *arguments)
        assert said == league(*arguments)
        assert "Usage: " in said.out + said.err


def test_the_page_describes_every_command_once() -> None:
    """Each command has a heading and at least one example."""
    assert sorted(re.findall(r"^### league (\S+)$", PAGE, re.MULTILINE)) == sorted(COMMANDS)
    assert {shlex.split(line)[1] for line in EXAMPLES} == set(COMMANDS)


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_example_of_the_page_is_a_command_with_these_arguments(line: str) -> None:
    """The command's own parser accepts each example. Redirections are left to the shell."""
    words = shlex.split(line.split(" > ", maxsplit=1)[0])
    parse(typer.main.get_command(cli.app), words[0], words[1:])


def test_every_option_that_the_page_names_exists() -> None:
    """An option in the text about a command is an option of that command."""
    shared = PAGE.split("### league ")[0]
    sections = {section.split("\n", 1)[0]: section for section in PAGE.split("### league ")[1:]}
    for name, text in sections.items():
        assert set(re.findall(r"--[a-z][a-z-]+", text)) <= options(load(name)), name
    assert set(re.findall(r"--[a-z][a-z-]+", shared)) - {"--help", "--language"} <= {
        option for name in ("board", "erase", "demo") for option in options(load(name))
    }


def parse(command: Any, name: str, words: list[str], parent: Any = None) -> None:
    """Parse arguments as the program does, down to the command that would run."""
    with command.make_context(name, list(words), parent=parent) as context:
        rest = [*context._protected_args, *context.args]
        if rest:
            found, inner, left = command.resolve_command(context, rest)
            parse(inner, found, left, context)


def leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """The command, or all of its subcommands, by what is typed."""
    if not hasattr(command, "commands"):
        yield name, command
    for inner, one in getattr(command, "commands", {}).items():
        yield from leaves(f"{name} {inner}", one)


def options(command: Any) -> set[str]:
    """The options of a command and its subcommands."""
    return {option for one in every(command) for param in one.params for option in (*param.opts, *param.secondary_opts)}


def every(command: Any) -> Iterator[Any]:
    yield command
    yield from getattr(command, "commands", {}).values()
