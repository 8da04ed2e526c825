"""`league import` and `export`: rows in and out."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import MATCHES, League, head, matches_of, write_matches
from leagues import league_at, part_of_season, send
from waiting import LIMIT

from league.tournaments.domain.commands import DrawRound, EnterCompetitor, PlanTournament, PublishRound
from league.tournaments.drawing import draw_round, publish_round
from league.transfer.export import exports_by_name

pytestmark = pytest.mark.usefixtures("own_environment")


def test_import_tells_what_was_added(league: League, season: Path) -> None:
    """`import` stores a season, projects it, and prints a report."""
    said = league("import", season)
    assert said.code == 0
    lines = [line.split() for line in said.out.splitlines()]
    assert ["players", "40", "0", "0"] in lines
    assert ["matches", str(MATCHES), "0", "0"] in lines
    assert len(league("export", "matches").out.splitlines()) == MATCHES


def test_import_twice_stores_nothing_twice(league: League, season: Path, database_url: str) -> None:
    """A season that is stored already is skipped whole."""
    first = league("import", season, "--json").document
    before = head(database_url)
    again = league("import", season, "--json")
    assert again.code == 0
    assert head(database_url) == before == first["position"]
    assert again.document == {
        "players_added": 0,
        "players_skipped": 40,
        "matches_added": 0,
        "matches_skipped": MATCHES,
        "hands_added": 0,
        "events": 0,
        "position": before,
        "dry_run": False,
        "refused": [],
        "notes": [],
        "not_judged": [],
    }


def test_import_of_more_of_a_season_adds_the_rest(league: League, tmp_path: Path) -> None:
    """Lines that came since the last import are added, in whatever order they were played."""
    league("import", part_of_season(tmp_path / "some", 5))
    said = league("import", part_of_season(tmp_path / "more", 9), "--json").document
    assert (said["matches_added"], said["matches_skipped"]) == (4, 5)


def test_notes_of_an_import_follow_the_language(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys stay English, for scripts."""
    folder = part_of_season(tmp_path / "some", 1)
    [match] = matches_of(folder)
    match["announced"] = None
    match["hands"] = match["hands"][:1]
    (folder / "matches.jsonl").write_text(json.dumps(match) + "\n", encoding="utf-8")
    monkeypatch.setenv("LEAGUE_LANGUAGE", "es")
    assert league("import", folder, "--json").document["notes"] == [{"match": match["match"], "text": "abierta"}]


def test_a_dry_run_lists_every_bad_line(league: League, season: Path, database_url: str) -> None:
    """`import --dry-run` stores nothing, and names every bad line by its number, field and reason."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    before = head(database_url)
    matches = matches_of(season)
    broken: dict[int, tuple[str, str]] = {}

    def spoil(number: int, field: str, reason: str, **changes: Any) -> None:
        matches[number - 1].update(changes)
        broken[number] = (field, reason)

    facts_only = {"dealt": None, "plays": None, "starter": 0}
    spoil(1, "ruleset", "there is no ruleset", ruleset="cuban-151")
    spoil(2, "seats.0", "there is no player", seats=["nobody", *matches[1]["seats"][1:]])
    spoil(3, "seats.1", "cannot play against or with themselves", seats=[matches[2]["seats"][0]] * 2, mode="1v1")
    spoil(4, "played_at", "in the future", played_at="2126-01-01T00:00:00+00:00")
    spoil(5, "hands.0.ended.tile", "no tile", hands=[{**facts_only, "ended": {"by": "block", "tile": [3, 12]}}])
    twice = {**matches[5]["hands"][0], "dealt": [[[1, 1]] * 10] * len(matches[5]["seats"])}
    spoil(6, "hands.0.dealt", "twice", hands=[twice])
    dealt = [hand[:] for hand in matches[6]["hands"][0]["dealt"]]
    sleeping = [[a, b] for a in range(10) for b in range(a, 10) if all([a, b] not in held for held in dealt)]
    eleven = [[*dealt[0], sleeping[0]], *dealt[1:]]
    spoil(7, "hands.0.dealt.0", "11", hands=[{**matches[6]["hands"][0], "dealt": eleven}])
    spoil(8, "(line)", "unknown field `surprise`", surprise=1)
    spoil(9, "played_at", "", played_at="yesterday")
    spoil(10, "announced.winner", "", announced={"winner": 2, "score": None})
    wrong = {
        **matches[10]["hands"][0]["ended"],
        "fits_both_ends": not matches[10]["hands"][0]["ended"]["fits_both_ends"],
    }
    spoil(11, "hands.0.ended.fits_both_ends", "the turns give", hands=[{**matches[10]["hands"][0], "ended": wrong}])
    write_matches(season, matches)
    with (season / "matches.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"match": "broken\n')
    broken[14] = ("(line)", "not JSON")

    said = league("import", season, "--dry-run", "--json")
    assert said.code == 2
    faults = said.document["refused"]
    assert {fault["line"] for fault in faults} == broken.keys()
    assert {fault["file"] for fault in faults} == {"matches.jsonl"}
    for number, (field, reason) in broken.items():
        of_line = [fault for fault in faults if fault["line"] == number]
        assert any(fault["field"].startswith(field) and reason in fault["message"] for fault in of_line), of_line
    assert (said.document["dry_run"], said.document["matches_added"]) == (True, 1)
    assert head(database_url) == before
    shown = league("import", season, "--dry-run")
    assert shown.code == 2
    assert sum(line.strip().startswith("matches.jsonl line ") for line in shown.out.splitlines()) == len(faults)


def test_a_dry_run_of_a_good_season_stores_nothing(league: League, season: Path, database_url: str) -> None:
    """A good season's dry run tells what would be added."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    before = head(database_url)
    said = league("import", season, "--dry-run", "--json")
    assert (said.code, said.document["matches_added"], said.document["refused"]) == (0, MATCHES, [])
    assert head(database_url) == before


