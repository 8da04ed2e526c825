"""`league trail` and `league export trail`: what commands do stands in the log, and an auditor can load it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import jwt
import pytest
from leagues import REVISED, announced, catch_up, send, small_league
from typer.testing import CliRunner

from league import cli, export
from league.bootstrap import League
from league.cli import rows
from league.domain.match import VoidMatch
from league.domain.player import MovePlayer
from league.domain.refusals import InvalidInput

SECRET = "s" * 32


@pytest.fixture
def league(database_url: str) -> Iterator[League]:
    with small_league(database_url) as made:
        send(made, announced("a1", ("ana", "bea"), 1), announced("a2", ("ana", "cira"), 3))
        catch_up(made)
        yield made


def run(league: League, *arguments: str) -> str:
    """What a command prints."""
    environment = {"LEAGUE_DATABASE_URL": league.database.url, "LEAGUE_SECRET": SECRET, "COLUMNS": "200"}
    said = CliRunner().invoke(cli.app, arguments, env=environment)
    if said.exception is not None:
        raise said.exception
    return said.stdout


def trail(league: League, *arguments: str) -> Any:
    """The entries that the command finds, the latest first."""
    return json.loads(run(league, "trail", "--json", *arguments))


def test_what_commands_do_stands_in_the_trail(league: League) -> None:
    """A token (never the token itself), a replay, its promotion, the run that is dropped, exports; and who did it."""
    made = run(league, "token", "ana", "--role", "auditor", "--role", "player", "--actor", "root").strip()
    for rules in (REVISED, REVISED.with_name("caribbean-ratings.toml")):
        run(league, "replay", "--rules", str(rules), "--actor", "kim")
    run(league, "promote", "2", "--actor", "kim")
    run(league, "drop", "3", "--actor", "kim")
    run(league, "export", "changes", "--format", "csv", "--actor", "aud")
    run(league, "export", "log", "--actor", "aud")
    claims = jwt.decode(made, SECRET, algorithms=["HS256"])
    found = trail(league, "--first", "8")
    assert [(entry["kind"], entry["actor"]) for entry in reversed(found)] == [
        ("token-made", "root"), ("replay-started", "kim"), ("replay-started", "kim"), ("edition-published", "kim"),
        ("edition-adopted", "kim"), ("run-dropped", "kim"), ("rows-exported", "aud"), ("rows-exported", "aud"),
    ]  # fmt: skip
    what = [entry["what"] for entry in reversed(found)]
    assert what[0].startswith(f"Token {claims['jti']} was made for Ana (ana) (auditor, player), until 20")
    assert what[-3:] == ["Run 3 was dropped", "Exported as csv: changes, of run 2", "Exported as log: log"]
    signature = made.rpartition(".")[2]
    assert signature not in run(league, "export", "log")


@pytest.mark.parametrize("what", ["log", "trail", "ratings"])
def test_an_export_is_written_down_before_its_first_row(
    league: League, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Whoever breaks it off has been given rows, and stands in the trail."""

    def broken_off(*_: Any) -> None:
        raise KeyError("broken off")

    for module, write in ((rows, "write_log"), (export, "write_jsonl")):
        monkeypatch.setattr(module, write, broken_off)
    with pytest.raises(KeyError, match="broken off"):
        run(league, "export", what, "--actor", "aud")
    [entry] = trail(league, "--kind", "rows-exported")
    assert entry["actor"] == "aud"


def test_what_had_to_be_folded_for_an_export_was_asked_for_by_who_exports(league: League) -> None:
    """And not by the program."""
    before = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    send(league, announced("a3", ("ana", "cira"), 4))
    run(league, "export", "ratings", "--known-at", before.isoformat(), "--actor", "aud")
    assert [entry["kind"] for entry in trail(league, "--actor", "aud")] == ["rows-exported", "replay-started"]


def test_filters(league: League) -> None:
    """Each leaves what it names; a time without an offset is meant where the league is."""
    voided = league.dispatcher.send(VoidMatch("a2", "played twice"), "kim")
    [entry] = trail(league, "--match", "a2", "--actor", "kim")
    assert (entry["position"], entry["what"]) == (voided, "Match a2: voided: played twice")
    assert trail(league, "--kind", "match-voided", "--player", "cira") == [entry]
    assert trail(league, "--player", "bea", "--kind", "match-voided") == []
    assert trail(league, "--from", entry["recorded_at"][:26] + "+00:00", "--first", "1") == [entry]
    assert trail(league, "--to", "2020-01-01") == []
    assert {entry["source"] for entry in trail(league, "--source", "manual")} == {"manual"}
    with pytest.raises(InvalidInput, match="match-voided"):
        run(league, "trail", "--kind", "voided")
    assert "Match a2: voided: played twice" in run(league, "trail", "--first", "3")


def test_the_export_loads_into_a_spreadsheet(league: League) -> None:
    """Every event is a row, the oldest first; no cell is a formula, and players go by their ids."""
    league.dispatcher.send(MovePlayer("bea", "Granma"), "=cmd()", key="@1")
    rows = list(csv.DictReader(StringIO(run(league, "export", "trail", "--format", "csv", "--actor", "aud"))))
    assert list(rows[0]) == [
        "position", "recorded_at", "played_at", "kind", "version", "stream", "actor", "source", "key", "what",
    ]  # fmt: skip
    assert [int(row["position"]) for row in rows] == list(range(1, league.store.head() + 1))
    assert (rows[-2]["actor"], rows[-2]["key"], rows[-2]["what"]) == ("'=cmd()", "'@1", "bea moved to Granma")
    lines = [json.loads(line) for line in run(league, "export", "trail").splitlines()]
    assert [str(line["position"]) for line in lines[:-1]] == [row["position"] for row in rows]
    assert lines[-2]["what"] == "Exported as csv: trail"
