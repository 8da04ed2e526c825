"""The command line in Spanish: what it prints has no English sentence of the catalogue."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import League
from waiting import LIMIT

from league.cli.commands import COMMANDS
from league.wording.make_catalogues import read

pytestmark = pytest.mark.heavy

RUN_EACH = """
import contextlib, io, json, sys
from league import cli
said = []
for arguments in json.load(sys.stdin):
    sys.argv, out = ["league", "--language", "es", *arguments], io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
        cli.main()
    said.append(out.getvalue())
json.dump(said, sys.stdout)
"""
SHORTEST = 3
"""Words of a sentence: shorter ones may be names, keys or the same in both languages."""


def spanish(*commands: str) -> list[str]:
    """What commands print in one process, one after the other, without lines of tables and line breaks."""
    said = subprocess.run(
        [sys.executable, "-c", RUN_EACH],
        input=json.dumps([command.split() for command in commands]),
        env={**os.environ, "COLUMNS": "1000", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    return [" ".join(re.sub("[│╭╮╰╯─]", " ", text).split()) for text in json.loads(said.stdout)]


def english() -> set[str]:
    """The texts of the catalogue between their values, if they are whole phrases that Spanish says otherwise."""
    texts: set[str] = set()
    for message in read("es"):
        for one in (message.id,) if isinstance(message.id, str) else message.id:
            texts |= {" ".join(part.split()) for part in re.split(r"\{[^}]*\}|`[^`]*`|\[[^\]]*\]", one)}
    translations = " ".join(str(message.string) for message in read("es"))
    return {text for text in texts if text.count(" ") >= SHORTEST and text not in translations}


def test_the_help_of_every_command_is_in_spanish() -> None:
    """Its own texts, those of its options, and those of Typer."""
    sentences = english()
    commands = ["--help", *(f"{name} --help" for name in COMMANDS), "board --nix", "board nix", "bord", "history"]
    for command, said in zip(commands, spanish(*commands), strict=True):
        assert [sentence for sentence in sentences if sentence in said] == [], command
    assert "Uso: " in said
    assert "Falta el argumento" in said


@pytest.mark.usefixtures("players")
def test_commands_speak_spanish() -> None:
    """What they find, and what they refuse."""
    sentences = english()
    commands = (
        "settings", "rules show", "match list", "match show m1", "board", "board series", "standings", "player show p1",
        "history p1", "explain m1 p1", "explain m1", "explain place global p1", "trail", "replays", "verify",
        "board --region Nowhere", "player show nobody", "match show nothing", "explain m9 p1", "close-month 2026-13",
        "rules show --edition 9", "difference 7", "promote 7 --yes", "drop 7", "what-if-not m1 p1", "void m9 --yes",
        "player add Ana", "export log --format xlsx", "import nowhere", "hand m1 --yes",
    )  # fmt: skip
    for command, said in zip(commands, spanish(*commands), strict=True):
        assert "Traceback" not in said, said
        assert [sentence for sentence in sentences if sentence in said] == [], f"{command}: {said}"


@pytest.mark.usefixtures("own_environment")
def test_a_folder_without_a_league_is_told_in_spanish(tmp_path: Path) -> None:
    """With what to type next."""
    (said,) = spanish("board")
    assert "no hay ninguna liga" in said, tmp_path


@pytest.mark.usefixtures("players")
@pytest.mark.parametrize(
    "command", ["board --json", "match list --json", "player list --json", "trail --first 1 --json", "export matches"]
)
def test_numbers_and_dates_for_scripts_are_the_same_in_every_language(league: League, command: str) -> None:
    """Only people read them as their language writes them."""
    english, spanish = (
        re.sub(r'"(what|text)":"[^"]*"', "", league("--language", language, *command.split()).out)
        for language in ("en", "es")
    )
    assert (english, bool(english)) == (spanish, True)
