"""The processes that a served league needs beside it: each is seen while it works, and missed when it does not."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from leagues import league_at, own_database
from structlog.typing import EventDict
from waiting import LIMIT, wait_until

from league.application import following
from league.application.bootstrap import in_background
from league.application.following import be_seen_working, companions_of, tell_of_missing_companions
from league.infra.database import connect
from league.projections.projector import Projector


@pytest.mark.also_on_server
def test_each_is_seen_while_it_works(database_url: str) -> None:
    """A projector, and any number of workers; those of another database do not count."""
    with league_at(database_url) as league, connect(database_url, autocommit=True) as conn:
        assert companions_of(conn) == {"projector": False, "worker": False}
        with Projector(database_url, league.store):
            assert companions_of(conn) == {"projector": True, "worker": False}
        working = partial(be_seen_working, database_url)
        with in_background(working), in_background(working):
            wait_until(lambda: companions_of(conn)["worker"])
            with own_database(database_url) as other, connect(other, autocommit=True) as elsewhere:
                assert companions_of(elsewhere) == {"projector": False, "worker": False}
        # The server lets go of a lock a moment after its connection is closed.
        wait_until(lambda: companions_of(conn) == {"projector": False, "worker": False})


def test_what_is_missing_is_said_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    """It is logged after the second check, so a process that restarts is not reported."""
    looks, enough = list[object](), threading.Event()

    def look(conn: object) -> dict[following.Companion, bool]:
        looks.append(conn)
        if len(looks) == 6:
            enough.set()
        return {"projector": len(looks) != 1, "worker": len(looks) < 3}

    monkeypatch.setattr(following, "COMPANIONS_PAUSE", 0.001)
    monkeypatch.setattr(following, "companions_of", look)
    with in_background(partial(tell_of_missing_companions, database_url)):
        assert enough.wait(LIMIT)
    assert [(one["event"], one["name"]) for one in logs] == [("process_missing", "worker")]
    assert "league worker" in logs[0]["reason"]
