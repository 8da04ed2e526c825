"""What a served league writes to standard error: JSON, line by line, through a start, an outage and a shutdown."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil
import psycopg
import pytest
from api_server import SECRET
from http_clients import NO_TLS, web_socket
from processes import league_command
from psycopg import sql
from psycopg.conninfo import make_conninfo
from served_by_workers import Running
from waiting import LIMIT, wait_until
from websockets.exceptions import ConnectionClosed

pytestmark = [pytest.mark.heavy, pytest.mark.slow]


@contextmanager
def away(url: str) -> Iterator[None]:
    """The database accepts no connections, and has lost those that it had."""
    with psycopg.connect(url) as conn:
        (name,) = conn.execute("SELECT current_database()").fetchone() or ("",)
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as beside:
        beside.execute(allow.format(sql.Identifier(name), sql.SQL("false")))
        beside.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            beside.execute(allow.format(sql.Identifier(name), sql.SQL("true")))


def test_each_line_is_json_and_an_outage_is_two_lines_a_process(
    league_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds even if a stream is open when the league is told to stop. Its workers stop then, without a failure."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", league_url)
    monkeypatch.setenv("LEAGUE_SECRET", SECRET)
    lines: list[str] = []
    with league_command("serve", "--port", "0", "--workers", "2") as running:
        assert running.stderr is not None
        reader = threading.Thread(target=lambda: lines.extend(running.stderr or ()))
        reader.start()
        wait_until(lambda: any("is served on" in line for line in lines))
        port = next(line for line in lines if "is served on" in line).split("/graphql")[0].rsplit(":", 1)[1]
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT, verify=NO_TLS)

        def status(path: str) -> int:
            # A connection a request: both workers are asked.
            return client.get(path, headers={"Connection": "close"}).status_code

        with client:
            with Running(psutil.Process(running.pid), int(port)).clients():
                pass  # both workers serve
            with away(league_url):
                wait_until(lambda: status("/readyz") == 503)
                wait_until(lambda: bool(status("/")) and sum("database_away" in line for line in lines) >= 2)
            wait_until(lambda: bool(status("/")) and sum("database_back" in line for line in lines) >= 2)
            with web_socket(port) as socket:
                socket.send(json.dumps({"type": "connection_init"}))
                assert json.loads(socket.recv(LIMIT))["type"] == "connection_ack"
                query = {"query": "subscription { boardsChanged { position } }"}
                socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": query}))
                assert json.loads(socket.recv(LIMIT))["type"] == "next"
                running.terminate()
                with pytest.raises(ConnectionClosed) as closed:
                    socket.recv(LIMIT)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1012, "the service restarts: clients connect again"
            processes = psutil.Process(running.pid).children()
            assert running.wait(LIMIT) == 0
            assert not psutil.wait_procs(processes, timeout=LIMIT)[1]
        reader.join(LIMIT)
    said = [json.loads(line) for line in lines]
    events = Counter((line["event"], line.get("process")) for line in said)
    for event in ("database_away", "database_back"):
        counts = [count for (name, _), count in events.items() if name == event]
        assert counts, event
        assert set(counts) == {1}, [line for line in said if line["event"].startswith("database_")]
    assert not [line for line in said if "exception" in line], "nothing of it was unexpected"
