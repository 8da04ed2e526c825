"""Players are found by name without accents and case, by the database itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import catch_up, league_at, send
from sqlalchemy import Connection, func, select

from league.domain.player import RegisterPlayer, RenamePlayer
from league.infra.database import engine
from league.projections.queries.players import PlayerFilter, players

pytestmark = pytest.mark.also_on_server

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


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ines", {"Inés Núñez", "INÈS"}),
        ("ÍNÉS", {"Inés Núñez", "INÈS"}),
        ("nunez", {"Inés Núñez"}),
        ("ñ", {"Inés Núñez", "INÈS", "Ana_María", "Ana María", "Íñigo"}),
        ("aga s", {"Ağa Šimić"}),
        ("%", {"Zoë 100%"}),
        ("a_m", {"Ana_María"}),
        ("inigo", {"Íñigo"}),
        ("\\", set()),
    ],
)
def test_a_name_is_found_whatever_its_accents_and_case(conn: Connection, typed: str, names: set[str]) -> None:
    """Also with a tilde, in either way to write an accent; the database's wildcards are literal."""
    ours = {name for name in found(conn, name_contains=typed) if name in (*NAMES, "Íñigo")}
    assert ours == names
    assert found(conn, name_contains=unicodedata.normalize("NFD", typed)) == found(conn, name_contains=typed)


def test_a_name_is_found_by_its_beginning(conn: Connection) -> None:
    """A name that has the text elsewhere only is not."""
    assert found(conn, name_starts_with="i") == {"Inés Núñez", "INÈS", "Íñigo"}


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.text(st.characters(max_codepoint=0x2FF, exclude_characters="\0")), min_size=20, max_size=40))
def test_folding_twice_is_folding_once(conn: Connection, names: list[str]) -> None:
    """What was folded has nothing left to fold, and no combining accent."""
    for name in names:
        once, twice = conn.execute(select(func.folded(name), func.folded(func.folded(name)))).one()
        assert once == twice
        assert not any(0x300 <= ord(letter) <= 0x36F for letter in once)
