"""The `league` command, end to end: what it stores, prints and answers by its exit code."""

from __future__ import annotations

import csv
import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jwt
import psycopg
import pytest
from leagues import REVISED, announced, at, empty_league, part_of_season, send
from leagues import position as projected

from league import cli, jobs, replay_acts
from league.database import connect
from league.difference_rows import LISTS
from league.domain.match import VoidMatch
from league.domain.player import RegisterPlayer
from league.domain.season import OpenSeason
from league.domain.trail import ReplayCancelled, ReplayStarted
from league.event_store import Request
from league.export import EXPORTS
from league.replay_acts import Asked
from league.rulebook import shipped_edition

MATCHES = 12


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


League = Callable[..., Said]


@pytest.fixture(autouse=True)
def own_environment(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder and a database of the test's own, and no settings of the machine."""
    for name in [name for name in os.environ if name.startswith("LEAGUE_") and "TEST" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LEAGUE_DATABASE_URL", database_url)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    handlers = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    yield
    for name, handler in handlers.items():
        signal.signal(name, handler)


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> League:
    """Run a command in this process."""

    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["league", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return Said(ended.value.code or 0, said.out, said.err)

    return run


@pytest.fixture
def season(tmp_path: Path) -> Path:
    return part_of_season(tmp_path / "season", MATCHES)


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", "league", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, **more)


def head(url: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT coalesce(max(position), 0) FROM stored_events").fetchone()
    assert row is not None
    return int(row[0])


def matches_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write_matches(folder: Path, matches: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(match) + "\n" for match in matches)
    (folder / "matches.jsonl").write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- init, migrate


def test_init_creates_the_league_once(league: League, database_url: str) -> None:
    """`init` names the league and adopts edition 1; a second one is refused."""
    said = league("init", "--name", "Liga", "--time-zone", "America/Havana")
    assert said.code == 0
    assert "Liga" in said.out
    with empty_league(database_url) as made:
        assert str(made.time_zone()) == "America/Havana"
    again = league("init", "--name", "Another")
    assert (again.code, again.out) == (2, "")
    assert "ALREADY_EXISTS" in again.err


def test_init_refuses_a_time_zone_that_is_none(league: League, database_url: str) -> None:
    """A time zone that nobody knows is refused by name, and no league is made."""
    said = league("init", "--time-zone", "Cuba/Nowhere")
    assert said.code == 2
    assert "time_zone: 'Cuba/Nowhere' is no time zone" in said.err
    assert head(database_url) == 0


def test_migrate_may_be_run_again(league: League) -> None:
    """`migrate` brings the database up, and finds nothing to do the next time."""
    assert league("migrate").code == 0
    said = league("migrate")
    assert (said.code, said.out) == (0, "The database is up to date.\n")


# ---------------------------------------------------------------- import


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
    }


def test_import_of_more_of_a_season_adds_the_rest(league: League, tmp_path: Path) -> None:
    """Lines that came since the last import are added, in whatever order they were played."""
    league("import", part_of_season(tmp_path / "some", 5))
    said = league("import", part_of_season(tmp_path / "more", 9), "--json").document
    assert (said["matches_added"], said["matches_skipped"]) == (4, 5)


def test_a_dry_run_lists_every_bad_line(league: League, season: Path, database_url: str) -> None:
    """`import --dry-run` stores nothing, and names every bad line by its number, field and reason."""
    league("init")
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
    found = {fault["line"]: fault for fault in said.document["refused"]}
    assert found.keys() == broken.keys()
    for number, (field, reason) in broken.items():
        assert found[number]["file"] == "matches.jsonl"
        assert found[number]["field"].startswith(field), found[number]
        assert reason in found[number]["message"], found[number]
    assert (said.document["dry_run"], said.document["matches_added"]) == (True, 1)
    assert head(database_url) == before
    shown = league("import", season, "--dry-run")
    assert shown.code == 2
    assert sum(line.strip().startswith("matches.jsonl line ") for line in shown.out.splitlines()) == len(broken)


def test_a_dry_run_of_a_good_season_stores_nothing(league: League, season: Path, database_url: str) -> None:
    """A good season's dry run tells what would be added."""
    league("init")
    before = head(database_url)
    said = league("import", season, "--dry-run", "--json")
    assert (said.code, said.document["matches_added"], said.document["refused"]) == (0, MATCHES, [])
    assert head(database_url) == before


def test_one_bad_line_and_nothing_is_imported(league: League, season: Path, database_url: str) -> None:
    """A season with a bad line is refused whole, with the line's number and the reason."""
    league("init")
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


# ---------------------------------------------------------------- export


def test_export_writes_the_same_rows_in_both_formats(league: League, season: Path) -> None:
    """JSON Lines and CSV have the same columns and rows; lists stand as JSON in a cell."""
    league("import", season)
    for what in EXPORTS:
        assert_both_formats_agree(league, what)


def test_an_empty_list_has_its_heading_all_the_same(league: League) -> None:
    """A spreadsheet that is filled every week meets the same columns before the first match."""
    league("init")
    for what, listed in EXPORTS.items():
        assert league("export", what, "--format", "csv").out == ",".join(listed.columns) + "\n"
    for what, listed in LISTS.items():
        said = league("difference", 1, "--what", what, "--format", "csv").out
        assert said == ",".join(listed.columns) + "\n"


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
    """A run that nobody has folded is refused."""
    league("init")
    said = league("export", "ratings", "--run", 99)
    assert (said.code, said.out) == (2, "")
    assert "there is no run '99'" in said.err


@pytest.mark.parametrize("command", [("export", "hands"), ("explain", "m1", "ana")])
def test_reading_before_there_is_a_league_is_refused(league: League, command: tuple[str, ...]) -> None:
    """Only `init` and `import` create the league."""
    said = league(*command)
    assert (said.code, said.out) == (2, "")
    assert "create it first" in said.err


def test_export_of_something_unknown_is_a_usage_error(league: League) -> None:
    """What cannot be exported is answered with what can."""
    said = league("export", "everything")
    assert said.code == 2
    assert "boards" in said.err


def test_a_reader_may_leave(league: League, season: Path) -> None:
    """`league export hands | head -n 1` ends well, without a word on standard error."""
    league("import", season)
    command = f"set -o pipefail; {sys.executable} -m league export hands | head -n 1"
    said = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stderr) == (0, "")
    assert json.loads(said.stdout)["hand"] == 1


# ---------------------------------------------------------------- explain, replay


def test_explain_says_every_term(league: League, season: Path) -> None:
    """`explain` prints the terms of a change, and as JSON numbers that make up the rating after it."""
    league("import", season)
    change = json.loads(league("export", "changes").out.splitlines()[0])
    said = league("explain", change["match"], change["id"], "--json").document
    term = {term["name"]: term["value"] for term in said["terms"]}
    assert said["value"] == change["after"]
    assert {name: term[name] for name in ("before", "k", "outcome", "expected")} == {
        name: change[name] for name in ("before", "k", "outcome", "expected")
    }
    assert change["position"] in [event["position"] for event in said["events"]]
    shown = league("explain", change["match"], change["id"])
    assert shown.code == 0
    assert "before + k * ((outcome + M) - expected)" in shown.out


def test_explain_takes_a_team_in_any_order(league: League, season: Path) -> None:
    """A team is named by its two players, whoever comes first."""
    league("import", season)
    teams = [json.loads(line) for line in league("export", "changes").out.splitlines()]
    change = next(row for row in teams if row["subject"] == "team")
    turned = "+".join(reversed(change["id"].split("+")))
    assert league("explain", change["match"], turned, "--json").document["subject"] == change["id"]


def test_explain_refuses_who_did_not_play(league: League, season: Path) -> None:
    """There is nothing to explain about a player who was not in the match."""
    league("import", season)
    said = league("explain", "c-0001", "nobody", "--json")
    assert said.code == 2
    assert said.document["refused"]["code"] == "NOT_FOUND"


def test_replay_tells_who_would_move(league: League, season: Path) -> None:
    """`replay` prints the difference; its run can be exported and explained beside the official one."""
    league("import", season)
    shown = league("replay", "--rules", REVISED)
    assert shown.code == 0
    assert "The largest moves" in shown.out
    assert "Where ratings diverge first" in shown.out
    assert "log loss" in shown.out
    said = league("replay", "--rules", REVISED, "--json").document
    moves = {(move["id"], move["mode"]): move for move in said["moves"]}
    for run, side in ((None, "before"), (said["run"], "after")):
        chosen = [] if run is None else ["--run", run]
        for row in map(json.loads, league("export", "ratings", *chosen).out.splitlines()):
            if (row["id"], row["mode"]) in moves:
                assert moves[row["id"], row["mode"]][side] == row["rating"]
    first = said["divergences"][0]
    assert league("explain", first["match"], first["id"], "--run", said["run"]).code == 0


def test_difference_writes_one_list_or_all(league: League, season: Path) -> None:
    """As tables, as one JSON document, or as the rows of a list; against another run, and of one player."""
    league("import", season)
    whole = league("replay", "--rules", REVISED, "--json").document
    run = whole["run"]
    assert league("difference", run, "--format", "json").document == whole
    assert league("difference", run).out == league("replay", "--rules", REVISED).out
    for what in LISTS:
        assert league("difference", run, "--what", what).code == 0
        said = league("difference", run, "--what", what, "--format", "jsonl")
        assert [json.loads(line) for line in said.out.splitlines()] == whole[what]
        lines = list(csv.reader(league("difference", run, "--what", what, "--format", "csv").out.splitlines()))
        assert set(lines[0]) == set(LISTS[what].columns)
        assert all(list(row) == lines[0] for row in whole[what])
        assert len(lines[1:]) == len(whole[what])
    assert league("difference", run, "--what", "totals", "--format", "jsonl").document == whole["totals"]
    player = whole["moves"][0]["id"].split("+")[0]
    theirs = league(
        "difference", run, "--what", "moves", "--player", player, "--first", "2", "--format", "json"
    ).document
    assert theirs["moves"] == [move for move in whole["moves"] if player in move["id"].split("+")][:2]
    second = league("difference", run, "--what", "moves", "--first", "2", "--skip", "2", "--format", "json").document
    assert second["moves"] == whole["moves"][2:4]
    turned = league("difference", whole["against"], "--against", run, "--format", "json").document
    assert turned["totals"]["drift"] == -whole["totals"]["drift"]


def test_difference_refuses_what_it_cannot_write(league: League, season: Path) -> None:
    """CSV and JSON Lines hold one list; a run has to be there."""
    league("import", season)
    said = league("difference", 1, "--format", "csv")
    assert (said.code, said.out) == (2, "")
    assert "csv holds one list" in said.err
    assert "NOT_FOUND" in league("difference", 99).err


def test_replay_of_a_season_or_of_dates(league: League, season: Path, database_url: str) -> None:
    """A replay may be kept to a season or to dates; only matches of that span differ first."""
    league("import", season)
    began = sorted(match["played_at"] for match in matches_of(season))
    with empty_league(database_url) as made:
        start = at(0).fromisoformat(began[4])
        send(made, OpenSeason("late", "Late", start))
    by_season = league("replay", "--rules", REVISED, "--season", "late", "--json").document
    by_dates = league("replay", "--rules", REVISED, "--from", began[4][:16] + "+00:00", "--json").document
    assert by_season == by_dates
    assert min(divergence["decided_at"] for divergence in by_season["divergences"]) >= began[4][:16]
    until = league("replay", "--rules", REVISED, "--to", began[4][:16] + "+00:00", "--json")
    assert until.code == 0
    assert {d["match"] for d in until.document["divergences"]}.isdisjoint(
        {d["match"] for d in by_season["divergences"]}
    )


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        ([], "[rating]\nk = { provisional = 'forty' }", "rating.k.provisional"),
        ([], "[rating]\ncapp = 1", "rating.capp"),
        ([], "[rating", "not TOML"),
        (["--season", "none"], "", "there is no season 'none'"),
        (["--season", "s", "--from", "2026-01-01"], "", "name a season, or dates, not both"),
        (["--from", "2026-03-01", "--to", "2026-02-01"], "", "lies before the start"),
        (["--rules", "nowhere.toml"], "", "nowhere.toml cannot be read"),
    ],
    ids=["wrong type", "wrong key", "not TOML", "no season", "both", "backwards", "no file"],
)
def test_replay_refuses_bad_input(league: League, tmp_path: Path, arguments: list[str], text: str, said: str) -> None:
    """A candidate or a span that cannot be is refused, with the key or the reason."""
    league("init")
    rules = tmp_path / "candidate.toml"
    rules.write_text(text, encoding="utf-8")
    answer = league("replay", "--rules", rules, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what is revised"),
        (["--known-at", "2026-03-01", "--season", "s"], "say what is revised"),
        (["--rules", "x.toml", "--edition", "1"], "not both"),
        (["--edition", "9"], "NOT_FOUND"),
        (["--known-at", "2999-01-01"], "IN_THE_FUTURE"),
    ],
    ids=["nothing", "a span of nothing", "both", "no edition", "the future"],
)
def test_replay_refuses_what_is_no_revision(league: League, arguments: list[str], said: str) -> None:
    """A replay needs a file, the number of an edition, or a moment that has come."""
    league("init")
    answer = league("replay", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize("ends", ["from elsewhere", "by Ctrl-C"])
def test_a_replay_that_is_being_folded_is_listed_and_can_be_cancelled(
    league: League, season: Path, database_url: str, ends: str
) -> None:
    """The command says so and fails; its row and the trail say who did it, and nothing of the fold is left."""
    league("import", season)
    command = [sys.executable, "-m", "league", "replay", "--rules", str(REVISED), "--actor", "kim"]
    with psycopg.connect(database_url) as holding, empty_league(database_url) as made:
        # The fold cannot read on.
        holding.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
            with psycopg.connect(database_url, autocommit=True) as conn:
                begun = "SELECT FROM replays WHERE attempts = 1"
                wait_for(lambda: conn.execute(begun).rowcount == 1)
                wait_for(
                    lambda: conn.execute("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'").rowcount == 1
                )
            if ends == "by Ctrl-C":
                # A terminal tells every process of it.
                os.killpg(running.pid, signal.SIGINT)
            else:
                assert replay_acts.cancel(made, 1, Request("ana", "manual"))
            assert running.wait(timeout=20) == 1
            assert running.stderr is not None
            assert "replay 1 was cancelled" in running.stderr.read()
        said = [(stored.event, stored.actor) for stored in made.store.load("trail")[1:]]  # after the import
    assert [(type(event), actor) for event, actor in said] == [
        (ReplayStarted, "kim"), (ReplayCancelled, "kim" if ends == "by Ctrl-C" else "ana"),
    ]  # fmt: skip
    (listed,) = league("replays", "--json").document
    assert (listed["state"], listed["run"]) == ("cancelled", None)


def test_a_replay_that_a_worker_takes_first_is_waited_for(
    league: League, season: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever folds it, the command prints what came of it."""
    league("import", season)
    start, ended = replay_acts.start, threading.Event()

    def started_and_taken(*asked: Any) -> int:
        number = start(*asked)
        worker = threading.Thread(target=jobs.fold_to_the_end, args=(database_url, number, ended))
        worker.start()
        wait_for(lambda: not jobs.is_free(database_url, number))
        return number

    monkeypatch.setattr(replay_acts, "start", started_and_taken)
    said = league("replay", "--rules", REVISED, "--json")
    assert (said.code, said.document["run"]) == (0, 2)
    (listed,) = league("replays", "--json").document
    assert (listed["state"], listed["done"], listed["total"]) == ("done", 2 * MATCHES, 2 * MATCHES)


def test_promote_and_roll_back_say_what_holds(league: League, season: Path) -> None:
    """What was adopted over which span, at which position, and how to go back; the list of replays knows."""
    league("import", season)
    before = league("board", "--all").out
    day = min(match["played_at"] for match in matches_of(season))[:10]
    run = league("replay", "--rules", REVISED, "--from", day, "--json").document["run"]
    promoted = league("promote", run)
    assert f"Run {run} is official" in promoted.out
    for part in ("from the beginning", "began (UTC)", f"from {day} 00:00", "`league rollback` goes back", "(run 1)"):
        assert part in promoted.out
    assert league("board", "--all").out != before
    (listed,) = league("replays", "--json").document
    assert (listed["run"], listed["state"], listed["requested_by"]) == (run, "promoted", "cli")
    assert "promoted" in league("replays").out
    back = league("rollback", "--json").document
    assert (back["run"], back["before"], [span["edition"] for span in back["timeline"]]) == (1, run, [1])
    assert league("board", "--all").out == before
    assert league("promote", run, "--json").document["run"] == run


def test_drop_removes_a_run_and_refuses_the_official_one(league: League, season: Path) -> None:
    """What is dropped cannot be read any more; the list still knows that it was there."""
    league("import", season)
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    assert league("drop", run).out == f"Run {run} is dropped.\n"
    assert "NOT_FOUND" in league("export", "ratings", "--run", run).err
    assert "NOT_FOUND" in league("drop", run).err
    assert "everybody reads" in league("drop", 1).err
    assert [row["state"] for row in league("replays", "--json").document] == ["dropped"]


def test_what_was_known_and_how_it_stood(league: League, season: Path, database_url: str) -> None:
    """`--known-at` folds the log as it stood once, `--as-of` the play; the two are not the same, and no run is both."""
    league("import", season)
    ratings = league("export", "ratings").out
    with empty_league(database_url) as made:
        moment = made.store.read_after(made.store.head() - 1, 1)[0].recorded_at.isoformat()
        send(made, announced("late", ["p001", "p002"], -1000, competition="casual"))
    assert league("export", "ratings").out != ratings
    assert league("export", "ratings", "--known-at", moment).out == ratings
    assert league("board", "--all", "--known-at", moment).out
    (folded,) = league("replays", "--json").document
    assert folded["known_at"] is not None
    assert "not both" in league("board", "--run", 1, "--known-at", moment).err
    month = matches_of(season)[0]["played_at"][:7]
    now = league("standings", month, "--json").document
    then = league("standings", month, "--as-of", "2020-01-01", "--json").document
    assert then["standings"] == []
    assert now["competitors"] >= then["competitors"]
    matches = [league("player", "p001", *known, "--json").document["totals"] for known in ((), ("--known-at", moment))]
    assert matches[0] != matches[1]


def test_player_as_of_a_moment_is_who_they_were(league: League, season: Path) -> None:
    """After the last match of a league that has only its first half, and as of that moment in the whole league."""
    league("import", part_of_season(season.parent / "half", MATCHES // 2))
    half = matches_of(season.parent / "half")
    ids = sorted({player for match in half for player in match["seats"]})[:3]
    before = {id_: league("player", id_, "--json").document for id_ in ids}
    league("import", season)
    moment = max(match["played_at"] for match in half)
    for id_ in ids:
        then = league("player", id_, "--as-of", moment, "--json").document
        assert then.pop("as_of") is not None
        assert then.pop("next_badges") == []  # how far one is on the way is only known of now
        assert then == {name: value for name, value in before[id_].items() if name not in ("as_of", "next_badges")}


# ---------------------------------------------------------------- settings


def test_settings_are_shown_and_changed(league: League) -> None:
    """What is given is changed; a time zone that is none is refused."""
    league("init", "--name", "Liga")
    league("settings", "--time-zone", "America/Havana")
    said = league("settings")
    assert (said.code, "Liga" in said.out, "America/Havana" in said.out) == (0, True, True)
    assert league("settings", "--time-zone", "Mars/Olympus").code == 2


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
    assert "Ana [/b] X won 150-0 in match m[1]" in league("explain", "m[1]", "a").out


# ---------------------------------------------------------------- player


@pytest.fixture
def players(league: League, database_url: str) -> None:
    """Four players, two of whom share a name, and three matches."""
    league("init", "--time-zone", "America/Havana")
    names = {"p1": "Íñigo", "p2": "Ana", "p3": "Ana", "p4": "Eva"}
    with empty_league(database_url) as made:
        send(made, *(RegisterPlayer(player, name, None) for player, name in names.items()))
        send(made, announced("m1", ("p1", "p2"), 0, (150, 0)), announced("m2", ("p1", "p2", "p3", "p4"), 2))
        send(made, announced("m3", ("p4", "p1"), 24 * 40), OpenSeason("s1", "Spring", at(24 * 30)))


@pytest.mark.usefixtures("players")
def test_player_prints_a_page(league: League) -> None:
    """Found by an id, or by a name whatever its case and accents."""
    page = league("player", "p1")
    assert page.code == 0
    for text in ("Íñigo (p1)", "2 (67 %)", "Form of Íñigo, the latest first: L W W", "2 won (2026-03-01)", "m3"):
        assert text in page.out
    assert league("player", "inigo").out == page.out
    document = league("player", "p1", "--json").document
    assert (document["totals"]["matches"], document["totals"]["pollonas"]) == (3, 1)
    assert [rating["mode"] for rating in document["ratings"]] == ["1v1", "2v2", "overall"]
    assert [(one["id"], one["matches"]) for one in document["opponents"]] == [("p2", 2), ("p4", 2)]
    assert document["ranks"] == {"pollonas": 1}
    assert "3 of 10  matches-10   10 matches played" in page.out


@pytest.mark.usefixtures("players")
def test_a_filtered_page_of_a_player_says_so(league: League) -> None:
    """In its title; ratings, ranks and badges, which no filter divides, are left out."""
    page = league("player", "p1", "--mode", "1v1", "--month", "2026-03").out
    assert "Íñigo (p1), mode 1v1, month 2026-03" in page
    assert "Ratings" not in page
    assert "badges" not in league("player", "p1", "--mode", "1v1", "--json").document


@pytest.mark.usefixtures("players")
def test_player_counts_the_matches_that_are_asked_for(league: League) -> None:
    """Of a mode, a season or a month of the league's time zone; of a team; against somebody."""

    def matches(*arguments: str) -> int:
        return int(league("player", *arguments, "--json").document["totals"]["matches"])

    assert matches("p1", "--mode", "1v1") == 2
    assert matches("p1", "--season", "s1") == matches("p1", "--month", "2026-04") == 1
    assert matches("p3+p1") == matches("Íñigo+p3") == 1
    met = league("player", "p1", "--against", "Eva", "--json").document
    assert (met["a"]["totals"]["matches"], met["a"]["totals"]["wins"], met["b"]["totals"]["wins"]) == (2, 1, 1)
    assert "Eva against Íñigo" in league("player", "p4", "--against", "p1").out


@pytest.mark.usefixtures("players")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nobody"], "player: there is no player 'nobody'"),
        (["ana"], "player: 'ana' may be one of 2: Ana (p2), Ana (p3)"),
        (["p1+p1"], "player: 'p1+p1' is neither a player nor a pair"),
        (["p1+p4"], "player: there is no match played together by 'Íñigo & Eva'"),
        (["p1", "--against", "p1"], "against: 'p1' cannot play against or with themselves"),
        (["p1", "--month", "2026-13"], "month: '2026-13' is no month"),
        (["p1", "--season", "s9"], "season: there is no season 's9'"),
    ],
)
def test_player_refuses_what_it_cannot_find(league: League, arguments: list[str], reason: str) -> None:
    """Nobody, a name that two have, a pair that is none, a month and a season that are none."""
    said = league("player", *arguments)
    assert (said.code, said.out) == (2, "")
    assert reason in said.err


