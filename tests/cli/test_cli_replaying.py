"""`league replay`, `difference`, `promote`, `rollback`, `drop`: replays under other rules."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest
from commands import MATCHES, League, matches_of
from leagues import REVISED, announced, at, league_at, send
from processes import league_command
from waiting import LIMIT, wait_until

from league.application import replay_folding, replay_requests
from league.domain.audit_trail import ReplayCancelled, ReplayStarted
from league.domain.league import OpenSeason
from league.eventlog.records import AppendRequest
from league.projections.difference.totals import LISTS
from league.transfer.export import columns_of_difference

pytestmark = [pytest.mark.heavy, pytest.mark.slow, pytest.mark.usefixtures("own_environment")]


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
    """The formats are tables, one JSON document, or the rows of a list. It may compare with any run, for one player."""
    league("import", season)
    whole = league("replay", "--rules", REVISED, "--json").document
    run = whole["run"]
    assert league("difference", run, "--format", "json").document == whole
    replayed = league("replay", "--rules", REVISED).out
    assert replayed.startswith(league("difference", run).out), "and then the next commands"
    verdict = whole["totals"]["verdict"]
    printed = " ".join(replayed.split())
    assert f"{verdict['sentence']} " in printed
    assert f"Plain Elo (K {verdict['plain_k']})" in printed
    assert "Judged on " in printed
    assert f"`league promote {run}`" in replayed
    for what in LISTS:
        assert league("difference", run, "--what", what).code == 0
        cut, total = league("difference", run, "--what", what, "--first", 1).out, len(whole[what])
        command = f"league difference {run} --what {what} --first {total}"
        assert (f"1 of {total} are shown; {command} shows all" in " ".join(cut.split())) == (total > 1)
        said = league("difference", run, "--what", what, "--format", "jsonl")
        assert [json.loads(line) for line in said.out.splitlines()] == whole[what]
        lines = list(csv.reader(league("difference", run, "--what", what, "--format", "csv").out.splitlines()))
        assert set(lines[0]) == set(columns_of_difference(what))
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
    """CSV and JSON Lines hold one list only, and the run must exist."""
    league("import", season)
    said = league("difference", 1, "--format", "csv")
    assert (said.code, said.out) == (2, "")
    assert "csv holds one list" in said.err
    assert "NOT_FOUND" in league("difference", 99).err


def test_replay_of_a_season_or_of_dates(league: League, season: Path, database_url: str) -> None:
    """A replay may be limited to a season or to dates. The first differing matches are in that span."""
    league("import", season)
    began = sorted(match["played_at"] for match in matches_of(season))
    with league_at(database_url) as made:
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
        (["--season", "s", "--from", "2026-01-01"], "", "name a season or times, not both"),
        (["--from", "2026-03-01", "--to", "2026-02-01"], "", "`--to` must be later than `--from`"),
        (["--rules", "nowhere.toml"], "", "nowhere.toml is not there"),
    ],
    ids=["wrong type", "wrong key", "not TOML", "no season", "both", "backwards", "no file"],
)
def test_replay_refuses_bad_input(league: League, tmp_path: Path, arguments: list[str], text: str, said: str) -> None:
    """A candidate or a span that cannot be is refused, with the key or the reason."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    rules = tmp_path / "candidate.toml"
    rules.write_text(text, encoding="utf-8")
    answer = league("replay", "--rules", rules, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the rules"),
        (["--known-at", "2026-03-01", "--season", "s"], "name the rules"),
        (["--rules", "x.toml", "--edition", "1"], "not both"),
        (["--edition", "9"], "NOT_FOUND"),
        (["--known-at", "2999-01-01"], "IN_THE_FUTURE"),
    ],
    ids=["nothing", "a span of nothing", "both", "no edition", "the future"],
)
def test_replay_refuses_what_is_no_revision(league: League, arguments: list[str], said: str) -> None:
    """A replay needs a file, the number of an edition, or a moment that has come."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    answer = league("replay", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize("ends", ["from elsewhere", "by Ctrl-C"])
def test_a_replay_that_is_being_folded_is_listed_and_can_be_cancelled(
    league: League, season: Path, database_url: str, ends: str
) -> None:
    """The command says so and fails; its row and the trail say who did it, and nothing of the fold is left."""
    league("import", season)
    with psycopg.connect(database_url) as holding, league_at(database_url) as made:
        # The fold cannot read on.
        holding.execute("LOCK TABLE match_facts IN ACCESS EXCLUSIVE MODE")
        with league_command("replay", "--rules", str(REVISED), "--actor", "kim") as running:
            with psycopg.connect(database_url, autocommit=True) as conn:
                begun = "SELECT FROM replays WHERE attempts = 1"
                wait_until(lambda: conn.execute(begun).rowcount == 1)
                waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                wait_until(lambda: conn.execute(waiting).rowcount == 1)
            if ends == "by Ctrl-C":
                # A terminal tells every process of it.
                os.killpg(running.pid, signal.SIGINT)
            else:
                assert replay_requests.cancel(made, 2, AppendRequest("ana", "manual"))
            assert running.wait(LIMIT) == 1
            assert running.stderr is not None
            assert "replay 2 was cancelled" in running.stderr.read()
        said = [(stored.event, stored.actor) for stored in made.store.load("trail")[1:]]  # after the import
    assert [(type(event), actor) for event, actor in said] == [
        (ReplayStarted, "kim"), (ReplayCancelled, "kim" if ends == "by Ctrl-C" else "ana"),
    ]  # fmt: skip
    (listed,) = league("replays", "--json").document
    assert (listed["state"], listed["run"]) == ("cancelled", 2)


def test_a_replay_that_a_worker_takes_first_is_waited_for(
    league: League, season: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command prints the result, whichever process folds the replay."""
    league("import", season)
    start, ended = replay_requests.start, threading.Event()

    def started_and_taken(*asked: Any) -> replay_requests.RequestedReplay:
        requested = start(*asked)
        number = requested.number
        worker = threading.Thread(target=replay_folding.fold_to_the_end, args=(database_url, number, ended))
        worker.start()
        wait_until(lambda: not replay_folding.is_free(database_url, number))
        return requested

    monkeypatch.setattr(replay_requests, "start", started_and_taken)
    said = league("replay", "--rules", REVISED, "--json")
    assert (said.code, said.document["run"]) == (0, 2)
    (listed,) = league("replays", "--json").document
    assert (listed["state"], listed["done"], listed["total"]) == ("done", 2 * MATCHES, 2 * MATCHES)


