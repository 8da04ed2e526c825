"""The processes that a served league needs beside it: each is seen while it works, and missed when it does not."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from leagues import league_at, own_database
from structlog.typing import EventDict
from waiting import wait_until

from league.application import following
from league.application.bootstrap import clock, in_background
from league.application.duties import keep_duties
from league.application.following import COMPANIONS_PAUSE, MissingCompanions, companions_of
from league.application.jobs import SEEN_WORKING
from league.infra.database import connect
from league.projections.projector import Projector


@pytest.mark.also_on_server
def test_each_is_seen_while_it_works(database_url: str) -> None:
    """A projector, and any number of workers; those of another database do not count."""
    with league_at(database_url) as league, connect(database_url, autocommit=True) as conn:
        assert companions_of(conn) == {"projector": False, "worker": False}
        with Projector(database_url, league.store):
            assert companions_of(conn) == {"projector": True, "worker": False}

        def work(ended: threading.Event) -> None:
            keep_duties(database_url, [], clock, ended.is_set, prepare=[SEEN_WORKING])

        with in_background(work), in_background(work):
            wait_until(lambda: companions_of(conn)["worker"])
            with own_database(database_url) as other, connect(other, autocommit=True) as elsewhere:
                assert companions_of(elsewhere) == {"projector": False, "worker": False}
        # The server lets go of a lock a moment after its connection is closed.
        wait_until(lambda: companions_of(conn) == {"projector": False, "worker": False})


def test_a_process_that_starts_with_the_server_is_not_missed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first check comes after the time that a start may take."""
    monkeypatch.setattr(following, "companions_of", lambda _: {"projector": False, "worker": False})
    began = clock()
    companions = MissingCompanions(database_url, lambda: began)
    with connect(database_url, autocommit=True) as conn:
        assert companions.duty.due(conn) == began + timedelta(seconds=COMPANIONS_PAUSE)


def test_what_is_missing_is_said_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    """It is logged after the second check, so a process that restarts is not reported."""
    works: dict[following.Companion, bool] = {"projector": False, "worker": False}
    monkeypatch.setattr(following, "companions_of", lambda _: works)
    companions = MissingCompanions(database_url, clock)
    with connect(database_url, autocommit=True) as conn:
        assert companions.duty.due(conn) is not None
        companions.check()
        works["projector"] = True
        assert companions.duty.due(conn) is not None
        works["projector"] = False
        for _ in range(3):
            companions.check()
            works["projector"] = True
        assert companions.duty.due(conn) is None, "a league at rest is not asked again"
    assert [(one["event"], one["name"]) for one in logs] == [("process_missing", "worker")]
    assert "league worker" in logs[0]["reason"]