# ---------------------------------------------------------------- history


@pytest.mark.usefixtures("players")
def test_history_says_why_a_rating_moved(league: League, database_url: str) -> None:
    """The latest move first, as a table or as JSON; Eva did not play the match that is voided."""
    league("history", "Eva")
    with empty_league(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
    said = league("history", "Eva", "--mode", "1v1", "--first", "1")
    assert "How the rating of Eva came about" in said.out
    assert "Match m1 of other players was voided" in " ".join(said.out.split())
    moves = league("history", "p4", "--mode", "1v1", "--json").document["moves"]
    assert [(move["cause"], move["match"]) for move in moves] == [("ripple", "m1"), ("match", "m3")]
    assert moves[0]["before"] == moves[1]["after"]
    nobody = league("history", "nobody")
    assert (nobody.code, nobody.out) == (2, "")


# ---------------------------------------------------------------- void, correct


@pytest.mark.usefixtures("players")
def test_void_shows_what_it_changes_and_asks(
    league: League, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever says no, or only wants the preview, changes nothing; the preview as tables or as JSON."""
    league("project", "--once")
    before = head(database_url)
    seen = league("void", "m1", "--reason", "never played", "--preview")
    assert seen.code == 0
    assert "3 players and 0 teams would move; 2 matches would be rated anew" in " ".join(seen.out.split())
    document = league("void", "m1", "--reason", "never played", "--preview", "--json").document
    assert {move["id"] for move in document["moves"]} == {"p1", "p2", "p4"}
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert league("void", "m1", "--reason", "never played").code == 0
    assert head(database_url) == before
    assert league("void", "m1", "--reason", "never played", "--yes").code == 0
    assert head(database_url) == before + 1
    assert league("void", "m1", "--reason", "again", "--preview").code == 2


def test_correct_replaces_a_hand(league: League, season: Path, tmp_path: Path) -> None:
    """By the form of a recorded season; what cannot be is refused with its place in the file."""
    assert league("import", season).code == 0
    match = matches_of(season)[0]
    hand, file = match["hands"][0], tmp_path / "hand.json"
    wrong = {"ended": {"by": "block"}, "starter": hand.get("starter")}
    file.write_text(json.dumps(wrong))
    arguments = ("correct", match["match"], 1, "--facts", file, "--reason", "misread")
    seen = league(*arguments, "--preview", "--json").document
    assert (seen["hands"][0]["match_id"], seen["hands"][0]["hand"]) == (match["match"], 1)
    assert league(*arguments, "--yes").code == 0
    assert "recorded so already" in league(*arguments, "--preview").err
    file.write_text(json.dumps({**wrong, "ended": {"by": "luck"}}))
    refused = league(*arguments, "--preview")
    assert refused.code == 2
    assert "ended.by" in refused.err


# ---------------------------------------------------------------- rules


def test_board_prints_places_with_moves_and_regions(league: League, season: Path) -> None:
    """The first places, for people; who has not played for long only when asked for."""
    league("import", season)
    said = league("board", "1v1", "--first", 3)
    assert said.code == 0
    title, heads, *places = [line.strip() for line in said.out.splitlines()]
    assert (title, heads.split()) == ("One on one", ["rank", "week", "player", "region", "rating", "matches"])
    assert all(places[:3])
    assert not places[3]
    assert league("board", "capicuas").out.startswith("Capicúas")


def test_board_as_json_around_a_player_and_as_of_a_moment(league: League, season: Path) -> None:
    """The same for scripts, unrounded; of a region only its own."""
    league("import", season)
    everybody = league("board", "--all", "--first", 100, "--json").document["places"]
    names = [place["id"] for place in everybody]
    around = league("board", "--all", "--around", names[7], "--json").document["places"]
    assert [place["id"] for place in around] == names[2:13]
    region = everybody[0]["region"]
    theirs = league("board", "--all", "--region", region, "--first", 100, "--json").document["places"]
    assert [place["id"] for place in theirs] == [p["id"] for p in everybody if p["region"] == region]
    before = league("board", "--all", "--as-of", "2000-01-01", "--json").document
    assert (before["as_of"][:10], before["places"]) == ("2000-01-01", [])


@pytest.mark.parametrize("wrong", ["yesterday", "2026-13-01", "01/03/2026"])
def test_a_time_that_is_none_is_refused_in_one_sentence(league: League, wrong: str) -> None:
    """With examples of how it is written."""
    said = league("board", "--as-of", wrong)
    text = " ".join(said.err.replace("│", " ").split())
    assert said.code == 2
    assert f"'{wrong}' is not a time; write it as 2026-03-01, 2026-03-01T14:30 (UTC) or 2026-03-01T14:30-05:00." in text
    assert "%Y" not in text


def test_board_refuses_who_does_not_stand_there(league: League, season: Path) -> None:
    """The exit code of a refusal."""
    league("import", season)
    said = league("board", "--around", "nobody")
    assert (said.code, "nobody" in said.err) == (2, True)


@pytest.mark.usefixtures("players")
def test_explain_takes_names_and_says_that_a_match_was_voided(league: League, database_url: str) -> None:
    """By a name without its accents; a voided match changes no rating."""
    assert league("explain", "m1", "inigo", "--json").document["subject"] == "p1"
    with empty_league(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
    said = league("explain", "m1", "inigo")
    assert (said.code, "no rating change by match m1: the match was voided" in said.out) == (0, True)
    assert "never played" in said.out


@pytest.mark.usefixtures("players")
def test_board_takes_names_and_says_what_it_hides(league: League) -> None:
    """Around a player by name; an unknown region names those there are; a dash and inactive players are explained."""
    around = league("board", "1v1", "--all", "--around", "inigo", "--first", 1, "--json").document["places"]
    assert [place["id"] for place in around] == ["p1", "p2"]
    region = league("board", "--region", "Cuba")
    assert (region.code, "the regions are none" in region.err) == (2, True)
    assert "- provisional: fewer than 30 rated matches" in league("board", "1v1").out
    series = league("board", "series", "--month", "2026-03", "--json").document
    assert [(place["id"], place["rank"], place["value"]) for place in series["places"]] == [
        ("p1", 1, 505),
        ("p2", 2, 495),
    ]
    assert "only the series" in league("board", "1v1", "--month", "2026-03").err


# ---------------------------------------------------------------- standings


@pytest.mark.usefixtures("players")
def test_standings_of_a_month_until_it_is_closed_and_corrected(league: League, database_url: str) -> None:
    """A month that is over says so; what was published stays, with names, and what changed since is printed."""
    assert "(open)" in league("standings").out
    assert "over, not closed: `league close-month 2026-03`" in league("standings", "2026-03").out
    assert league("standings", "2026-03", "--published").code == 2
    closed = league("close-month", "--all-ended").out.splitlines()
    assert [line[:25] for line in closed] == ["The series of 2026-03 is ", "The series of 2026-04 is "]
    assert "No month" in league("close-month", "--all-ended").out
    with empty_league(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
        send(made, announced("m4", ("p1", "p3"), 30, competition="casual"))
    now = league("standings", "2026-03")
    assert "Changed since it was published" in now.out
    assert "Count zero, voided: m1" in now.out
    assert "casual" not in now.out
    published = league("standings", "2026-03", "--published").out
    assert "as published" in published
    places = [line.split()[:2] for line in published.splitlines() if line.startswith("   ")]
    assert places == [["1", "Íñigo"], ["2", "Ana"]]
    document = league("standings", "2026-03", "--json").document
    assert document["standings"] == []
    assert [(place["name"], place["total"]) for place in document["published"]] == [("Íñigo", 505), ("Ana", 495)]
    assert [row["name"] for row in document["corrections"]] == ["Íñigo", "Ana"]
    assert {"match": "m4", "reason": "casual"} in document["counting_zero"]


@pytest.mark.usefixtures("players")
def test_standings_around_a_player(league: League) -> None:
    """By name; who has no game that counts does not stand there."""
    around = league("standings", "2026-04", "--around", "eva", "--first", 1, "--json").document["standings"]
    assert [(place["name"], place["rank"]) for place in around] == [("Eva", 1), ("Íñigo", 2)]
    assert league("standings", "2026-04", "--around", "p2").code == 2


def test_rules_show_prints_the_edition_in_force(league: League) -> None:
    """`rules show` prints an edition in words, or whole as JSON."""
    said = league("rules", "show", "--json").document
    assert (said["edition"], said["document"]["rating"]["start"]) == (1, 1500)
    assert "cuban-150" in league("rules", "show").out
    assert league("rules", "show", "--edition", 9).code == 2


def test_rules_check_tells_what_a_candidate_changes(league: League, tmp_path: Path) -> None:
    """`rules check` lists the settings that differ, and refuses a candidate that cannot be."""
    said = league("rules", "check", REVISED, "--json").document
    assert {"setting": "rating.k.provisional", "before": 40, "after": 32} in said["changes"]
    bad = tmp_path / "bad.toml"
    bad.write_text("rating.k.provisional = true", encoding="utf-8")
    refused = league("rules", "check", bad, "--json")
    assert refused.code == 2
    assert refused.document["refused"]["faults"][0]["field"] == "rating.k.provisional"


# ---------------------------------------------------------------- project, worker


def test_project_once_and_rebuild_end_by_themselves(league: League, season: Path, database_url: str) -> None:
    """`project --once` catches up, `--rebuild` folds everything again; the league says the same."""
    league("import", season)
    before = league("export", "ratings").out
    with empty_league(database_url) as made:
        send(made, RegisterPlayer("gabi", "Gabi"))
    assert league("project", "--once").code == 0
    assert league("project", "--rebuild").code == 0
    assert league("export", "ratings").out == before


def test_project_follows_the_log_until_it_is_asked_to_end(league: League, database_url: str) -> None:
    """`project` projects what comes in, and leaves with exit code 0."""
    league("init")
    with empty_league(database_url) as made, subprocess.Popen([sys.executable, "-m", "league", "project"]) as running:
        position = send(made, RegisterPlayer("gabi", "Gabi"))
        wait_for(lambda: projected(database_url) == position)
        running.terminate()
        assert running.wait(timeout=20) == 0


def test_worker_works_off_replays_until_it_is_asked_to_end(league: League, season: Path, database_url: str) -> None:
    """`worker` carries out what was asked for before its start, and leaves with exit code 0."""
    league("import", season)
    with empty_league(database_url) as made:
        number = replay_acts.start(made, Asked(shipped_edition(1)), Request("ana", "manual"))
    with (
        connect(database_url, autocommit=True) as conn,
        subprocess.Popen([sys.executable, "-m", "league", "worker"]) as running,
    ):
        query = "SELECT run IS NOT NULL FROM replays WHERE replay = %s"
        wait_for(lambda: conn.execute(query, (number,)).fetchone() == (True,))
        running.terminate()
        assert running.wait(timeout=20) == 0


# ---------------------------------------------------------------- token, serve


def test_token_makes_a_bearer_token(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """`token` prints one signed token with the subject and its roles; without a secret, or a league, there is none."""
    said = league("token", "ana", "--role", "player")
    assert (said.code, said.out) == (1, "")
    assert "LEAGUE_SECRET" in said.err
    monkeypatch.setenv("LEAGUE_SECRET", "s" * 32)
    assert league("token", "ana", "--role", "player").code == 2
    league("init")
    said = league("token", "ana", "--role", "player", "--role", "auditor")
    assert said.code == 0
    claims = jwt.decode(said.out.strip(), "s" * 32, algorithms=["HS256"], options={"verify_aud": False})
    assert (claims["sub"], claims["roles"]) == ("ana", ["player", "auditor"])


def test_serve_answers_until_it_is_asked_to_end(season: Path, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    """With the embedded database `serve` is a whole league: it answers, projects what comes in, and ends when asked."""
    monkeypatch.delenv("LEAGUE_DATABASE_URL")
    monkeypatch.setenv("LEAGUE_DATA_DIR", str(data_dir))
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "league", "serve", "--port", str(port)]
    query = json.dumps({"query": "{ matches(first: 1) { totalCount } }"}).encode()

    def matches() -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("POST", "/graphql", query, {"Content-Type": "application/json"})
            return json.load(connection.getresponse())["data"]["matches"]["totalCount"]
        except OSError:
            return None
        finally:
            connection.close()

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for(lambda: matches() == 0)
        assert process("import", str(season)).returncode == 0
        wait_for(lambda: matches() == MATCHES)
        running.terminate()
        assert running.wait(timeout=20) in (0, 128 + signal.SIGTERM, -signal.SIGTERM)


def wait_for(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


# ---------------------------------------------------------------- how it answers


def test_without_a_command_the_help_is_shown(league: League) -> None:
    """`league` alone lists its commands, and is a usage error."""
    said = league()
    assert said.code == 2
    for command in ("init", "import", "export", "replay", "explain", "serve", "project", "worker", "demo", "token"):
        assert command in said.out + said.err


@pytest.mark.parametrize(
    ("name", "value"),
    [("LEAGUE_DATABASE_URL", "mysql://here"), ("LEAGUE_LOG_LEVEL", "loud"), ("LEAGUE_SECRET", "short")],
)
def test_a_bad_setting_is_a_failure_that_names_it(
    league: League, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """A setting that cannot be used fails with exit code 1 and its name, without its value's secrets."""
    monkeypatch.setenv(name, value)
    said = league("export", "ratings")
    assert (said.code, said.out) == (1, "")
    assert name in said.err


def test_a_database_that_is_away_is_a_failure(
    league: League, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """When the server cannot be reached the command fails with exit code 1 and without a stack trace."""
    monkeypatch.setattr("league.bootstrap.SERVER_TIMEOUT", 0.1)
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    said = league("export", "ratings")
    assert (said.code, said.out) == (1, "")
    assert "failed" in said.err
    assert "Traceback" not in said.err
    assert head(database_url) == 0


def test_progress_is_not_on_standard_output(season: Path) -> None:
    """What scripts read has no progress bars in it, whatever the terminal."""
    said = process("import", str(season), "--json", env=os.environ | {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"})
    assert said.returncode == 0
    assert json.loads(said.stdout)["matches_added"] == MATCHES
    assert said.stdout.count("\n") == 1


def test_the_league_stands_in_the_folder_without_a_server(
    season: Path, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    """Without a database URL the league is in the data folder: the next command finds it there."""
    monkeypatch.delenv("LEAGUE_DATABASE_URL")
    monkeypatch.setenv("LEAGUE_DATA_DIR", str(data_dir))
    assert process("import", str(season)).returncode == 0
    assert len(process("export", "matches").stdout.splitlines()) == MATCHES
    assert any(data_dir.iterdir())


def test_the_demo_shows_the_whole_way(tmp_path: Path) -> None:
    """`league demo --no-serve` imports, prints boards, explains a change and replays; and may be run again."""
    part_of_season(tmp_path / "examples" / "cuban-2026", 60)
    shutil.copytree(REVISED.parent, tmp_path / "examples" / "revisions")
    for _ in range(2):
        said = process("demo", "--no-serve")
        assert said.returncode == 0, said.stderr
        for section in (
            "1. A recorded season goes into the log",
            "Global  ",
            "Teams  ",
            "3. One rating change, explained to the last term",
            "before + k * ((outcome + M) - expected)",
            "4. The same season under the rules of",
            "Where ratings diverge first",
        ):
            assert section in said.stdout
        assert "Traceback" not in said.stderr
