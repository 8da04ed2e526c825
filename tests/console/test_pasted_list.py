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
    """Headings are left out and do not hide that every line has a number. A line may have two people."""
    found = [(one.line, one.name) for one in names_in("Viernes:\n1 Ana  María\n\n2 Bea / Luis")]
    assert found == [(2, "Ana María"), (4, "Bea"), (4, "Luis")]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ana,Luis,Bea", ["Ana", "Luis", "Bea"]),
        ("Ana;Luis ; Bea", ["Ana", "Luis", "Bea"]),
        ("Ana & Luis", ["Ana", "Luis"]),
        ("Ana, Luis, Bea", ["Ana", "Luis", "Bea"]),
        ("Ana,", ["Ana"]),
        ("3\tAna Pérez\t809-555-1234", ["Ana Pérez"]),
        ("[28/11/26, 8:15 p. m.] Pedro R.: 2. Ana \u2705", ["Ana"]),
        ("~ Ana", ["Ana"]),
        (",;/", []),
    ],
)
def test_several_people_on_a_line_are_several_names(line: str, names: list[str]) -> None:
    """Whatever chats and sheets put between them or around them."""
    assert [(one.name, one.parts) for one in names_in(line)] == [(name, ()) for name in names]


@pytest.mark.parametrize(
    ("line", "people", "surname", "as_it_stands"),
    [
        ("Pérez, Juan", ["Pérez", "Juan"], "Juan Pérez", "Pérez, Juan"),
        ("Pérez,Juan", ["Pérez", "Juan"], "Juan Pérez", "Pérez,Juan"),
        ("7\tPérez Gil\tJuan\t555", ["Pérez Gil", "Juan"], "Juan Pérez Gil", "Pérez Gil Juan"),
    ],
)
def test_what_may_be_a_surname_is_asked(line: str, people: list[str], surname: str, as_it_stands: str) -> None:
    """Until somebody says what the parts are, the line is one name, and its parts are known."""
    assert names_in(line) == [(1, as_it_stands, tuple(people))]
    assert [one.name for one in names_in(line, "people")] == people
    assert names_in(line, "surname") == [(1, surname, ())]
    assert names_in(line, "name") == [(1, as_it_stands, ())]


@given(
    some.lists(some.sampled_from(("Ana", "Bea Ruiz", "Íñigo", "50 Cent"))), some.sampled_from(("- ", "* ", "• ", ""))
)
def test_a_list_gives_the_names_that_were_put_into_it(names: list[str], bullet: str) -> None:
    """Whatever stands before them, if it is the same for all; blank lines in between change nothing."""
    listed = "\n \n".join(f"{bullet}{number}. {name} " for number, name in enumerate(names, 1))
    assert [one.name for one in names_in(listed)] == names
    assert [one.line for one in names_in(listed)] == [*range(1, 2 * len(names), 2)]


def test_only_the_beginning_of_a_line_says_who_sent_it() -> None:
    """A bracket inside a line belongs to it, however many there are."""
    assert [one.name for one in names_in("Ana [llega 20:30] nota tarde")] == ["Ana [llega 20:30] nota tarde"]
    assert len(names_in("[1:11" * 8_000)) == 1
