"""Names as people write them: which are one name, and which are close to a known one."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.domain.player_names import closest_names, name_key, pieces_of

FORMATS = [letter for letter in map(chr, range(sys.maxunicode)) if unicodedata.category(letter) == "Cf"]
KNOWN = ["Ana Pérez", "José Luis Núñez", "Rosa", "Luis", "Wu"]


@pytest.mark.parametrize("written", ["ana perez", " ANA   PÉREZ ", "Ana Pe\u0301rez", "\uff21\uff2e\uff21 pérez"])
def test_case_accents_and_spaces_make_no_other_name(written: str) -> None:
    """Names with the same letters have one key, however the accents are encoded."""
    assert name_key(written) == name_key("Ana Pérez")
    assert closest_names(written, KNOWN)[0] == "Ana Pérez"


@pytest.mark.parametrize(
    "invisible", ["\u200b", "\u200e", "\u200f", "\u00ad", "\ufeff", "\u2060", "\u200d", "\ufe0f", "\u034f"]
)
def test_what_nobody_sees_makes_no_other_name(invisible: str) -> None:
    """An invisible character is ignored wherever it is."""
    for written in (f"Ana P{invisible}érez", f"{invisible}Ana Pérez", f"Ana {invisible} Pérez{invisible}"):
        assert name_key(written) == name_key("Ana Pérez")


@given(st.text(), st.integers(0))
def test_any_format_character_is_ignored(name: str, at: int) -> None:
    """All of category Cf; and what is drawn as a blank is a space."""
    place = at % (len(name) + 1)
    for character in FORMATS:
        assert name_key(name[:place] + character + name[place:]) == name_key(name)
    assert name_key("김\u3164민") == name_key("김 민")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Anna Peres", ["Ana Pérez"]),
        ("Pérez, Ana", ["Ana Pérez"]),
        ("Ana", ["Ana Pérez"]),
        ("Anna", ["Ana Pérez"]),
        ("Jose L. Nuñez", ["José Luis Núñez"]),
        ("Luz", []),
        ("Zoé", []),
        ("", []),
    ],
)
def test_close_names(written: str, found: list[str]) -> None:
    """Typing errors, words in another order and shortened names are close; another name is not."""
    assert closest_names(written, KNOWN) == found


@given(st.text(), st.text())
def test_a_key_is_its_own_key(name: str, other: str) -> None:
    """Text around a name, or the case of all its letters, does not change that."""
    assert name_key(name_key(name)) == name_key(name)
    assert name_key(f"  {name}\t {other} ") == name_key(f"{name} {other}")


def test_close_names_share_pieces() -> None:
    """Pairs of letters, and first letters after a space: by these a database finds what is worth comparing."""
    assert pieces_of("José P") == [" j", " p", "jo", "os", "se"]
    assert {" i", "id", "da"} <= {*pieces_of("Idaina")} & {*pieces_of("Idania")}
