"""`league explain`: every number of the league in terms, clauses, settings, facts and events; and of two runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from leagues import REVISED, catch_up, empty_league, import_cuban, own_database, part_of_season

from league import cli


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


League = Callable[..., Said]


@pytest.fixture(scope="module")
def season(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database with the first 60 matches of the recorded season; nobody writes events into it."""
    with own_database(embedded_server) as url:
        with empty_league(url) as league:
            league.create("Liga", "America/Havana", "kim")
            import_cuban(league, part_of_season(tmp_path_factory.mktemp("season"), 60))
            catch_up(league)
        yield url


@pytest.fixture
def league(season: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> League:
    """Run a command in this process."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", season)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["league", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return run


def test_explain_tells_the_clause_and_the_events_behind(league: League) -> None:
    """Each term with the rule it comes from, its setting, what it rests on, and who wrote that down when."""
    change = json.loads(league("export", "changes").out.splitlines()[0])
    said = league("explain", change["match"], change["id"], "--json").document
    k = next(term for term in said["terms"] if term["name"] == "k")
    assert k["settings"][0] == {"key": f"rating.k.{change['k_rule']}", "value": f"{change['k']:g}"}
    assert {event["actor"] for event in said["events"]} == {"test"}
    assert change["position"] in [event["position"] for event in said["events"]]
    assert "CDS text 2.1; rating.scale = 400" in league("explain", change["match"], change["id"]).out


def test_explain_has_a_form_for_every_number(league: League) -> None:
    """A hand, a standing, a badge and a place; other words are refused with the forms there are."""
    for what, which in (("hands", "hand"), ("standings", "standing"), ("badges", "badge"), ("boards", "place")):
        row = json.loads(league("export", what).out.splitlines()[0])
        words = {
            "hand": [row.get("match"), "--hand", row.get("hand")],
            "standing": ["standing", row.get("month"), row.get("id")],
            "badge": ["badge", row.get("id"), row.get("badge")],
            "place": ["place", row.get("board"), row.get("id")],
        }[which]
        said = league("explain", *words, "--json")
        assert (said.code, said.document["kind"]) == (0, which), said.err
        shown = league("explain", *words)
        what_is_said = said.document["statement"].removeprefix(said.document["subject"] or "")
        assert what_is_said.strip() in " ".join(shown.out.split())
        assert "Events (UTC)" in shown.out
    assert league("explain", "place", "none", "p").code == 2
    assert "MATCH --hand N" in league("explain", "c-0001").err


def test_explain_sets_two_runs_side_by_side(league: League) -> None:
    """The terms of both, which of them differ, and by which setting."""
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    changes = {(row["match"], row["id"]): row for row in _rows(league, "changes")}
    other = {(row["match"], row["id"]): row for row in _rows(league, "changes", "--run", run)}
    key = next(key for key, row in changes.items() if other[key]["k"] != row["k"])
    said = league("explain", *key, "--against", run, "--json").document
    (k,) = [term for term in said["terms"] if term["name"] == "k"]
    assert (k["before"]["value"], k["after"]["value"]) == (other[key]["k"], changes[key]["k"])
    assert k["differs"]
    assert "Term by term" in league("explain", *key, "--against", run).out


def test_what_if_not_says_what_a_match_has_done_for_a_player(league: League) -> None:
    """The same as voiding it would do to them, found by id or name; nothing is stored."""
    change = _rows(league, "changes")[0]
    before = league("export", "ratings").out
    said = league("what-if-not", change["match"], change["id"], "--json").document
    assert [result["match_id"] for result in said["results"]] == [change["match"]]
    assert {move["id"] for move in said["moves"] if "+" not in move["id"]} == {change["id"]}
    voided = league("void", change["match"], "--reason", "r", "--preview", "--json").document
    theirs = [move for move in voided["moves"] if change["id"] in move["id"].split("+")]
    assert sorted(said["moves"], key=str) == sorted(theirs, key=str)
    shown = league("what-if-not", change["match"], _name_of(league, change["id"]))
    assert "The largest moves" in shown.out
    assert league("export", "ratings").out == before
    unknown = league("what-if-not", "none", change["id"])
    assert (unknown.code, "none" in unknown.err) == (2, True)


def _name_of(league: League, player: str) -> str:
    return str(league("player", player, "--json").document["name"])


def _rows(league: League, what: str, *more: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in league("export", what, *more).out.splitlines()]
