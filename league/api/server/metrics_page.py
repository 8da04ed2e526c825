"""`/metrics`: figures for Prometheus, for this machine and for those who may see the log."""

from collections.abc import Iterator
from typing import Any

import psycopg
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg.rows import TupleRow
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from league.api.auth.tokens import BadToken
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.replicas import Replicas
from league.api.graphql.threads import in_probing_thread
from league.api.server.addresses import address_of
from league.api.server.http import NewContext, charged, session_of
from league.features import declared
from league.infra.probe import DatabaseAway, Probe
from league.projections.projector import lag

_QUEUE = "SELECT count(*) FROM replays WHERE unfinished"
# The newest by position: a clock that once ran ahead may have dated an earlier one later.
_SIGNED = (
    "SELECT extract(epoch FROM clock_timestamp() - signed_at)::float8 FROM signed_heads"
    " ORDER BY position DESC, signed_at DESC LIMIT 1"
)


class MetricsPage:
    """Answers Prometheus."""

    def __init__(self, registry: CollectorRegistry, new_context: NewContext) -> None:
        self._registry, self._new_context = registry, new_context

    async def answer(self, request: Request) -> Response:
        """All figures; 401 or 403 for a client elsewhere without a token of an admin or auditor, which costs points."""
        context = self._new_context(request.state.request_id)
        context.address = address_of(request)
        if context.client is not None:
            refusal = await _refusal(context, request.headers.get("Authorization"))
            if refusal is not None:
                return charged(context, refusal)
        figures = await in_probing_thread(generate_latest, self._registry)
        return Response(figures, media_type=CONTENT_TYPE_LATEST)


class DatabaseFigures(Collector):
    """Reads the figures of the database whenever Prometheus asks."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe

    def collect(self) -> Iterator[Metric]:
        """The figures; without the database only that it is away, and why."""
        try:
            figures = self._probe.ask(_figures)
        except (DatabaseAway, psycopg.Error) as error:
            yield GaugeMetricFamily("league_database_up", "Whether the database answers.", 0)
            why = GaugeMetricFamily("league_database_away", "Why the database does not answer.", labels=["reason"])
            why.add_metric([error.reason if isinstance(error, DatabaseAway) else "error"], 1)
            yield why
            return
        yield GaugeMetricFamily("league_database_up", "Whether the database answers.", 1)
        yield from figures


class ReplicaFigures(Collector):
    """What this process knows of its replicas."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas

    def collect(self) -> Iterator[Metric]:
        """A figure of each kind for each replica."""
        used = GaugeMetricFamily("league_replica_used", "Whether readers read from the replica.", labels=["replica"])
        position = GaugeMetricFamily(
            "league_replica_position", "The position of the read side on the replica.", labels=["replica"]
        )
        lag = GaugeMetricFamily(
            "league_replica_lag_seconds", "Seconds since it has had the newest state.", labels=["replica"]
        )
        for one in self._replicas.all:
            used.add_metric([one.name], one.standing == "used")
            position.add_metric([one.name], 0 if one.state is None else one.state.position)
            lag.add_metric([one.name], one.lag)
        yield from (used, position, lag)


def _figures(conn: psycopg.Connection[TupleRow]) -> list[Metric]:
    """The figures of the core and of features, all read by the time that this returns."""
    behind = lag(conn)
    figures: list[Metric] = [
        GaugeMetricFamily("league_log_position", "The position of the last event.", behind.head),
        GaugeMetricFamily("league_read_position", "The position of the read side.", behind.position),
        GaugeMetricFamily("league_lag_seconds", "The age of the oldest event not yet read.", behind.seconds),
        GaugeMetricFamily("league_replay_queue", "Replays that wait or run.", _one(conn, _QUEUE)),
    ]
    if (signed := _one(conn, _SIGNED)) is not None:
        figures.append(GaugeMetricFamily("league_signing_age_seconds", "The age of the newest signed head.", signed))
    for more in declared("figures"):
        figures += more(conn)
    return figures


def _one(conn: psycopg.Connection[TupleRow], query: str) -> Any:
    """The value that a query finds; None without a row."""
    row = conn.execute(query).fetchone()
    return None if row is None else row[0]


async def _refusal(context: Context, authorization: str | None) -> Response | None:
    try:
        context.session = await session_of(context, authorization)
    except BadToken as error:
        return _unauthorized(str(error))
    if context.viewer.sub is None:
        return _unauthorized("From another machine this needs a token with the role admin or auditor.")
    if not context.viewer.may("readLogDetails"):
        return PlainTextResponse("This needs the role admin or auditor.\n", status_code=403)
    return None


def _unauthorized(message: str) -> Response:
    return PlainTextResponse(f"{message}\n", status_code=401, headers={"WWW-Authenticate": "Bearer"})
