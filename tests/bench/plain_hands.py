"""What a recorded hand costs without a league: Starlette appends a row under a lock. A process of its own.

The row has a dense position and a hash over the previous one, and the request has a record, as in the league's log.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
import uvicorn
from psycopg_pool import AsyncConnectionPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

POOL = 16
TABLES = """
    CREATE SCHEMA IF NOT EXISTS plain;
    CREATE TABLE IF NOT EXISTS plain.log (
        stream text, version bigint, name text, state bytea, hash bytea, position bigint UNIQUE,
        recorded_at timestamptz DEFAULT clock_timestamp(), PRIMARY KEY (stream, version)
    );
    CREATE TABLE IF NOT EXISTS plain.requests (
        actor text, key text, input_hash text, position bigint, PRIMARY KEY (actor, key)
    )
"""
NEWEST = "SELECT position, hash FROM plain.log ORDER BY position DESC LIMIT 1"
INSERT = "INSERT INTO plain.log (stream, version, name, state, hash, position) VALUES (%s, %s, %s, %s, %s, %s)"
RECORD = "INSERT INTO plain.requests VALUES ('bench', %s, %s, %s)"


def app_of(url: str) -> Starlette:
    """One path, `/hand`, that stores the JSON that it gets."""
    pool = AsyncConnectionPool(url, min_size=POOL, max_size=POOL, open=False, kwargs={"autocommit": True})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with pool:
            async with pool.connection() as connection:
                await connection.execute(TABLES)
            yield

    async def hand(request: Request) -> Response:
        body = await request.body()
        given, digest = orjson.loads(body), hashlib.sha256(body).hexdigest()
        async with pool.connection() as connection, connection.transaction():
            await connection.execute("LOCK TABLE plain.log IN EXCLUSIVE MODE")
            row = await (await connection.execute(NEWEST)).fetchone()
            position, before = row or (0, bytes(32))
            state = orjson.dumps(given["facts"])
            new = hashlib.sha256(before + state).digest()
            values = [given["stream"], given["version"], "hand-recorded/1", state, new, position + 1]
            await connection.execute(INSERT, values)
            await connection.execute(RECORD, [given["key"], digest, position + 1])
        return Response(orjson.dumps({"position": position + 1}), media_type="application/json")

    return Starlette(routes=[Route("/hand", hand, methods=["POST"])], lifespan=lifespan)


def main(url: str, port: str) -> None:
    """Serve until the process is asked to stop."""
    uvicorn.run(app_of(url), port=int(port), loop="uvloop", http="httptools", access_log=False, log_level="error")


if __name__ == "__main__":
    main(*sys.argv[1:])
