"""`league play`: a person at a terminal, here a pseudo-terminal of 80 columns."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from waiting import LIMIT

ASKED = b"to stop): "
PATIENCE = 10  # seconds between two presses of Ctrl-C
STARTED = """
import signal
from league import cli
signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of a test run ignore it, and what they start does
cli.main()
"""
FAREWELL = "The game ends here. Thank you for playing."


class Terminal:
    """A program at a pseudo-terminal, and all that it has printed."""

    def __init__(self, *arguments: str) -> None:
        self.end, theirs = pty.openpty()
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONPATH": os.pathsep.join(sys.path)}
        self.program = subprocess.Popen(
            [sys.executable, "-c", STARTED, "play", *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.printed = b""

    def read_until(self, wanted: bytes) -> bool:
        """Read until the program has printed this; False when it ends before."""
        start = len(self.printed)
        while wanted not in self.printed[start:]:
            ready, _, _ = select.select([self.end], [], [], LIMIT)
            assert ready, f"no more came of {self.text}"
            try:
                more = os.read(self.end, 65_536)
            except OSError:  # Linux says so when the other end is closed
                return False
            if not more:
                return False
            self.printed += more
        return True

    def type(self, keys: bytes) -> None:
        os.write(self.end, keys)

    def interrupt(self) -> None:
        """Press Ctrl-C until the program reacts: Python misses a signal between its prompt and its read."""
        for _ in range(round(LIMIT / PATIENCE)):
            os.killpg(self.program.pid, signal.SIGINT)  # the pseudo-terminal has no foreground group to send it to
            if select.select([self.end], [], [], PATIENCE)[0]:
                return

    @property
    def text(self) -> str:
        return self.printed.decode().replace("\r\n", "\n")


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        with suppress(ProcessLookupError):
            os.killpg(terminal.program.pid, signal.SIGKILL)
        terminal.program.wait(LIMIT)
        os.close(terminal.end)


@pytest.mark.parametrize(("ruleset", "mode"), [("doscientos-100", "1v1"), ("dominican-200", "2v2"), ("chiva-4", "2v2")])
def test_a_match_is_played_to_its_end(terminals: list[Terminal], ruleset: str, mode: str) -> None:
    """Chain, own tiles, numbered plays; each hand ends with its terms in words; no line is too long, none coloured."""
    asked = ("--ruleset", ruleset, "--mode", mode, "--level", "heuristic", "--seed", "4")
    terminal = Terminal(*asked)
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
    terminal = Terminal("--level", "heuristic", "--seed", "4")
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
