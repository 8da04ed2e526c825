"""Figures for Prometheus: what they count, and who may see them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_server import Served, heard, served, subscribe, token
from leagues import league_at, send
from live_tables import SLOW, begin, dealt, league_with_tables
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families
from waiting import wait_until

from league.api.schema import core
from league.audit import head_signing
from league.audit.signed_heads import new_seed, read_private_key
from league.domain.player import MovePlayer
from league.infra.outages import DatabaseAway, DatabaseProbe
from league.tables.api import live_tables
from league.tables.application.clock_keeper import keep_clock
from league.tables.application.live_rows import stored_table
from league.tables.domain.commands_and_events import OpenTable

ELSEWHERE = {"X-Forwarded-For": "192.0.2.1"}


def figures(served: Served) -> dict[tuple[str, ...], float]:
    """Every figure, by its name and the values of its labels."""
    response = served.http.get("/metrics")
    assert response.status_code == 200
    families = text_string_to_metric_families(response.text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def count(served: Served, field: str, result: str) -> float:
    """How many operations asked for a root field with a result."""
    return figures(served).get(("league_operation_seconds_count", field, result), 0)


def test_operations_are_counted_by_root_field_and_result(small: Served) -> None:
    """Operations count by fields of the schema, also within fragments, never by names that the client makes up."""
    text = """query MadeUpName { madeUpAlias: regions ...F ... on Query { board { kind } } }
        fragment F on Query { viewer { sub } }"""
    fields = ("regions", "viewer", "board")
    before = {field: count(small, field, "ok") for field in fields}
    small.ask(text)
    wait_until(
        lambda: {field: count(small, field, "ok") - before[field] for field in fields} == dict.fromkeys(fields, 1)
    )
    small.post("{ madeUpField }")
    small.post('{ players(first: 1, after: "x") { totalCount } }')
    wait_until(lambda: count(small, "-", "GRAPHQL_VALIDATION_FAILED") and count(small, "players", "INVALID_CURSOR"))
    types = (core.query_type, core.mutation_type, core.subscription_type)
    known = {"-"} | {name for type_ in types for name in type_.fields}
    assert {key[1] for key in figures(small) if key[0] == "league_operation_seconds_count"} <= known
    assert "adeUp" not in small.http.get("/metrics").text


def by_result(served: Served) -> dict[tuple[str, str], float]:
    """How many operations there were, by root field and result."""
    shown = figures(served)
    return {(key[1], key[2]): n for key, n in shown.items() if key[0] == "league_operation_seconds_count"}


def since(served: Served, before: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """The operations that have been counted since then."""
    return {key: n - before.get(key, 0) for key, n in by_result(served).items() if n != before.get(key, 0)}


@pytest.mark.parametrize("leaving", ["complete", "close"])
def test_a_subscription_that_its_client_ends_counts_as_ended(small: Served, leaving: str) -> None:
    """Not as an error: clients unsubscribe, and sockets close, all the time."""
    before = by_result(small)
    with small.socket() as socket:
        subscribe(socket, "subscription { boardsChanged { position } }")
        assert heard(socket)["boardsChanged"]
        if leaving == "complete":
            socket.send('{"type": "complete", "id": "1"}')
            wait_until(lambda: since(small, before))
    wait_until(lambda: since(small, before))
    assert since(small, before) == {("boardsChanged", "ended"): 1}


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ({"query": "{ viewer { sub } }", "operationName": "Other"}, "BAD_REQUEST"),
        ({"query": "query A { viewer { sub } } query B { viewer { sub } }"}, "BAD_REQUEST"),
        ({"query": "subscription { boardsChanged { position } }"}, "BAD_REQUEST"),
        ({"query": ""}, "BAD_REQUEST"),
        ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{" + "a " * 5_000 + "}"}, "TOO_COMPLEX"),
    ],
    ids=["unknown name", "no name", "subscription", "nothing", "no GraphQL", "too much"],
)
def test_requests_that_cannot_be_executed_count_under_their_code(
    small: Served, asked: dict[str, str], result: str
) -> None:
    """`INTERNAL` is left for faults of the program."""
    before = by_result(small)
    small.http.post("/graphql", json=asked)
    wait_until(lambda: since(small, before))
    assert since(small, before) == {("-", result): 1}


def test_the_state_of_the_league_is_shown(small: Served) -> None:
    """The log and the read side, the queue, connections and sockets."""
    wait_until(lambda: figures(small)["league_read_position",] == small.league.store.head())
    with small.socket(), small.socket():
        shown = figures(small)
    assert shown["league_log_position",] == small.league.store.head()
    assert shown["league_lag_seconds",] == 0
    assert shown["league_replay_queue",] == 0
    assert shown["league_database_up",] == 1
    assert shown["league_sockets",] == 2
    assert shown["league_connections", "used"] >= 0
    assert ("process_cpu_seconds_total",) in shown
    wait_until(lambda: figures(small)["league_sockets",] == 0)


@pytest.mark.heavy
def test_the_age_is_that_of_the_head_over_most_of_the_log(league_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the one with the latest date; a date in the future shows as a negative age."""
    key, now = read_private_key(new_seed()), datetime.now(UTC)
    with league_at(league_url) as league, served(league_url) as server:
        for signed_at, holds in ((now + timedelta(days=9), (-10, -8)), (now, (0, 1))):
            send(league, MovePlayer("ana", f"on {signed_at.date()}"))
            monkeypatch.setattr(head_signing, "database_time", lambda _, at=signed_at: at)
            replace(league, key=key).sign_head()
            least, most = holds
            assert least <= figures(server)["league_signing_age_seconds",] / 86_400 <= most


