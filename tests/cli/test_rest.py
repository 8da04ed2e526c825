"""A league at rest: its processes ask the database nothing, and open no connection."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import psycopg
import pytest
from http_clients import http_client
from kills import SECRET, Redis, free_port
from leagues import league_at, send
from processes import league_command
from signed_leagues import SEED
from waiting import wait_until

from league.domain.player import RenamePlayer

pytestmark = [pytest.mark.heavy]

REST = 20.0
"""Seconds in which nothing happens. Two rests are longer than the longest pause between two checks that a process made
when it checked periodically, of 30 seconds."""
AT_MOST = 5
"""Rests that are tried: what was asked for before may still be at work in the first ones."""

# The number of sessions tells of connections that were opened and closed in between.
ASKED = """
    SELECT (SELECT sessions FROM pg_stat_database WHERE datname = current_database()), pid, query_start, query
    FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid
"""


def test_a_league_at_rest_asks_its_database_nothing(league_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its server nor the projector nor a worker, once what happened before is projected and signed."""
    port, redis = free_port(), Redis()
    for name, value in {
        "DATABASE_URL": league_url, "BROKER_URL": redis.url, "SECRET": SECRET, "SIGNING_KEY": SEED,
        "TABLE_SECRET": "ab" * 32,
    }.items():  # fmt: skip
        monkeypatch.setenv(f"LEAGUE_{name}", value)
    with ExitStack() as running, league_at(league_url) as league:
        running.callback(redis.kill)
        for command in (["serve", "--port", str(port)], ["project"], ["worker"]):
            running.enter_context(league_command(*command))
        wait_until(lambda: _answers(port))
        position = send(league, RenamePlayer("ana", "Anita"))
        wait_until(lambda: league.reached() >= position)
        with http_client(port) as client:
            assert client.get("/").status_code == 200
        with psycopg.connect(league_url, autocommit=True) as conn:
            asked, rests = conn.execute(ASKED).fetchall(), list[Any]()
            for _ in range(AT_MOST):
                time.sleep(REST)
                before, asked = asked, conn.execute(ASKED).fetchall()
                rests.append(sorted(set(asked) - set(before)))
                if rests[-2:] == [[], []]:
                    return
        pytest.fail(f"no two rests in a row without a question; asked in them: {rests}")


def _answers(port: int) -> bool:
    with suppress(httpx.TransportError), http_client(port) as client:
        return client.get("/healthz").status_code == 200
    return False
