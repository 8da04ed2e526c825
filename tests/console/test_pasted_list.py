"""A pasted list of names is read as a sheet of entries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from league.console.pasted_list import as_sheet, names_in


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
        ("1️⃣ Ana", "Ana"),
        ("\u2705 1. Ana 🔥🏽", "Ana"),
        ("1.- Ana / Luis 👩🏽‍🦱", "Ana / Luis"),
        ("(3) Ana", "Ana"),
        ("#4 Ana", "Ana"),
        ("5º Ana", "Ana"),
        ("50 Cent", "50 Cent"),
        ("🔥", "🔥"),
    ],
)
def test_a_line_is_a_name_without_what_chats_put_before_it(line: str, cell: str) -> None:
    """A number is a name if nothing follows it."""
    assert as_sheet(line).decode().splitlines() == ["player", cell]


def test_an_empty_line_keeps_its_number() -> None:
    """The lines after it have the numbers that people count."""
    assert as_sheet("Ana\n\nBea\n").decode().splitlines() == ["player", "Ana", '""', "Bea"]


def test_numbers_without_a_sign_go_where_every_line_has_one() -> None:
    """A single line may be a name that begins with a number."""
    assert as_sheet("1 Ana\n\n2  Bea\n").decode().splitlines() == ["player", "Ana", '""', "Bea"]
    assert as_sheet("1 Ana\nBea\n").decode().splitlines() == ["player", "1 Ana", "Bea"]


def test_names_keep_the_lines_that_people_count() -> None:
    """Headings are left out and do not hide that every line has a number. A pair stays one name."""
    assert names_in("Viernes:\n1 Ana  María\n\n2 Bea\tLuis") == [(2, "Ana María"), (4, "Bea / Luis")]


@given(
    some.lists(some.sampled_from(("Ana", "Bea Ruiz", "Íñigo", "50 Cent"))), some.sampled_from(("- ", "* ", "• ", ""))
)
def test_a_list_gives_the_names_that_were_put_into_it(names: list[str], bullet: str) -> None:
    """Whatever stands before them, if it is the same for all; blank lines in between change nothing."""
    listed = "\n \n".join(f"{bullet}{number}. {name} " for number, name in enumerate(names, 1))
    assert [one.name for one in names_in(listed)] == names
    assert [one.line for one in names_in(listed)] == [*range(1, 2 * len(names), 2)]