def test_promote_and_roll_back_say_what_holds(league: League, season: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both say which rules hold when, from which position, and how to go back. `league replays` shows it, too."""
    league("import", season)
    before = league("board", "--all").out
    day = min(match["played_at"] for match in matches_of(season))[:10]
    run = league("replay", "--rules", REVISED, "--from", day, "--json").document["run"]
    changed = league("promote", run, "--preview", "--json").document["change"]
    assert (changed["players_moved"] > 0, changed["matches_changed"]) == (True, 0)
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # nobody answers
    declined = league("promote", run, "--reason", "calmer")
    assert (declined.code, "Stopped. Nothing is stored." in declined.err) == (1, True)
    assert "`--yes` answers the question" in declined.err, "there is no terminal"
    for without_a_reason in (league("promote", run), league("promote", run, "--yes")):
        assert "say why with --reason" in without_a_reason.err
    promoted = league("promote", run, "--yes", "--reason", "calmer")
    assert f"Ratings: {changed['players_moved']} players and" in promoted.out
    assert f"Run {run} is official" in promoted.out
    for part in (
        "from the beginning",
        "matches that began",
        f"from {day} 00:00",
        "`league rollback` returns",
        "(run 1)",
    ):
        assert part in promoted.out
    assert league("board", "--all").out != before
    (listed,) = league("replays", "--json").document
    assert (listed["run"], listed["state"], listed["requested_by"]) == (run, "promoted", "cli")
    assert "promoted" in league("replays").out
    back = league("rollback", "--yes", "--reason", "too calm", "--json").document
    assert (back["run"], back["before"], [span["edition"] for span in back["timeline"]]) == (1, run, [1])
    assert league("board", "--all").out == before
    assert league("promote", run, "--yes", "--reason", "once more", "--json").document["run"] == run


def test_drop_removes_a_run_and_refuses_the_official_one(league: League, season: Path) -> None:
    """A dropped run cannot be read, but the list of replays still has it."""
    league("import", season)
    run = league("replay", "--rules", REVISED, "--json").document["run"]
    assert league("drop", run).out == f"Run {run} is dropped.\n"
    assert "NOT_FOUND" in league("export", "ratings", "--run", run).err
    assert "REPLAY_DROPPED" in league("drop", run).err
    assert "official run" in league("drop", 1).err
    assert [row["state"] for row in league("replays", "--json").document] == ["dropped"]


def test_what_was_known_and_how_it_stood(league: League, season: Path, database_url: str) -> None:
    """`--known-at` goes by the time of recording, `--as-of` by that of play; both cannot be combined with a run."""
    league("import", season)
    ratings = league("export", "ratings").out
    with league_at(database_url) as made:
        moment = made.store.read_after(made.store.head() - 1, 1)[0].recorded_at.isoformat()
        send(made, announced("late", ["p001", "p002"], -1000, competition="casual"))
    assert league("export", "ratings").out != ratings
    assert league("export", "ratings", "--known-at", moment).out == ratings
    assert league("board", "--all", "--known-at", moment).out
    (folded,) = league("replays", "--json").document
    assert folded["known_at"] is not None
    assert "not both" in league("board", "--run", 1, "--known-at", moment).err
    month = ("board", "series", "--month", matches_of(season)[0]["played_at"][:7], "--json")
    assert league(*month).document["places"]
    assert league(*month, "--as-of", "2020-01-01").document["places"] == []
