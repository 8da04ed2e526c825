"""`league trail` and `league export trail`: the log records what commands do, and an auditor can load it."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import jwt
import pytest
from databases import Template, copy_of
from leagues import REVISED, SMALL_LEAGUE, announced, catch_up, league_at, part_of_season, send
from typer.testing import CliRunner

from league import cli
from league.application.bootstrap import League
from league.application.following import sign_head_when_due
from league.audit.signed_heads import read_private_key
from league.cli import backup as export_command
from league.domain.match import VoidMatch
from league.domain.player import MovePlayer
from league.domain.refusals import InvalidInput, Refusal
from league.transfer import export

SECRET = "s" * 32
KEY = "A" * 43 + "="


def _two_matches(url: str) -> None:
    with league_at(url) as league:
        send(league, announced("a1", ("ana", "bea"), 1), announced("a2", ("ana", "cira"), 3))
        catch_up(league)


TWO_MATCHES = Template("trail", _two_matches, SMALL_LEAGUE)


@pytest.fixture
def league(postgres: str) -> Iterator[League]:
    with copy_of(postgres, TWO_MATCHES) as url, league_at(url) as made:
        yield made


def run(league: League, *arguments: str) -> str:
    """What a command prints."""
    environment = {"LEAGUE_DATABASE_URL": league.database.url, "LEAGUE_SECRET": SECRET, "COLUMNS": "200"}
    environment["LEAGUE_SIGNING_KEY"] = KEY
    said = CliRunner().invoke(cli.app, arguments, env=environment)
    if said.exception is not None:
        raise said.exception
    return said.stdout


def trail(league: League, *arguments: str) -> Any:
    """The entries that the command finds, the latest first."""
    return json.loads(run(league, "trail", "--json", *arguments))["entries"]


@pytest.mark.heavy
def test_what_commands_do_stands_in_the_trail(league: League) -> None:
    """A token (never the token itself), a replay, its promotion, the run that is dropped, exports; and who did it."""
    made = run(league, "token", "ana", "--role", "auditor", "--role", "player", "--actor", "root").strip()
    for rules in (REVISED, REVISED.with_name("caribbean-ratings.toml")):
        run(league, "replay", "--rules", str(rules), "--actor", "kim")
    run(league, "promote", "2", "--yes", "--reason", "calmer", "--actor", "kim")
    run(league, "drop", "3", "--actor", "kim")
    run(league, "export", "changes", "--format", "csv", "--actor", "aud")
    run(league, "export", "log", "--actor", "aud")
    claims = jwt.decode(made, SECRET, algorithms=["HS256"])
    found = trail(league, "--first", "9")
    assert [(entry["kind"], entry["actor"]) for entry in reversed(found)] == [
        ("token-made", "root"), ("replay-started", "kim"), ("replay-started", "kim"), ("run-promoted", "kim"),
        ("edition-published", "kim"), ("edition-adopted", "kim"), ("run-dropped", "kim"), ("rows-exported", "aud"),
        ("rows-exported", "aud"),
    ]  # fmt: skip
    what = [entry["what"] for entry in reversed(found)]
    assert what[0].startswith(f"Token {claims['jti']} was made for Ana (auditor, player), until 20")
    assert what[3] == "Run 2 was promoted: it is official in place of run 1. Reason: calmer"
    assert what[-3:] == [
        "Run 3 was dropped", "Exported: changes of run 2, as csv", "Exported: log, as jsonl",
    ]  # fmt: skip
    signature = made.rpartition(".")[2]
    assert signature not in run(league, "export", "log")


@pytest.mark.heavy
def test_a_promotion_and_a_roll_back_are_told_apart(league: League) -> None:
    """Each names the new official run, and the adoption of its rules comes after it."""
    run(league, "replay", "--rules", str(REVISED))
    run(league, "promote", "2", "--yes", "--reason", "calmer", "--actor", "kim")
    run(league, "rollback", "--yes", "--reason", "too calm", "--actor", "ana")
    found = [entry for entry in trail(league, "--first", "5") if entry["kind"] != "edition-published"]
    assert [(entry["kind"], entry["actor"]) for entry in reversed(found)][-4:] == [
        ("run-promoted", "kim"), ("edition-adopted", "kim"), ("rolled-back", "ana"), ("edition-adopted", "ana"),
    ]  # fmt: skip
    promoted, rolled_back = found[3]["body"], found[1]["body"]
    assert (promoted["run"], promoted["before"], promoted["reason"]) == (2, 1, "calmer")
    assert (rolled_back["run"], rolled_back["before"], rolled_back["reason"]) == (1, 2, "too calm")
    assert found[1]["what"] == "Rolled back: run 1 is official in place of run 2. Reason: too calm"


@pytest.mark.parametrize("what", ["log", "trail", "ratings"])
def test_an_export_is_written_down_before_its_first_row(
    league: League, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """An aborted export has delivered rows, so the trail records it."""

    def broken_off(*_: Any) -> None:
        raise KeyError("broken off")

    for module, write in ((export_command, "write_log"), (export, "write_jsonl")):
        monkeypatch.setattr(module, write, broken_off)
    with pytest.raises(KeyError, match="broken off"):
        run(league, "export", what, "--actor", "aud")
    [entry] = trail(league, "--kind", "rows-exported")
    assert entry["actor"] == "aud"


@pytest.mark.heavy
def test_what_had_to_be_folded_for_an_export_was_asked_for_by_who_exports(league: League) -> None:
    """The trail names the person who exports, not the program."""
    before = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    send(league, announced("a3", ("ana", "cira"), 4))
    run(league, "export", "ratings", "--known-at", before.isoformat(), "--actor", "aud")
    assert [entry["kind"] for entry in trail(league, "--actor", "aud")] == ["rows-exported", "replay-started"]


@pytest.mark.heavy
def test_filters(league: League) -> None:
    """Each filter leaves the events that it names. A player may be given by id or name."""
    voided = league.dispatcher.send(VoidMatch("a2", "played twice"), "kim")
    [entry] = trail(league, "--match", "a2", "--actor", "kim")
    assert (entry["position"], entry["what"]) == (voided, "Match of Ana against Cira: voided: played twice")
    assert trail(league, "--kind", "match-voided", "--player", "Círa") == [entry]
    assert trail(league, "--player", "bea", "--kind", "match-voided") == []
    assert trail(league, "--from", entry["recorded_at"][:26] + "+00:00", "--first", "1") == [entry]
    assert trail(league, "--to", "2020-01-01") == []
    assert {entry["source"] for entry in trail(league, "--source", "manual")} == {"manual"}
    shown = run(league, "trail", "--first", "3")
    assert "Match of Ana against Cira: voided: played twice" in shown
    assert f"3 of {league.store.head()} are shown" in shown
    assert "The trail has no such entry." in run(league, "trail", "--to", "2020-01-01")


@pytest.mark.parametrize(
    ("filters", "says"),
    [
        (["--kind", "voided"], "match-voided"),
        (["--source", "paper"], "manual, import, live, photo"),
        (["--player", "p999"], "there is no player 'p999'"),
        (["--match", "c-9999"], "there is no match 'c-9999'"),
        (["--from", "2026-03-02", "--to", "2026-03-01"], "`--to` must be later"),
    ],
)
def test_a_filter_that_can_leave_nothing_is_refused(league: League, filters: list[str], says: str) -> None:
    """An empty trail and an impossible filter have different answers."""
    with pytest.raises(Refusal) as refused:
        run(league, "trail", *filters)
    assert says in refused.value.message


def test_an_import_stands_in_the_trail_with_its_folder(league: League, tmp_path: Path) -> None:
    """The trail has the counts of new rows and the hash of the matches. A repeated import leaves no entry."""
    folder = part_of_season(tmp_path / "spring", 5)
    for _ in range(2):
        run(league, "import", str(folder), "--actor", "kim")
    [entry] = trail(league, "--kind", "folder-imported")
    counts = {"players": len((folder / "players.jsonl").read_text().splitlines()), "matches": 5}
    assert entry["body"].pop("hands") > 5
    assert entry["body"] == {
        "folder": "spring",
        "matches_sha256": hashlib.sha256((folder / "matches.jsonl").read_bytes()).hexdigest(),
        **counts,
    }
    assert (entry["actor"], entry["source"], entry["position"]) == ("kim", "import", league.store.head())


def test_a_head_that_somebody_asks_for_stands_in_the_trail(league: League) -> None:
    """The trail has who asked and the key. The hourly heads are not in the trail, which would grow without end."""
    sign_head_when_due(League(league.database, league.store, league.dispatcher, read_private_key(KEY)))
    assert trail(league, "--kind", "head-requested") == []
    [signed] = json.loads(run(league, "heads", "sign", "--actor", "kim", "--json"))
    [entry] = trail(league, "--kind", "head-requested")
    assert entry["body"] == {"key": signed["key"]}
    assert (entry["position"], entry["actor"]) == (signed["position"], "kim")


@pytest.mark.parametrize(
    "arguments",
    [["log", "--format", "csv"], ["log", "--run", "1"], ["trail", "--run", "1"], ["trail", "--known-at", "2026-03-01"]],
)
def test_what_an_export_cannot_do_is_refused(league: League, arguments: list[str]) -> None:
    """The log has one format, and is the same for every run, so other formats and runs are refused."""
    head = league.store.head()
    with pytest.raises(InvalidInput):
        run(league, "export", *arguments)
    assert league.store.head() == head


def test_the_export_loads_into_a_spreadsheet(league: League) -> None:
    """Every event is a row, the oldest first; no cell is a formula, and players go by their ids."""
    league.dispatcher.send(MovePlayer("bea", "Granma"), "=cmd()", key="@1")
    rows = list(csv.DictReader(StringIO(run(league, "export", "trail", "--format", "csv", "--actor", "aud"))))
    assert list(rows[0]) == [
        "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source",
        "key", "what", "body",
    ]  # fmt: skip
    assert [int(row["position"]) for row in rows] == list(range(1, league.store.head() + 1))
    assert (rows[-2]["actor"], rows[-2]["key"], rows[-2]["what"]) == ("'=cmd()", "'@1", "bea moved to Granma")
    assert json.loads(rows[-2]["body"]) == {"region": "Granma"}
    of_match = [row for row in rows if row["match"] == "a2"]
    assert {row["kind"] for row in of_match} == {"match-opened", "match-ended", "match-entered"}
    assert {row["players"] for row in of_match} == {'["ana","cira"]'}
    lines = [json.loads(line) for line in run(league, "export", "trail").splitlines()]
    assert [str(line["position"]) for line in lines[:-1]] == [row["position"] for row in rows]
    assert lines[-2]["what"] == "Exported: trail, as csv"
