"""`league serve`, `project`, `worker`, `demo`, and what all commands have in common."""

from __future__ import annotations

import http.client
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from commands import MATCHES, League, head, process
from leagues import league_at, part_of_season, revised, send
from leagues import position as projected
from processes import league_command
from waiting import LIMIT, wait_until

from league.application import replay_requests
from league.application.replay_requests import ReplaySpec
from league.cli.entry import FAILURE
from league.domain.player import RegisterPlayer
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.difference.totals import LISTS
from league.transfer.export import columns_of_difference, exports_by_name

pytestmark = [pytest.mark.heavy, pytest.mark.slow, pytest.mark.usefixtures("own_environment")]


def test_an_empty_list_has_its_heading_all_the_same(league: League) -> None:
    """A spreadsheet that is filled every week meets the same columns before the first match."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    for what, listed in exports_by_name().items():
        assert league("export", what, "--format", "csv").out == ",".join(listed.columns) + "\n"
    for what in LISTS:
        said = league("difference", 1, "--what", what, "--format", "csv").out
        assert said == ",".join(columns_of_difference(what)) + "\n"


def test_project_once_and_rebuild_end_by_themselves(league: League, season: Path, database_url: str) -> None:
    """`project --once` catches up, `--rebuild` folds everything again; the league says the same."""
    league("import", season)
    before = league("export", "ratings").out
    with league_at(database_url) as made:
        send(made, RegisterPlayer("gabi", "Gabi"))
    assert league("project", "--once").code == 0
    assert league("project", "--rebuild").code == 0
    assert league("export", "ratings").out == before


def test_project_follows_the_log_until_it_is_asked_to_end(league: League, database_url: str) -> None:
    """`project` projects what comes in, and leaves with exit code 0."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    with league_at(database_url) as made, league_command("project") as running:
        position = send(made, RegisterPlayer("gabi", "Gabi"))
        wait_until(lambda: projected(database_url) == position)
        running.terminate()
        assert running.wait(LIMIT) == 0


def test_worker_works_off_replays_until_it_is_asked_to_end(league: League, season: Path, database_url: str) -> None:
    """`worker` carries out what was asked for before its start, and leaves with exit code 0."""
    league("import", season)
    with league_at(database_url) as made:
        number = replay_requests.start(
            made, ReplaySpec(revised("rating.k.casual = 9")), AppendRequest("ana", "manual")
        ).number
    with (
        connect(database_url, autocommit=True) as conn,
        league_command("worker") as running,
    ):
        query = "SELECT run IS NOT NULL FROM replays WHERE replay = %s"
        wait_until(lambda: conn.execute(query, (number,)).fetchone() == (True,))
        running.terminate()
        assert running.wait(LIMIT) == 0


def test_serve_answers_until_it_is_asked_to_end(
    season: Path, monkeypatch: pytest.MonkeyPatch, migrated_data_dir: Path
) -> None:
    """With the embedded database `serve` is a whole league: it answers, projects what comes in, and ends when asked."""
    monkeypatch.delenv("LEAGUE_DATABASE_URL")
    monkeypatch.setenv("LEAGUE_DATA_DIR", str(migrated_data_dir))
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    query = json.dumps({"query": "{ matches(first: 1) { totalCount } }"}).encode()

    def matches() -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
        try:
            connection.request("POST", "/graphql", query, {"Content-Type": "application/json"})
            return json.load(connection.getresponse())["data"]["matches"]["totalCount"]
        except OSError:
            return None
        finally:
            connection.close()

    with league_command("serve", "--port", str(port)) as running:
        wait_until(lambda: matches() == 0)
        assert process("import", str(season)).returncode == 0
        wait_until(lambda: matches() == MATCHES)
        running.terminate()
        assert running.wait(LIMIT) == 0


def test_serve_on_a_server_ends_well_when_it_is_asked_to(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM is how Docker and systemd stop it: exit code 0.

    `tests/cli/test_log_lines.py` stops several processes so, and `tests/cli/test_cached_by_workers.py` by Ctrl-C.
    """
    monkeypatch.setenv("LEAGUE_SECRET", "s" * 32)
    league("init", "--name", "Liga", "--time-zone", "UTC")
    with league_command("serve", "--port", "0") as running:
        assert running.stderr is not None
        assert any("is served on" in line for line in running.stderr)
        running.terminate()
        said = running.stderr.read()
        assert running.wait(LIMIT) == 0, said


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
    """When the server cannot be reached the command fails at once, with exit code 1 and without a stack trace."""
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


@pytest.mark.usefixtures("database_url")
def test_the_demo_looks_for_its_port_before_it_works() -> None:
    """It says which other port to ask for, also from make, and has imported nothing."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = process("demo", "--port", str(port))
    assert said.returncode == FAILURE
    assert f"port {port}" in said.stderr
    assert f'ARGS="--port {port + 1}"' in said.stderr
    assert "1. A recorded season" not in said.stdout


def test_the_demo_shows_the_whole_way(league: League, tmp_path: Path, database_url: str) -> None:
    """`league demo --no-serve` imports, prints boards, explains a change and replays; again, it adds nothing."""
    some = part_of_season(tmp_path / "some", 60)
    for _ in range(2):
        said = league("demo", "--no-serve", "--season", some)
        assert said.code == 0, said.err
        for section in (
            "1. A recorded season goes into the log",
            "Global  ",
            "Pairs  ",
            "3. One rating change, explained to the last term",
            "before + k * ((outcome + M) - expected)",
            "copa-de-la-casa: the round that is about to begin",
            "5. That season under the rules of",
            "Where ratings diverge first",
        ):
            assert section in said.out
        assert "Traceback" not in said.err
    with connect(database_url) as conn:
        assert conn.execute("SELECT count(*) FROM stored_events WHERE topic = 'replay-started/1'").fetchone() == (1,)
