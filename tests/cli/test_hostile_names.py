"""Names that were recorded before such characters were refused: no command sends them to a terminal as they are."""

from __future__ import annotations

import re

import pytest
from commands import League, head
from hypothesis import given
from hypothesis import strategies as st
from leagues import announced, league_at, send

from league.cli import terminal
from league.domain.player import PlayerRegistered
from league.domain.texts_and_times import CONTROL
from league.eventlog.records import Append, AppendRequest

HOSTILE = {
    "p1": "Ana\x1b[2J\x1b]0;owned\x07",
    "p2": "Luis\u202enimda",
    "p3": "[red]Eva[/] [link=x]\x9b31m",
    "p4": "Íñigo\r\u2066x",
}
COMMANDS = [
    ("explain", "m1", "p1"),
    ("explain", "m2", "p3"),
    ("board", "global"),
    ("board", "1v1"),
    ("explain", "m1"),
    ("explain", "m2", "p1+p3"),
    ("explain", "standing", "2026-03", "p1"),
    ("board", "series", "--month", "2026-03"),
    ("board", "--all", "--json"),
    ("trail",),
    ("trail", "--json"),
    ("trail", "--player", "p2"),
    ("export", "boards"),
    ("export", "boards", "--format", "csv"),
    ("export", "sheet"),
    ("export", "log"),
    ("erase", "p1", "--yes"),
]
REFUSED = [
    ("explain", "m1", "Ana\x1b[2"),
    ("explain", "m1", "p1\x1b[2J"),
    ("settings", "--name", "Liga\x1b[2J"),
    ("board", "--region", "\u202eanA"),
]


@pytest.mark.heavy
@pytest.mark.usefixtures("own_environment")
def test_no_command_prints_a_control_of_the_log(league: League, database_url: str) -> None:
    """Boards, explanations, lists, the trail, exports and refusals show them escaped, and nothing is lost."""
    league("init", "--name", "Liga", "--time-zone", "America/Havana")
    with league_at(database_url) as made:
        for player, name in HOSTILE.items():
            made.store.append(
                [Append(f"player:{player}", 0, (PlayerRegistered(name, name),))], AppendRequest("old", "manual")
            )
        send(made, announced("m1", ("p1", "p2"), 0, (150, 0)), announced("m2", ("p1", "p2", "p3", "p4"), 2))
    seen = ""
    for command in (*REFUSED, *COMMANDS):
        said = league(*command)
        assert said.code == (2 if command in REFUSED else 0), (command, said)
        assert "Traceback" not in said.err, (command, said.err)
        printed = said.out + said.err
        assert not CONTROL.search(printed.replace("\n", "")), (command, printed)
        seen += printed
    assert r"Ana\x1b[2J" in seen
    assert r"Luis\u202enimda" in seen
    assert "[red]Eva[/]" in re.sub(r"\s+", " ", seen)


@pytest.mark.usefixtures("own_environment")
def test_an_author_with_a_control_is_refused(league: League, database_url: str) -> None:
    """The refusal names the field and the code point, and nothing is stored."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    before = head(database_url)
    said = league("settings", "--name", "Club", "--actor", "kim\x1b[2J")
    assert said.code != 0
    assert "actor: the text has the character U+001B" in said.err
    assert head(database_url) == before


@pytest.mark.heavy
@given(st.text())
def test_whatever_is_printed_only_styles_command_the_terminal(text: str) -> None:
    """This holds even if a command did not make a text safe, for markup and for plain text."""
    for mark_up in (False, True):
        safe = terminal.quoted(text) if mark_up else text
        with terminal.out.capture() as captured:
            terminal.out.print(safe, markup=mark_up)
        assert not CONTROL.search(captured.get().replace("\n", ""))
