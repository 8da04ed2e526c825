"""`/metrics`: figures for Prometheus, for this machine and for those who may see the log."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from psycopg.rows import TupleRow
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from league.api.auth.tokens import BadToken
from league.api.graphql.context import Context
from league.api.graphql.threads import in_probing_thread
from league.api.server.addresses import address_of
from league.api.server.http import NewContext, charged, session_of
from league.infra.probe import DatabaseAway, Probe
from league.projections.projector import Lag, lag

_QUEUE = "SELECT count(*) FROM replays WHERE unfinished"
# The newest by position: a clock that once ran ahead may have dated an earlier one later.
_SIGNED = (
    "SELECT extract(epoch FROM clock_timestamp() - signed_at)::float8 FROM signed_heads"
    " ORDER BY position DESC, signed_at DESC LIMIT 1"
)
_TABLES = "SELECT phase, count(*) AS tables FROM live_tables GROUP BY phase"
_AI_TURNS = (
    "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(changed_at)), 0)::float8"
    " FROM live_tables WHERE ai_seat IS NOT NULL"
)
_OVERDUE = "SELECT count(*) FROM live_tables WHERE due_at < clock_timestamp() - interval '1 second'"
_PHASES = ("open", "shuffling", "offering", "playing", "paused")


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

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The figures; without the database only that it is away, and why."""
        try:
            figures = self._probe.ask(_read)
        except (DatabaseAway, psycopg.Error) as error:
            yield GaugeMetricFamily("league_database_up", "Whether the database answers.", 0)
            why = GaugeMetricFamily("league_database_away", "Why the database does not answer.", labels=["reason"])
            why.add_metric([error.reason if isinstance(error, DatabaseAway) else "error"], 1)
            yield why
            return
        behind = figures.behind
        yield GaugeMetricFamily("league_database_up", "Whether the database answers.", 1)
        yield GaugeMetricFamily("league_log_position", "The position of the last event.", behind.head)
        yield GaugeMetricFamily("league_read_position", "The position of the read side.", behind.position)
        yield GaugeMetricFamily("league_lag_seconds", "The age of the oldest event not yet read.", behind.seconds)
        yield GaugeMetricFamily("league_replay_queue", "Replays that wait or run.", figures.queue)
        phases = GaugeMetricFamily("league_live_tables", "Live tables, by what they are doing.", labels=["phase"])
        for phase in _PHASES:
            phases.add_metric([phase], figures.tables.get(phase, 0))
        yield phases
        yield GaugeMetricFamily(
            "league_overdue_tables", "Live tables whose deadline passed a second ago.", figures.overdue
        )
        yield GaugeMetricFamily("league_ai_turns", "Live tables at which it is the turn of an AI.", figures.ai_turns)
        yield GaugeMetricFamily(
            "league_ai_turn_seconds", "How long the longest of these turns has lasted.", figures.oldest
        )
        if figures.signed is not None:
            yield GaugeMetricFamily("league_signing_age_seconds", "The age of the newest signed head.", figures.signed)


class _Figures(NamedTuple):
    behind: Lag
    queue: int
    signed: float | None
    tables: dict[str, int]
    ai_turns: int
    oldest: float
    overdue: int


def _read(conn: psycopg.Connection[TupleRow]) -> _Figures:
    def one(query: str) -> Any:
        return conn.execute(query).fetchone() or (None, None)

    tables: dict[str, int] = dict(conn.execute(_TABLES).fetchall())
    ai_turns, oldest = one(_AI_TURNS)
    return _Figures(lag(conn), one(_QUEUE)[0], one(_SIGNED)[0], tables, ai_turns, oldest, one(_OVERDUE)[0])


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
