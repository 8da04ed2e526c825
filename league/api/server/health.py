"""Health checks for load balancers and people: whether the process is alive, and whether it can serve."""

import asyncio
import math
import time
from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy import Engine, text
from starlette.requests import Request
from starlette.responses import JSONResponse

from league.api.graphql.threads import in_thread
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.migrations import newest_migration
from league.projections.projector import lag

LONGEST_LAG = 10.0
"""The most seconds that the read side may be behind the log."""

KEPT = 1.0
"""Seconds for which an answer of `/readyz` is kept: anyone may ask, and a look takes a thread of the queries."""


async def healthz(_: Request) -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "ok"})


class Readiness:
    """Answers `/readyz`: whether the league can be served."""

    def __init__(self, engine: Engine, store: EventStore) -> None:
        self._engine, self._store = engine, store
        self._looking = asyncio.Lock()
        self._figures: dict[str, Any] = {}
        self._looked = -math.inf

    async def answer(self, _: Request) -> JSONResponse:
        """The database answers, takes writes, is migrated, holds a league, and its read side is close; otherwise 503.

        Requests within a second share a look at the database.
        """
        async with self._looking:
            if time.monotonic() - self._looked >= KEPT:
                self._figures = await in_thread(look, self._engine, self._store)
                self._looked = time.monotonic()
        return JSONResponse(self._figures, status_code=200 if self._figures["ready"] else 503)


def look(engine: Engine, store: EventStore) -> dict[str, Any]:
    """The figures of readiness, as far as they are available."""
    figures: dict[str, Any] = {"ready": False, "database": False, "migrated": False, "league": False, "writable": False}
    try:
        with engine.connect() as conn:
            figures["database"] = True
            version = conn.execute(text("SELECT version_num FROM alembic_version")).scalar()
            figures["migrated"] = version == newest_migration()
            figures["league"] = bool(conn.execute(text("SELECT EXISTS (SELECT FROM stored_events)")).scalar())
            behind = lag(conn.connection.driver_connection)  # type: ignore[arg-type]  # psycopg's own connection
        figures["writable"] = store.can_write()
    except (sqlalchemy.exc.SQLAlchemyError, psycopg.Error, StoreUnavailable) as error:
        # The driver's message may name hosts and users; the class of the error is enough.
        figures["error"] = type(error).__name__
        return figures
    figures |= {"position": behind.position, "head": behind.head, "lag_seconds": round(behind.seconds, 3)}
    close = behind.seconds <= LONGEST_LAG
    figures["ready"] = figures["migrated"] and figures["league"] and figures["writable"] and close
    return figures
