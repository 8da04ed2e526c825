"""Health checks for load balancers and people: whether the process is alive, and whether it can serve."""

from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy import Engine, text
from starlette.requests import Request
from starlette.responses import JSONResponse

from league.api.graphql.threads import in_thread
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.database import newest_migration
from league.projections.projector import lag

LONGEST_LAG = 10.0
"""The most seconds that the read side may be behind the log."""


async def healthz(_: Request) -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> JSONResponse:
    """The database answers, takes writes, is migrated, holds a league, and its read side is close; otherwise 503."""
    figures = await in_thread(look, request.app.state.engine, request.app.state.store)
    return JSONResponse(figures, status_code=200 if figures["ready"] else 503)


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
