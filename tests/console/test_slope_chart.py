"""The lines of the chart that shows who moves."""

from __future__ import annotations

from typing import Any

from league.console.slopes import LONGEST_LABEL, slope_chart


def move(name: str, before: int | None, after: int | None) -> dict[str, Any]:
    return {"competitor": {"displayName": name}, "rankBefore": before, "rankAfter": after}


def test_each_end_of_a_line_is_at_its_place() -> None:
    """The best place is on top. Who has no place comes last; who has none on both sides has no line."""
    lines = {
        line.name: line for line in slope_chart([move("Ana", 3, 1), move("Bea", 1, None), move("Eva", None, None)])
    }
    ana, bea = lines["Ana"], lines["Bea"]
    assert (bea.left < ana.left, ana.right < bea.right) == (True, True)
    assert (ana.course, bea.course, len(lines)) == ("rises", "falls", 2)


def test_a_long_name_is_cut() -> None:
    """The table beside the chart has it whole."""
    [line] = slope_chart([move("M" * 200, 1, 1)])
    assert (len(line.name), line.course) == (LONGEST_LABEL, "stays")
