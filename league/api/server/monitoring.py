"""Answers load balancers and Prometheus: whether the process is alive, whether it can serve, and its figures.

Each of several web processes writes its figures to a folder. The one that is asked reads them all.
"""

import asyncio
import fcntl
import math
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import psycopg
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from psycopg.rows import TupleRow
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from league.api.auth.tokens import BadToken
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.replicas import Replica, Replicas
from league.api.graphql.threads import in_probing_thread
from league.api.schema_part import SchemaPart
from league.api.server.endpoints import NewContext, address_of, charged, session_of
from league.application.following import WITHOUT, companions_of
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.features import declared
from league.infra.database import REASON_SENTENCES
from league.infra.league_version import newest_migration
from league.infra.outages import DatabaseAway, DatabaseProbe
from league.projections.projector import lag
from league.wording.language import error_in_words

LONGEST_LAG = 10.0
"""Limit on the seconds that the read side may be behind the log."""

CACHED = 1.0
"""Seconds for which the answer of `/readyz` is cached: anyone may ask, and all requests share one connection."""

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Variable with the folder to which prometheus_client writes the figures of a process. It reads the variable when it is
imported."""

PREFIX = "league-metrics-"

_OF_A_LIVING_PROCESS = re.compile(r"gauge_livesum_(\d+)\.db")


_QUEUE = "SELECT count(*) FROM replays WHERE unfinished"
# The newest by position: a clock that once ran ahead may have given an earlier head a later time.
_SIGNED = (
    "SELECT extract(epoch FROM clock_timestamp() - signed_at)::float8 FROM signed_heads"
    " ORDER BY position DESC, signed_at DESC LIMIT 1"
)


async def healthz(_: Request) -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "ok"})


class Readiness:
    """Answers `/readyz`: whether the league can be served."""

    def __init__(self, probe: DatabaseProbe, store: EventStore, replicas: Replicas) -> None:
        self._probe, self._store, self._replicas = probe, store, replicas
        self._looking = asyncio.Lock()
        self._figures: dict[str, Any] = {}
        self._looked = -math.inf

    async def answer(self, _: Request) -> JSONResponse:
        """200 if the database answers, takes writes, is migrated, holds a league, and its read side is close; else 503.

        Requests within a second share a look at the database, which takes two seconds at most.
        """
        async with self._looking:
            if time.monotonic() - self._looked >= CACHED:
                self._figures = await in_probing_thread(look, self._probe, self._store)
                self._looked = time.monotonic()
        figures = self._figures
        if self._replicas.all:
            figures = {**figures, "replicas": [_seen(*one) for one in enumerate(self._replicas.all, 1)]}
        return JSONResponse(figures, status_code=200 if figures["ready"] else 503)


def _seen(number: int, one: Replica) -> dict[str, Any]:
    """The figures of a replica. The league can be served without replicas. Hosts are not shown."""
    position = None if one.state is None else one.state.position
    return {"replica": number, "standing": one.standing, "position": position, "lag_seconds": round(one.lag, 3)}


def look(probe: DatabaseProbe, store: EventStore) -> dict[str, Any]:
    """The figures of readiness, as far as they are available, and why the database does not answer."""
    figures: dict[str, Any] = {"ready": False, "database": False, "migrated": False, "league": False, "writable": False}

    def ask(conn: psycopg.Connection[TupleRow]) -> None:
        version = conn.execute("SELECT version_num FROM alembic_version").fetchone()
        figures["database"], figures["migrated"] = True, version == (newest_migration(),)
        figures["league"] = conn.execute("SELECT EXISTS (SELECT FROM stored_events)").fetchone() == (True,)
        behind = lag(conn)
        figures["writable"] = store.can_write()
        figures.update(position=behind.position, head=behind.head, lag_seconds=round(behind.seconds, 3))
        companions = companions_of(conn)
        figures.update(projector=companions["projector"], worker=companions["worker"])
        figures["missing"] = [WITHOUT[name] for name, works in companions.items() if not works]

    try:
        probe.ask(ask)
    except DatabaseAway as away:
        return {**figures, "reason": away.reason, "says": REASON_SENTENCES[away.reason]}
    except (psycopg.Error, StoreUnavailable) as error:
        # The driver's message may name hosts and users; the class of the error is enough.
        return {**figures, "error": type(error).__name__}
    close = figures["lag_seconds"] <= LONGEST_LAG
    figures["ready"] = figures["migrated"] and figures["league"] and figures["writable"] and close
    return figures


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

    def __init__(self, probe: DatabaseProbe) -> None:
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
    """Figures of the replicas, as this process knows them."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas

    def collect(self) -> Iterator[Metric]:
        """A figure of each kind for each replica."""
        used = GaugeMetricFamily("league_replica_used", "Whether readers read from the replica.", labels=["replica"])
        position = GaugeMetricFamily(
            "league_replica_position", "The position of the read side on the replica.", labels=["replica"]
        )
        lag = GaugeMetricFamily(
            "league_replica_lag_seconds",
            "Seconds since the replica fell behind; 0 while it has the newest state.",
            labels=["replica"],
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
    for part in declared(SchemaPart):
        if part.figures is not None:
            figures += part.figures(conn)
    return figures


def _one(conn: psycopg.Connection[TupleRow], query: str) -> Any:
    """The value that a query finds; None without a row."""
    row = conn.execute(query).fetchone()
    return None if row is None else row[0]


async def _refusal(context: Context, authorization: str | None) -> Response | None:
    try:
        context.session = await session_of(context, authorization)
    except BadToken as error:
        return _unauthorized(error_in_words(error))
    if context.viewer.sub is None:
        return _unauthorized("From another machine this needs a token with the role admin or auditor.")
    if not context.viewer.may("readLogDetails"):
        return PlainTextResponse("This needs the role admin or auditor.\n", status_code=403)
    return None


def _unauthorized(message: str) -> Response:
    return PlainTextResponse(f"{message}\n", status_code=401, headers={"WWW-Authenticate": "Bearer"})


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Processes that start inside this context share their figures."""
    _remove_folders_of_killed_processes()
    with TemporaryDirectory(prefix=PREFIX) as folder, _locked(Path(folder)):
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def _remove_folders_of_killed_processes() -> None:
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        # Another process has it locked, or it is another user's.
        with suppress(OSError), _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder. The system releases the lock when the process ends. Raises OSError if another process has it."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def without_figures_of(pid: int | None) -> None:
    """Drop the gauges of a process that died. Its counters stay."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]  # prometheus_client does not type it


def registry_to_show(counted: CollectorRegistry) -> CollectorRegistry:
    """The registry that Prometheus reads: of this process, or of all processes if they share their figures."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        ProcessCollector(registry=counted)
        return counted
    of_all = CollectorRegistry()
    MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]  # as above
    of_all.register(ProcessesCollector(Path(folder)))
    return of_all


class ProcessesCollector(Collector):
    """The figures `process_…` of each living process, by the label `pid`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        """Read them from the system."""
        found: dict[str, Metric] = {}
        for file in sorted(self._folder.iterdir()):
            if process := _OF_A_LIVING_PROCESS.fullmatch(file.name):
                pid = process[1]
                for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                    shown = found.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                    for sample in metric.samples:
                        shown.add_sample(sample.name, {"pid": pid}, sample.value)
        yield from found.values()
