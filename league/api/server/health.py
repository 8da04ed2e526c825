"""Health checks for load balancers and people: whether the process is alive, and whether it can serve."""

import asyncio
import math
import time
from typing import Any

import psycopg
from psycopg.rows import TupleRow
from starlette.requests import Request
from starlette.responses import JSONResponse

from league.api.graphql.executing.replicas import Replica, Replicas
from league.api.graphql.threads import in_probing_thread
from league.application.companions import WITHOUT, companions_of
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.database_reasons import SENTENCES
from league.infra.migrations import newest_migration
from league.infra.probe import DatabaseAway, Probe
from league.projections.projector import lag

LONGEST_LAG = 10.0
"""The most seconds that the read side may be behind the log."""

KEPT = 1.0
"""Seconds for which an answer of `/readyz` is kept: anyone may ask, and the looks share one connection."""


async def healthz(_: Request) -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "ok"})


class Readiness:
    """Answers `/readyz`: whether the league can be served."""

    def __init__(self, probe: Probe, store: EventStore, replicas: Replicas) -> None:
        self._probe, self._store, self._replicas = probe, store, replicas
        self._looking = asyncio.Lock()
        self._figures: dict[str, Any] = {}
        self._looked = -math.inf

    async def answer(self, _: Request) -> JSONResponse:
        """The database answers, takes writes, is migrated, holds a league, and its read side is close; otherwise 503.

        Requests within a second share a look at the database, which takes two seconds at most.
        """
        async with self._looking:
            if time.monotonic() - self._looked >= KEPT:
                self._figures = await in_probing_thread(look, self._probe, self._store)
                self._looked = time.monotonic()
        figures = self._figures
        if self._replicas.all:
            figures = {**figures, "replicas": [_seen(*one) for one in enumerate(self._replicas.all, 1)]}
        return JSONResponse(figures, status_code=200 if figures["ready"] else 503)


def _seen(number: int, one: Replica) -> dict[str, Any]:
    """What this process knows of a replica. The league can be served without replicas. Hosts are not shown."""
    position = None if one.state is None else one.state.position
    return {"replica": number, "standing": one.standing, "position": position, "lag_seconds": round(one.lag, 3)}


def look(probe: Probe, store: EventStore) -> dict[str, Any]:
    """The figures of readiness, as far as they are available; and what keeps the database from answering."""
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
        return {**figures, "reason": away.reason, "says": SENTENCES[away.reason]}
    except (psycopg.Error, StoreUnavailable) as error:
        # The driver's message may name hosts and users; the class of the error is enough.
        return {**figures, "error": type(error).__name__}
    close = figures["lag_seconds"] <= LONGEST_LAG
    figures["ready"] = figures["migrated"] and figures["league"] and figures["writable"] and close
    return figures
