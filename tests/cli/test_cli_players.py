"""`league init` and `league player`: a league and its players, by commands alone."""

from __future__ import annotations

import io
import re
import sys

import pytest
from commands import League, head

pytestmark = pytest.mark.usefixtures("own_environment")


class Keyboard(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard("".join(f"{line}\n" for line in lines)))


def test_init_asks_at_a_terminal_and_guesses_nothing_in_a_script(
    league: League, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """The machine's zone is suggested, a wrong one asked again; the end of input stores nothing."""
    refused = league("init", "--name", "Liga")
    assert refused.code == 2
    assert "time_zone: is not given: name it with --time-zone" in refused.err
    monkeypatch.setenv("TZ", "America/Santo_Domingo")
    type_in(monkeypatch, "Club", "Cuba/Nowhere")
    stopped = league("init")
    assert (stopped.code, head(database_url)) == (1, 0)
    assert "'Cuba/Nowhere' is not a time zone" in stopped.err
    assert "Stopped. Nothing is stored." in stopped.err
    type_in(monkeypatch, "Club Malecón", "")
    assert "'Club Malecón' in the time zone America/Santo_Domingo" in league("init").out


@pytest.mark.usefixtures("players")
def test_a_player_is_registered_renamed_moved_and_listed(league: League) -> None:
    """The id given by default tells nothing of the name; the last word on a name is its newest spelling."""
    said = league("player", "add", "Rosa Núñez", "--region", "Cibao", "--json").document
    assert re.fullmatch(r"p-[0-9a-f]{8}", said["player"])
    assert said["close"] == []
    assert league("player", "rename", "rosa  NUNEZ", "Rosa María Núñez").code == 0
    assert league("player", "move", "Rosa María Núñez", "Ozama").code == 0
    listed = league("player", "list", "--json").document
    assert [(one["name"], one["region"]) for one in listed] == [
        ("Ana", None), ("Ana", None), ("Eva", None), ("Íñigo", None), ("Rosa María Núñez", "Ozama"),
    ]  # fmt: skip
    assert said["player"] in league("player", "list", "--region", "Ozama").out
    assert league("player", "rosa maria nunez").out == league("player", "show", said["player"]).out


@pytest.mark.usefixtures("players")
def test_a_close_name_is_pointed_out(league: League, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script gets a note, and the list in JSON; at a terminal the command asks first."""
    said = league("player", "add", "Ynigo")
    assert (said.code, "Note: a similar name is registered: Íñigo (p1), last match" in said.err) == (0, True)
    close = league("player", "add", "EVA ", "--id", "p9", "--json").document["close"]
    assert close == [{"id": "p4", "name": "Eva", "region": None}]
    before = head(database_url)
    type_in(monkeypatch, "n")
    asked = league("player", "add", "Inigo")
    assert (asked.code, head(database_url)) == (0, before)
    assert "Is Inigo somebody else?" in asked.err
    type_in(monkeypatch, "y")
    assert league("player", "add", "Inigo").code == 0
    assert head(database_url) == before + 1


@pytest.mark.usefixtures("players")
def test_which_of_two_is_asked_at_a_terminal(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """With id and last match; for an unknown name the closest ones are offered, which a script only reads."""
    type_in(monkeypatch, "7", "2")
    said = league("player", "ana", "--json")
    assert said.document["id"] == "p3"
    assert "  1  Ana (p2), last match Mar 1, 2026\n  2  Ana (p3), last match Mar 1, 2026\n" in said.err
    type_in(monkeypatch, "1")
    assert league("history", "evva", "--json").code == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    unknown = league("player", "evva")
    assert (unknown.code, "there is no player 'evva'; close to it: Eva (p4), last match" in unknown.err) == (2, True)
    assert league("player", "Eva & p1", "--mode", "2v2").code == 2  # found, but they have not played together
    assert league("erase", "eva", "--yes").code == 0
    assert "erased" in league("player", "rename", "p4", "Eva").err
