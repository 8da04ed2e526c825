"""Signed heads of the log, as they are stored."""

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
    """A signed head as it is stored."""

    position: int
    hash: bytes
    root: bytes
    signed_at: datetime
    key: bytes
    signature: bytes
    peaks: bytes


LATEST_FIRST = Order((h.position, h.signature), descending=True)


def heads() -> Query:
    """Every head that is stored, genuine or not; a row is what `stored_head` takes."""
    return select(*h)
