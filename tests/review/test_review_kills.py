"""Workers are killed while they review: another one goes on with the moves that are left."""

from __future__ import annotations

from pathlib import Path

import pytest
from leagues import import_cuban, league_at, send
from processes import league_command
from waiting import wait_until

from league.infra.database import connect
from league.review.commands import RequestReview

SEASON = Path(__file__).parents[2] / "examples" / "dominican-2026"

pytestmark = pytest.mark.heavy


def test_a_review_outlives_a_kill_of_its_worker(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the worker is killed, no move is lost or stored twice."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", database_url)
    (tmp_path / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
    (tmp_path / "matches.jsonl").write_bytes((SEASON / "matches.jsonl").read_bytes().splitlines(keepends=True)[0])
    with league_at(database_url) as league:
        league.create("Liga", "America/Santo_Domingo", "test")
        import_cuban(league, tmp_path)
        send(league, RequestReview("d-0001", 1))
    with league_command("worker") as worker:
        wait_until(lambda: len(turns(database_url)) > 2)
        worker.kill()
        worker.wait()
    before = turns(database_url)
    with league_command("worker"):
        wait_until(lambda: status(database_url) == "done")
    after = turns(database_url)
    assert after[: len(before)] == before
    assert after == sorted(set(after))


def turns(url: str) -> list[int]:
    """The turns that are reviewed."""
    with connect(url) as conn:
        found = conn.execute("SELECT m->>'turn' FROM hand_reviews, jsonb_array_elements(moves) m").fetchall()
    return [int(turn) for (turn,) in found]


def status(url: str) -> str:
    """How far the review is."""
    with connect(url) as conn:
        found = conn.execute("SELECT status FROM hand_reviews").fetchone()
    assert found is not None
    return str(found[0])
