"""Names that were recorded before such characters were refused: no command sends them to a terminal as they are."""

from __future__ import annotations

import json
import re

import pytest
from commands import League
from hypothesis import given
from hypothesis import strategies as st
from leagues import announced, league_at, send

from league.cli import terminal
from league.domain.player import PlayerRegistered
from league.domain.readable_text import CONTROL
from league.eventlog.records import Append, Request

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
    ("player", "list"),
    ("player", "show", "p1"),
    ("player", "show", "p3"),
    ("match", "list"),
    ("match", "show", "m1"),
    ("match", "show", "m2"),
    ("history", "p1"),
    ("trail",),
    ("series", "2026-03"),
    ("export", "boards"),
    ("export", "boards", "--format", "csv"),
    ("export", "sheet"),
    ("player", "list", "--json"),
    ("player", "add", "Ana\x1b[2J"),
    ("player", "rename", "p1", "\u202eanA"),
    ("hand", "m1"),
]


@pytest.mark.usefixtures("own_environment")
def test_no_command_prints_a_control_of_the_log(league: League, database_url: str) -> None:
    """Boards, explanations, lists, the trail, exports and refusals show them escaped, and nothing is lost."""
    league("init", "--name", "Liga", "--time-zone", "America/Havana")
    with league_at(database_url) as made:
        for player, name in HOSTILE.items():
            made.store.append(
                [Append(f"player:{player}", 0, (PlayerRegistered(name, name),))], Request("old", "manual")
            )
        send(made, announced("m1", ("p1", "p2"), 0, (150, 0)), announced("m2", ("p1", "p2", "p3", "p4"), 2))
    seen = ""
    for command in COMMANDS:
        said = league(*command)
        refused = {("player", "add"), ("player", "rename"), ("match", "show"), ("hand", "m1"), ("series", "2026-03")}
        assert said.code == 0 or command[:2] in refused, (command, said)
        assert "Traceback" not in said.err, (command, said.err)
        printed = said.out + said.err
        assert not CONTROL.search(printed.replace("\n", "")), (command, printed)
        seen += printed
    assert r"Ana\x1b[2J" in seen
    assert r"Luis\u202enimda" in seen
    assert "[red]Eva[/]" in re.sub(r"\s+", " ", seen)
    listed = json.dumps(league("player", "list", "--json").document, ensure_ascii=False)
    assert all(json.dumps(name, ensure_ascii=False)[1:-1] in listed for name in HOSTILE.values())


@pytest.mark.usefixtures("own_environment")
def test_an_author_with_a_control_is_refused(league: League) -> None:
    """Named by its field and code point; nothing is stored."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    said = league("player", "add", "Eva", "--actor", "kim\x1b[2J")
    assert said.code != 0
    assert "actor: the text has the character U+001B" in said.err
    assert league("player", "list", "--json").document == []


@given(st.text())
def test_whatever_is_printed_only_styles_command_the_terminal(text: str) -> None:
    """Also where a command forgot to make a text safe, as markup and as plain text."""
    for mark_up in (False, True):
        safe = terminal.quoted(text) if mark_up else text
        with terminal.out.capture() as captured:
            terminal.out.print(safe, markup=mark_up)
        assert not CONTROL.search(captured.get().replace("\n", ""))
