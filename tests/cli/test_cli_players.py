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


@pytest.mark.usefixtures("players")
def test_two_ids_of_one_person_are_merged_and_separated(
    league: League, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """The command says who they are and what would change, and asks; both names then find the player."""
    assert league("player", "add", "Evita", "--id", "p5", "--yes").code == 0
    assert league("match", "open", "Evita", "Íñigo", "--ruleset", "cuban-150", "--id", "m4").code == 0
    assert league("match", "result", "m4", "--winner", "Evita", "--score", "150-90").code == 0
    stored = head(database_url)
    before = [league("player", one, "--json").document for one in ("p4", "p5")]

    seen = league("player", "merge", "Eva", "Evita", "--preview")
    assert "stays:      Eva (p4)" in seen.out
    assert "is dropped: Evita (p5)" in seen.out
    assert "1 match would count for the player who stays." in seen.out
    type_in(monkeypatch, "n")
    assert "Nothing is stored." in league("player", "merge", "Eva", "Evita").err
    assert head(database_url) == stored

    merged = league("player", "merge", "Eva", "Evita", "--yes", "--json").document
    assert (merged["keep"], merged["drop"], merged["matches"], merged["position"]) == ("p4", "p5", 1, stored + 1)
    assert merged["changes"]["players_moved"] > 0
    page = league("player", "p4", "--json").document
    assert league("player", "Evita", "--json").document == league("player", "p5", "--json").document == page
    assert page["totals"]["matches"] == before[0]["totals"]["matches"] + 1
    assert [one["id"] for one in league("player", "list", "--json").document] == ["p2", "p3", "p4", "p1"]

    circle = league("player", "merge", "p5", "p4", "--yes")
    assert "'p5' was merged into 'p4'" in circle.err
    together = league("player", "merge", "p2", "p3", "--yes")
    assert "'p2' and 'p3' both sit in match 'm2': void it first if they are one person" in together.err
    seen = league("player", "unmerge", "p4", "p5", "--preview")
    assert "1 match would count for the player who was dropped." in seen.out
    undoing = league("player", "unmerge", "p4", "p5", "--preview", "--json").document
    assert "position" not in undoing
    assert (undoing["matches"], undoing["changes"]["players_moved"]) == (1, merged["changes"]["players_moved"])
    type_in(monkeypatch, "y")
    assert "p5 and p4 are two players again" in league("player", "unmerge", "p4", "p5").out
    assert [league("player", one, "--json").document for one in ("p4", "p5")] == before
    assert "is not merged into any player" in league("player", "unmerge", "p4", "p5").err