def test_one_bad_line_and_nothing_is_imported(league: League, season: Path, database_url: str) -> None:
    """A season with a bad line is refused whole, with the line's number and the reason."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    before = head(database_url)
    matches = matches_of(season)
    matches[4]["mode"] = "3v3"
    write_matches(season, matches)
    said = league("import", season)
    assert (said.code, said.out) == (2, "")
    assert "SEASON_REFUSED" in said.err
    assert "matches.jsonl line 5: mode: " in said.err
    assert head(database_url) == before
    as_json = league("import", season, "--json")
    assert as_json.code == 2
    assert as_json.document["refused"]["code"] == "SEASON_REFUSED"
    assert as_json.document["refused"]["faults"][0]["line"] == 5


def test_a_line_that_is_stored_otherwise_is_refused(league: League, season: Path) -> None:
    """A match that is stored with another result is refused with the difference; a player with both names."""
    league("import", season)
    matches = matches_of(season)
    matches[0]["competition"] = "casual"
    write_matches(season, matches)
    players = (season / "players.jsonl").read_text(encoding="utf-8").splitlines()
    players[0] = json.dumps({**json.loads(players[0]), "name": "Somebody Else"})
    (season / "players.jsonl").write_text("\n".join(players), encoding="utf-8")
    faults = league("import", season, "--dry-run", "--json").document["refused"]
    assert [(fault["file"], fault["line"]) for fault in faults] == [("players.jsonl", 1), ("matches.jsonl", 1)]
    assert "Somebody Else" in faults[0]["message"]
    assert json.loads(json.dumps(faults[1]["message"])).count("competitive") == 1
    assert "casual" in faults[1]["message"]


def test_a_folder_that_is_none_is_refused(league: League, tmp_path: Path) -> None:
    """A folder without a season is refused by the file that is missing."""
    said = league("import", tmp_path / "nowhere")
    assert said.code == 2
    assert "players.jsonl" in said.err


@pytest.mark.heavy
@pytest.mark.usefixtures("imported_season")
def test_export_writes_the_same_rows_in_both_formats(league: League, database_url: str) -> None:
    """JSON Lines and CSV have the same columns and rows; a cell has a list as JSON."""
    with league_at(database_url) as made:
        plan = {"name": "Copa", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 2}
        send(
            made, PlanTournament("copa", plan), *(EnterCompetitor("copa", (f"p00{number}",)) for number in range(1, 5))
        )
        draw_round(made, DrawRound("copa"), "test")
        publish_round(made, PublishRound("copa", 1), "test")
    for what in exports_by_name():
        assert_both_formats_agree(league, what)


def assert_both_formats_agree(league: League, what: str) -> None:
    rows = [json.loads(line) for line in league("export", what).out.splitlines()]
    said = league("export", what, "--format", "csv")
    cells = list(csv.DictReader(io.StringIO(said.out)))
    assert said.code == 0
    assert rows
    assert len(cells) == len(rows)
    assert list(cells[0]) == list(rows[0])

    def read(cell: str, value: Any) -> Any:
        if value is None:
            return cell or None
        return cell if isinstance(value, str) else json.loads(cell)

    for row, line in zip(rows, cells, strict=True):
        assert {column: read(line[column], row[column]) for column in row} == row


def test_export_of_a_run_that_is_none_is_refused(league: League) -> None:
    """A run that does not exist is refused."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    said = league("export", "ratings", "--run", 99)
    assert (said.code, said.out) == (2, "")
    assert "there is no run 99" in said.err


def test_export_of_something_unknown_is_a_usage_error(league: League) -> None:
    """What cannot be exported is answered with what can."""
    said = league("export", "everything")
    assert said.code == 2
    assert "boards" in said.err


@pytest.mark.heavy
@pytest.mark.usefixtures("imported_season")
def test_a_reader_may_leave() -> None:
    """`league export hands | head -n 1` ends well, without a word on standard error."""
    command = f"set -o pipefail; {sys.executable} -m league export hands | head -n 1"
    said = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True, timeout=LIMIT)
    assert (said.returncode, said.stderr) == (0, "")
    assert json.loads(said.stdout)["hand"] == 1


def test_names_are_no_markup(league: League, tmp_path: Path) -> None:
    """What people call themselves is printed as they write it."""
    season = tmp_path / "season"
    season.mkdir()
    names = {"a": "Ana [/b] X", "b": "[red]Bea"}
    players = [{"player": player, "name": name, "region": "[i]"} for player, name in names.items()]
    match = {
        "match": "m[1]", "ruleset": "cuban-150", "mode": "1v1", "competition": "casual", "seats": ["a", "b"],
        "played_at": "2026-01-01T00:00:00Z", "hands": [], "announced": {"winner": 0, "score": [150, 0]},
    }  # fmt: skip
    (season / "players.jsonl").write_text("".join(json.dumps(player) + "\n" for player in players))
    (season / "matches.jsonl").write_text(json.dumps(match) + "\n")
    assert league("import", season).code == 0
    assert "Ana [/b] X won 150-0 against [red]Bea (Cuban, 150, 1v1)" in league("explain", "m[1]", "a").out
