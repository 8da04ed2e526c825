"""Signed heads: the state of the log when the league signed it."""

from datetime import datetime

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Listed, paged
from league.audit.signed_heads import Head, as_json, stored_head
from league.projections.queries import heads as reads
from league.projections.queries.heads import HeadRow


@strawberry.type(
    description="The state of the log when the league signed it. Kept elsewhere, it shows later that nothing was "
    "changed, moved or dropped; docs/verify.md describes the signed bytes. Check the signature with a key that "
    "you received through another channel."
)
class SignedHead:
    position: BigInt = field(description="The position of the last event that it covers.")
    hash: str = field(description="The hash of that event, in hexadecimal digits.")
    root: str = field(description="The root of the Merkle tree over all events up to it, in hexadecimal digits.")
    signed_at: datetime = field(description="When it was signed.")
    key: str = field(description="The public key (Ed25519), in hexadecimal digits.")
    signature: str = field(description="The signature: 64 bytes, in hexadecimal digits.")
    peaks: list[str] = field(description="The roots of the full trees that the tree consists of, largest first.")
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
    @field_of(
        SignedHead | None,
        "The latest signed head: signed with the league's key, or with any key where this "
        "server has none. Null: nothing is signed.",
    )
    async def signed_head(self, info: Info) -> Head | None:
        return await loaders.log.latest_head(info)

    @paged(Connection[SignedHead], "Every stored signed head, signed with any key, the latest first.")
    def signed_heads(self) -> Listed[HeadRow]:
        return Listed(HeadRow, lambda _: (reads.heads(), reads.LATEST_FIRST), lambda row: stored_head(*row))
