"""What the log stood at when it was signed, and that a match stands in it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.relay import Connection, Listed, paged
from league.api.graphql.request_errors import RequestError
from league.api.graphql.scalars import BigInt
from league.audit.head_signing import last_head
from league.audit.log_proofs import prove_events
from league.audit.signed_heads import Head, as_json, raw, stored_head
from league.domain.refusals import WrongState
from league.eventlog import encoded_rows
from league.projections.queries import heads as reads
from league.projections.queries.snapshot import Snapshot


@strawberry.type(
    description="What the log stood at when the league signed it. Kept elsewhere, it shows later that nothing was "
    "changed, moved or dropped; docs/verify.md says byte by byte what is signed. Check the signature with a key that "
    "you got by another way."
)
class SignedHead:
    position: BigInt = field(description="Of the last event that it covers.")
    hash: str = field(description="Of that event, in hexadecimal digits.")
    root: str = field(description="Of the Merkle tree over all events up to it, in hexadecimal digits.")
    signed_at: datetime = field(description="When it was signed.")
    key: str = field(description="The public key (Ed25519), in hexadecimal digits.")
    signature: str = field(description="64 bytes, in hexadecimal digits.")
    peaks: list[str] = field(description="Roots of the full trees that the tree consists of, the largest first.")
    document: str = field(description="The head as a JSON document: the file to keep, which `league verify` reads.")

    @classmethod
    def of(cls, head: Head) -> "SignedHead":
        """A head."""
        written = as_json(head)
        return cls(
            position=BigInt(written.position),
            hash=written.hash,
            root=written.root,
            signed_at=written.signed_at,
            key=written.key,
            signature=written.signature,
            peaks=list(written.peaks),
            document=msgspec.json.encode(written).decode(),
        )


@strawberry.type
class SignedHeadQueries:
    @field(
        description="The signed head furthest on: by the key with which the league signs, or by anybody where this "
        "server has none. Null: nothing is signed."
    )
    async def signed_head(self, info: Info) -> SignedHead | None:
        head = await info.context.reader.read(_last_head, _keys(info))
        return None if head is None else SignedHead.of(head)

    @paged(Connection[SignedHead], "Every signed head that is stored, by whatever key, the furthest on first.")
    def signed_heads(self) -> Listed:
        return Listed(
            lambda _: (reads.heads(), reads.LATEST_FIRST), lambda row: SignedHead.of(stored_head(*tuple(row)))
        )


async def proof_of_match(info: Info, match: str) -> str | None:
    """The proof of a match under the last head; None while that does not sign all of it. Raises RequestError."""
    try:
        return await info.context.reader.read(_proof, match, _keys(info))
    except WrongState as broken:
        raise RequestError(f"There is no proof: {broken.message}.") from None


def _proof(snapshot: Snapshot, match: str, keys: Sequence[bytes]) -> str | None:
    conn, head = _psycopg(snapshot), _last_head(snapshot, keys)
    events = encoded_rows.events_of(conn, stream=f"match:{match}")
    if head is None or not events or head.position < events[-1][0].position:
        return None
    return prove_events(conn, events, head).decode()


def _last_head(snapshot: Snapshot, keys: Sequence[bytes]) -> Head | None:
    return last_head(_psycopg(snapshot), keys)


def _psycopg(snapshot: Snapshot) -> Any:
    return snapshot.conn.connection.driver_connection


def _keys(info: Info) -> list[bytes]:
    key = info.context.league.key
    return [] if key is None else [raw(key.public_key())]
