"""What a page of a board costs without GraphQL: Starlette answers it from the same SQL. A process of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import uvicorn
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.infra.database import ACT_AS_WRITER

POOL = 8


def app_of(url: str, statement: bytes, parameters: dict[str, Any]) -> Starlette:
    """One path: the page of a board after a value. `statement` reads it, with the value as the parameter `after`."""

    async def configure(connection: AsyncConnection[Any]) -> None:
        await connection.set_autocommit(True)
        await connection.execute(ACT_AS_WRITER)

    pool = AsyncConnectionPool(url, min_size=POOL, max_size=POOL, configure=configure, open=False)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with pool:
            yield

    async def board(request: Request) -> Response:
        after = float(request.query_params["after"])
        async with pool.connection() as connection:
            cursor = await connection.execute(statement, {**parameters, "after": after})
            rows = await cursor.fetchall()
        nodes = [
            {"rank": rank, "value": value, "matches": matches, "player": {"playerId": id_, "displayName": name}}
            for rank, value, matches, id_, name in rows
        ]
        return Response(orjson.dumps({"data": {"board": {"places": {"nodes": nodes}}}}), media_type="application/json")

    return Starlette(routes=[Route("/board", board)], lifespan=lifespan)


def main(url: str, port: str, asked: str) -> None:
    """Serve until the process is asked to stop; `asked` is a file with the statement and its parameters."""
    statement, parameters = orjson.loads(Path(asked).read_bytes())
    app = app_of(url, statement.encode(), parameters)
    uvicorn.run(app, port=int(port), loop="uvloop", http="httptools", access_log=False, log_level="error")


if __name__ == "__main__":
    main(*sys.argv[1:])
