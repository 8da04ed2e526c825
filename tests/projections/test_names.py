"""Players are found by name without accents and case, by the database itself."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import catch_up, league_at, send
from sqlalchemy import Connection, func, select

from league.domain.player import ErasePlayer, MergePlayers, RegisterPlayer, RenamePlayer
from league.domain.player_names import BLANK, SELECTORS, name_key
from league.infra.database import engine
from league.projections.queries.players import PlayerFilter, name_twins, players

NAMES = ("Inés Núñez", "INÈS", "Ağa Šimić", "Zoë 100%", "Ana_María", "Ana María")


@pytest.fixture
def conn(league_url: str) -> Iterator[Connection]:
    with league_at(league_url) as league:
        send(league, *(RegisterPlayer(f"n{n}", name, None) for n, name in enumerate(NAMES)))
        send(league, RegisterPlayer("renamed", "Nobody", None), RenamePlayer("renamed", "Íñigo"))
        catch_up(league)
        pool = engine(league_url, pool_size=1)
        with pool.connect() as opened:
            yield opened
        pool.dispose()


def found(conn: Connection, **wanted: str) -> set[str]:
    return {row.name for row in conn.execute(players(PlayerFilter(**wanted)))}


def test_a_name_is_found_whatever_its_accents_and_case(conn: Connection) -> None:
    """Names are found without accents, tildes and case, in either encoding of accents; wildcards are literal."""
    for typed, names in (
        ("ines", {"Inés Núñez", "INÈS"}),
        ("ÍNÉS", {"Inés Núñez", "INÈS"}),
        ("nunez", {"Inés Núñez"}),
        ("ñ", {"Inés Núñez", "INÈS", "Ana_María", "Ana María", "Íñigo"}),
        ("aga s", {"Ağa Šimić"}),
        ("%", {"Zoë 100%"}),
        ("a_m", {"Ana_María"}),
        ("inigo", {"Íñigo"}),
        ("\\", set[str]()),
    ):
        ours = {name for name in found(conn, name_contains=typed) if name in (*NAMES, "Íñigo")}
        assert ours == names, typed
        assert found(conn, name_contains=unicodedata.normalize("NFD", typed)) == found(conn, name_contains=typed)


@pytest.mark.also_on_server
def test_a_name_is_found_by_its_beginning(conn: Connection) -> None:
    """A name that has the text elsewhere only is not."""
    assert found(conn, name_starts_with="i") == {"Inés Núñez", "INÈS", "Íñigo"}


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_what_nobody_sees_is_folded_away_as_in_keys_of_names(conn: Connection) -> None:
    """Every format character, selector and blank, by the database and by the program alike."""
    unseen = [letter for letter in map(chr, range(1, sys.maxunicode)) if unicodedata.category(letter) == "Cf"]
    unseen += [letter for letter in map(chr, range(sys.maxunicode)) if SELECTORS.match(letter) or letter in BLANK]
    for letter in unseen:
        name = f"A{letter}na {letter} P{letter}"
        assert conn.scalar(select(func.folded(name))) == name_key(name), hex(ord(letter))
        assert conn.scalar(select(func.seen(name))) != name


@pytest.mark.also_on_server
def test_players_whose_names_look_the_same_are_listed(league_url: str) -> None:
    """Look-alike names are listed with the first player of the name; equal names, merged and erased players are not."""
    with league_at(league_url) as league:
        names = {
            "b1": "Rosa",
            "a2": "Ro\u200dsa",
            "c3": "ROSA\u200e",
            "d4": "rosa",
            "e5": "Ro\u200esa",
            "f6": "\u200fRosa",
        }
        send(league, *(RegisterPlayer(player, name, None) for player, name in names.items()))
        send(league, MergePlayers("b1", "e5"), ErasePlayer("f6"))
        catch_up(league)
        pool = engine(league_url, pool_size=1)
        with pool.connect() as opened:
            query, _ = name_twins()
            assert {tuple(row) for row in opened.execute(query)} == {("a2", "b1"), ("c3", "b1")}
        pool.dispose()


@pytest.mark.also_on_server
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.text(st.characters(max_codepoint=0x2FF, exclude_characters="\0")), min_size=20, max_size=40))
def test_folding_twice_is_folding_once(conn: Connection, names: list[str]) -> None:
    """What was folded has nothing left to fold, and no combining accent."""
    for name in names:
        once, twice = conn.execute(select(func.folded(name), func.folded(func.folded(name)))).one()
        assert once == twice
        assert not any(0x300 <= ord(letter) <= 0x36F for letter in once)
