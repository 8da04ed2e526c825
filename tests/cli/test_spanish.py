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


@pytest.mark.usefixtures("players")
def test_commands_speak_spanish() -> None:
    """Results and refusals are in Spanish."""
    sentences = english()
    commands = (
        "settings", "rules show", "board", "board series", "explain m1 p1", "explain m1", "explain place global p1",
        "explain standing 2026-03 p1", "trail", "trail --player p1", "replays", "verify", "board --region Nowhere",
        "explain m9 p1", "explain m1 nobody", "explain standing 2026-13 p1", "rules show --edition 9", "difference 7",
        "promote 7 --yes", "drop 7", "export log --format xlsx", "import nowhere", "erase p1",
    )  # fmt: skip
    for command, said in zip(commands, spanish(*commands), strict=True):
        assert "Traceback" not in said, said
        assert [sentence for sentence in sentences if sentence in said] == [], f"{command}: {said}"


@pytest.mark.usefixtures("own_environment")
def test_a_folder_without_a_league_is_told_in_spanish(tmp_path: Path) -> None:
    """The message says what to type next."""
    (said,) = spanish("board")
    assert "no hay ninguna liga" in said, tmp_path


@pytest.mark.usefixtures("players")
@pytest.mark.parametrize("command", ["board --json", "trail --first 1 --json", "export matches"])
def test_numbers_and_dates_for_scripts_are_the_same_in_every_language(league: League, command: str) -> None:
    """Only people read them as their language writes them."""
    english, spanish = (
        re.sub(r'"(what|text)":"[^"]*"', "", league("--language", language, *command.split()).out)
        for language in ("en", "es")
    )
    assert (english, bool(english)) == (spanish, True)
