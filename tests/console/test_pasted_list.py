"""A pasted list of names is read as a sheet of entries."""

from __future__ import annotations

import pytest

from league.tournaments.console.pasted_list import as_sheet


@pytest.mark.parametrize(
    ("line", "cell"),
    [
        ("Ana", "Ana"),
        ("1. Ana", "Ana"),
        ("12) Ana / Luis", "Ana / Luis"),
        ("- Ana", "Ana"),
        ("\u2022 Ana\tLuis ", "Ana / Luis"),
        ("\u2705 Ana, la de Luis", '"Ana, la de Luis"'),
        ("007", "007"),
    ],
)
def test_a_line_is_a_name_without_what_chats_put_before_it(line: str, cell: str) -> None:
    """A number is a name if nothing follows it."""
    assert as_sheet(line).decode().splitlines() == ["player", cell]


def test_an_empty_line_keeps_its_number() -> None:
    """The lines after it have the numbers that people count."""
    assert as_sheet("Ana\n\nBea\n").decode().splitlines() == ["player", "Ana", '""', "Bea"]
