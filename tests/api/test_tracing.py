"""Traces by OpenTelemetry: spans of requests, operations and root fields."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from api_server import heard, served, subscribe
from leagues import catch_up, found, league_at, own_database
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from league.api.server import tracing


@pytest.mark.heavy
def test_requests_operations_and_root_fields_are_spans(embedded_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each within the one before; health checks and other fields have none."""
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(tracing, "OTLPSpanExporter", lambda: exporter)
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, tracing=True) as server:
            server.ask("query Mine { regions players(first: 2) { nodes { playerId } } }")
            server.http.get("/healthz")
            server.http.get("/sign-in/link/secret")  # of which no trace may have the secret
            with server.socket() as socket:
                subscribe(socket, "subscription { boardsChanged { position } }")
                assert heard(socket)
    found_spans: list[Any] = list(exporter.get_finished_spans())
    names = {span.name for span in found_spans}
    fields = {"Query.regions", "Query.players", "Subscription.boardsChanged"}
    assert names == {"POST /graphql", "HTTP /graphql", "graphql operation", *fields}  # the handshake is the second one
    by_id = {span.context.span_id: span for span in found_spans}
    [field] = (span for span in found_spans if span.name == "Query.players")
    operation = by_id[field.parent.span_id]
    assert operation.attributes == {"graphql.operation.name": "Mine", "graphql.errors": 0}
    request = by_id[operation.parent.span_id]
    assert (request.name, request.parent) == ("POST /graphql", None)


@pytest.mark.heavy
def test_nothing_is_imported_without_a_place_for_traces() -> None:
    """The packages are an extra; what other libraries import of them, where it is installed, is theirs."""
    own = "('opentelemetry.exporter', 'opentelemetry.instrumentation')"
    code = f"import sys; import league.api.server.serving; print([m for m in sys.modules if m.startswith({own})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
