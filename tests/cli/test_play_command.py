"""`league play`: a person at a terminal, here a pseudo-terminal of 80 columns."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import Terminal
from waiting import LIMIT

pytestmark = pytest.mark.heavy

ASKED = b"to stop): "
FAREWELL = "The game ends here. Thank you for playing."


@pytest.mark.parametrize(("ruleset", "mode"), [("doscientos-100", "1v1"), ("dominican-200", "2v2"), ("chiva-4", "2v2")])
def test_a_match_is_played_to_its_end(terminals: list[Terminal], ruleset: str, mode: str) -> None:
    """Chain, own tiles, numbered plays; each hand ends with its terms in words; no line is too long, none coloured."""
    asked = ("--ruleset", ruleset, "--mode", mode, "--level", "heuristic", "--seed", "4")
    terminal = Terminal("play", *asked)
    terminals.append(terminal)
    while terminal.read_until(ASKED):
        terminal.type(b"1\n")
    assert terminal.program.wait(LIMIT) == 0
    text = terminal.text
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert re.search(r"^The match goes to (you|your opponents?)( and your partner)?\.$", text, re.MULTILINE)
    assert re.search(r"^Chain: (\[\d\|\d\] ?)+$", text, re.MULTILINE)
    assert re.search(r"^   1  \[\d\|\d\] on the (left|right)$", text, re.MULTILINE)
    if ruleset != "chiva-4":
        assert re.search(r"^  \+\d+ for you.*: leftover pips$", text, re.MULTILINE)


@pytest.mark.parametrize("keys", [b"q\n", b"\x03", b"\x04"], ids=["q", "Ctrl-C", "end of input"])
def test_a_game_ends_politely(terminals: list[Terminal], keys: bytes) -> None:
    """A bad answer is asked again; then q, Ctrl-C and the end of input end the game."""
    terminal = Terminal("play", "--level", "heuristic", "--seed", "4")
    terminals.append(terminal)
    assert terminal.read_until(ASKED)
    terminal.type(b"99\n")
    assert terminal.read_until(ASKED)
    assert "Enter a number from 1 to " in terminal.text
    terminal.type(b"?\n")
    assert terminal.read_until(ASKED)
    assert "as they lie" in terminal.text
    if keys == b"\x03":
        terminal.interrupt()
    else:
        terminal.type(keys)
    terminal.read_until(b"no more")
    assert terminal.program.wait(LIMIT) == 0
    assert FAREWELL in terminal.text


def test_a_bad_argument_is_refused(tmp_path: Path) -> None:
    """Before a tile is dealt."""
    command = [sys.executable, "-m", "league", "play", "--level", "hard"]
    said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT, cwd=tmp_path)
    assert (said.returncode, "there is no level 'hard'" in said.stderr) == (2, True)
