"""Signed heads of the log, as stored."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BigInteger, DateTime, LargeBinary, column, select, table

from league.projections.queries.pages import Order, Query

signed_heads = table(
    "signed_heads",
    column("position", BigInteger),
    column("hash", LargeBinary),
    column("root", LargeBinary),
    column("signed_at", DateTime(timezone=True)),
    column("key", LargeBinary),
    column("signature", LargeBinary),
    column("peaks", LargeBinary),
)
h = signed_heads.c


class HeadRow(NamedTuple):
    """A signed head as stored."""

    position: int
    hash: bytes
    root: bytes
    signed_at: datetime
    key: bytes
    signature: bytes
    peaks: bytes


LATEST_FIRST = Order((h.position, h.signature), descending=True)


def heads() -> Query:
    """Every stored head, genuine or not; `stored_head` takes its rows."""
    return select(*h)
