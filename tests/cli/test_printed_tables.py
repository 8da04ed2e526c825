"""Tables at a terminal: they fit it, and nothing that must be typed again is broken while there is room."""

from __future__ import annotations

import pytest
from rich.console import Console

from league.cli import terminal

NAME = "María de los Ángeles Altagracia Fernández-Villavicencio"
TIME = "2026-11-22 15:29"


def printed(monkeypatch: pytest.MonkeyPatch, width: int, *table: object) -> list[str]:
    """The lines of a table."""
    console = Console(width=width, record=True, quiet=False, highlight=False)
    monkeypatch.setattr(terminal, "out", console)
    with console.capture() as captured:
        terminal.table(*table)  # type: ignore[arg-type]
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [72, 80, 120])
def test_ids_times_and_numbers_stay_whole(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Names break between their words."""
    rows = [(12345, TIME, "a-league-match-17", f"{NAME} got another name")]
    lines = printed(monkeypatch, width, "Trail", ("position", "recorded", "match", "what"), rows, ("position",))
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(word in text for word in ("12345", TIME, "a-league-match-17", "Fernández-Villavicencio"))


def test_a_table_that_cannot_fit_breaks_words_before_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hashes beside each other are folded, and no column is left out."""
    rows = [(13119, "c8" * 32, "bb" * 32)]
    lines = printed(monkeypatch, 80, "Heads", ("position", "root", "key"), rows, ("position",))
    assert max(map(len, lines)) <= 80
    assert "13119" in "\n".join(lines)
    assert "".join(line[10:45] for line in lines).replace(" ", "").count("c8") == 32


def test_a_wide_terminal_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row is one line."""
    lines = printed(monkeypatch, 200, "Players", ("name", "id"), [(NAME, "p-" + "0" * 30)] * 3)
    assert [line for line in lines if NAME in line and "p-0" in line] == lines[2:5]
