"""Rate limits: how many points of query cost each client may spend in a minute."""

import asyncio
import ipaddress
import math
import time
from collections import Counter
from typing import Any

import structlog
from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.storage import Storage as SharedStorage
from limits.errors import StorageError
from limits.storage import MemoryStorage
from msgspec import Struct
from redis.asyncio import ConnectionPool

from league.api.graphql.request_errors import ErrorCode, RequestError

REFUSED = 50
"""Points for a refused request: reading it may take as long as answering a request of this cost."""
MINUTE = 60
SHARE_EVERY = 1.0
"""Seconds after which the processes of a league know of each other's clients."""
NETWORK = 64
"""Bits of an IPv6 address that name a client's network: a client has all addresses in it."""
LONGEST_NAME = 64
"""Limit on the characters of a name that a proxy forwards in place of an address."""
PREFIX = "league-rates"

log = structlog.get_logger()


class RateLimited(RequestError):
    """The client has spent its points of this minute."""

    code = ErrorCode.RATE_LIMITED

    def __init__(self, limit: int, seconds: int) -> None:
        super().__init__(
            f"You may spend {limit} points of query cost a minute. Try again in {seconds} seconds.",
            limit=limit,
            retryAfter=seconds,
        )


class Allowance(Struct, frozen=True):
    """What a client may still spend in this minute, and the seconds that are left of it."""

    limit: int
    remaining: int
    seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """The header fields of draft-ietf-httpapi-ratelimit-headers."""
        return {
            "RateLimit-Policy": f'"points";q={self.limit};w={MINUTE}',
            "RateLimit": f'"points";r={self.remaining};t={self.seconds}',
        }


QUERY_COST = "Query-Cost"


class OperationPrice(Struct, frozen=True):
    """Cost of an operation in points, and the points that its answer took: fewer if it was cached."""

    cost: int
    taken: int

    @property
    def headers(self) -> dict[str, str]:
        """The header field: an item with a parameter, in the form of RFC 9651."""
        return {QUERY_COST: f"{self.cost};taken={self.taken}"}


class RateLimits:
    """Counts the points of all clients in the memory of this process; Redis, if there is one, adds up the processes.

    Minutes begin by the clock, so that all processes count the same ones. A request never waits for Redis.
    """

    def __init__(self, limit: int, redis_url: str | None) -> None:
        self._item = RateLimitItemPerMinute(limit)
        self._counted = MemoryStorage()
        self._redis_url = redis_url
        self._unshared: Counter[tuple[str, int]] = Counter()
        """Points that are not shared yet, by client and minute."""

    def allowance(self, client: str) -> Allowance:
        """What a client may still spend."""
        remaining = max(self._item.amount - self._counted.get(self._key(client)), 0)
        return Allowance(self._item.amount, remaining, math.ceil(MINUTE - time.time() % MINUTE))

    def check(self, client: str) -> None:
        """Raise RateLimited if a client has nothing left."""
        allowance = self.allowance(client)
        if allowance.remaining == 0:
            raise RateLimited(allowance.limit, allowance.seconds)

    def spend(self, client: str, points: int, before: int = 0) -> None:
        """Take points from a client. If it has fewer left, take the points of a refusal and raise RateLimited.

        `before`: the points that the same operation has taken already.
        """
        allowance = self.allowance(client)
        # Where the limit is below the cost of one operation, that operation takes a whole minute.
        points = min(points, max(self._item.amount - before, 0))
        taken = points if points <= allowance.remaining else min(REFUSED, allowance.remaining)
        self.take(client, taken)
        if taken < points:
            raise RateLimited(allowance.limit, allowance.seconds)

    def take(self, client: str, points: int) -> None:
        """Take points for work that is done already, as far as the client has them."""
        taken = min(points, self.allowance(client).remaining)
        if taken:
            self._counted.incr(self._key(client), MINUTE, taken)
            if self._redis_url is not None:
                self._unshared[client, _minute()] += taken

    async def share(self) -> None:
        """Exchange what was spent with the other processes through Redis, again and again, until cancelled."""
        if self._redis_url is None:
            return
        pool = ConnectionPool.from_url(self._redis_url, socket_timeout=SHARE_EVERY, socket_connect_timeout=SHARE_EVERY)
        options: dict[str, Any] = {"connection_pool": pool}
        storage = RedisStorage(
            self._redis_url, implementation="redispy", key_prefix=PREFIX, wrap_exceptions=True, **options
        )
        is_away = False
        try:
            while True:
                await asyncio.sleep(SHARE_EVERY)
                if not self._unshared:
                    continue
                try:
                    await self.exchange(storage)
                    is_away = False
                except StorageError as error:
                    if not is_away:
                        log.warning("redis away: each process limits its clients alone", error=str(error))
                    is_away = True
        finally:
            await pool.disconnect()

    async def exchange(self, storage: SharedStorage) -> None:
        """Add to Redis what was spent here, and count here what was spent elsewhere."""
        unshared, self._unshared = self._unshared, Counter()
        for (client, minute), points in unshared.items():
            if minute == _minute():  # what could not be shared in its minute is forgotten
                key = self._key(client)
                total = await storage.incr(key, MINUTE, points)
                elsewhere = total - self._counted.get(key)
                if elsewhere > 0:
                    self._counted.incr(key, MINUTE, elsewhere)

    def _key(self, client: str) -> str:
        return self._item.key_for(client, str(_minute()))


def _minute() -> int:
    return int(time.time()) // MINUTE


def client_of(sub: str | None, address: str) -> str:
    """The name under which a client's points are counted: its token's subject, else its network."""
    if sub is not None:
        return f"sub {sub}"
    ip = ip_of(address)
    if ip is None:
        return f"peer {address[:LONGEST_NAME]}"
    if isinstance(ip, ipaddress.IPv6Address):
        return f"peer {ipaddress.ip_network((ip, NETWORK), strict=False)}"
    return f"peer {ip}"


def ip_of(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address, as IPv4 even if it is written as IPv6; None for a name, which a proxy may forward."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return mapped or ip
