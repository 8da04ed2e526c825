"""The process that counts a photo is killed between the upload and the proposal."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psycopg
import pytest
from api_server import SECRET, served, token
from leagues import at, catch_up, found, league_at, send
from processes import league_command
from waiting import wait_until

from league.domain.match import OpenMatch
from league.photos.domain.photo import CountProposed

pytestmark = pytest.mark.heavy

TILES = Path(__file__).parents[1] / "vision" / "photos" / "pc_23.jpg"


def test_a_killed_count_is_begun_again(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker and its count die by SIGKILL before the proposal is stored; the next worker proposes it, once."""
    place = str(tmp_path / "photos")
    for name, value in {"DATABASE_URL": database_url, "SECRET": SECRET, "PHOTOS": place}.items():
        monkeypatch.setenv(f"LEAGUE_{name}", value)
    monkeypatch.delenv("LEAGUE_BROKER_URL", raising=False)
    with league_at(database_url) as league:
        found(league)
        send(league, OpenMatch("m1", "cuban-150", "1v1", "casual", ("ana", "bea"), played_at=at(0)))
        catch_up(league)
        with served(database_url, photos=place) as server:
            given = {"match": "m1", "hand": "1", "seat": "1"}
            headers = {"Authorization": f"Bearer {token('scorekeeper')}"}
            answer = server.http.post("/photos", data=given, files={"file": TILES.read_bytes()}, headers=headers)
            photo = answer.json()["photoId"]

        def row() -> tuple[int, bool]:
            with psycopg.connect(database_url) as conn:
                found = conn.execute("SELECT attempts, to_count FROM league.photos WHERE photo_id = %s", (photo,))
                attempts, to_count = found.fetchone() or (0, False)
                return attempts, to_count

        with psycopg.connect(database_url) as conn:
            conn.execute("LOCK TABLE league.stored_events IN EXCLUSIVE MODE")  # so that no proposal can be stored
            with league_command("worker") as worker:
                wait_until(lambda: row()[0] == 1)
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
        assert row() == (1, True)
        with league_command("worker"):
            wait_until(lambda: not row()[1])
        assert row()[0] == 2
        events = [stored.event for stored in league.store.load(f"photo:{photo}")]
        assert [event.total for event in events if isinstance(event, CountProposed)] == [23]