def test_a_database_that_is_away_is_shown(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page answers, without what the database would tell."""

    def fail(*_: Any) -> None:
        raise DatabaseAway("unreachable")

    monkeypatch.setattr(DatabaseProbe, "ask", fail)
    shown = figures(small)
    assert shown["league_database_up",] == 0
    assert shown["league_database_away", "unreachable"] == 1
    assert ("league_lag_seconds",) not in shown


@pytest.mark.parametrize(
    ("bearer", "status"),
    [
        (None, 401),
        ("nonsense", 401),
        (token("player", "scorekeeper"), 403),
        (token("auditor"), 200),
        (token("admin"), 200),
    ],
    ids=["no token", "no valid token", "other roles", "auditor", "admin"],
)
def test_other_machines_need_a_token(small: Served, bearer: str | None, status: int) -> None:
    """With a role that may see the log's details, for the figures tell how the league is used."""
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
    response = small.http.get("/metrics", headers={**ELSEWHERE, **headers})
    assert response.status_code == status
    assert ("league_log_position" in response.text) == (status == 200)
    assert ("WWW-Authenticate" in response.headers) == (status == 401)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", ""])
def test_a_forwarded_loopback_address_needs_a_token(small: Served, address: str) -> None:
    """It is that of another machine, which a client or its proxy can name as it likes."""
    assert small.http.get("/metrics", headers={"X-Forwarded-For": address}).status_code == 401


@pytest.mark.heavy
def test_live_tables_are_counted_by_what_they_do(database_url: str) -> None:
    """And the turns of AIs that no process has played, with the age of the oldest."""
    with league_with_tables(database_url, SLOW) as league, served(database_url) as server:
        begin(league, "t1")
        begin(league, "t2")
        dealt(league, "t3", ["ana"], ai="random")
        league.dispatcher.send(OpenTable("t4", "cuban-150", "1v1", "casual"), "kim")
        shown = figures(server)
        phases = {phase: shown["league_live_tables", phase] for phase in ("open", "shuffling", "playing", "paused")}
        assert phases == {"open": 1, "shuffling": 2, "playing": 1, "paused": 0}
        state = stored_table(league.dispatcher.state_cache, "t3")
        assert state.play is not None
        assert shown["league_ai_turns",] == state.play.to_move
        assert shown["league_overdue_tables",] == 0


@pytest.mark.heavy
def test_the_delay_of_deadlines_is_counted(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that met the deadlines counts their delay."""
    monkeypatch.setattr(live_tables, "keep_clock", keep_clock)
    with league_with_tables(database_url) as league, served(database_url) as server:
        begin(league, "t1")
        wait_until(lambda: figures(server)["league_deadline_delay_seconds_count",] >= 1)
