"""Proofs of the league's own log. Each is checked before anybody gets it: one that proves nothing is not made."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from league import log_rows
from league.chain import Entry
from league.consistency import check_consistency, make_consistency
from league.domain.refusals import WrongState
from league.head_signing import last_head
from league.log_rows import Conn
from league.merkle import RootOf, root_over
from league.proofs import BadProof, check_proof, make_proof
from league.signed_heads import Head

VERIFY = "`league verify` says where the log is not what was signed"


def prove_events(
    conn: Conn, events: Sequence[tuple[Entry, bytes, bytes]], keys: Collection[bytes]
) -> tuple[bytes, Head]:
    """The file that proves events, of which there is one at least, and the last head by one of these keys.

    Without keys the head may be anybody's. `conn` reads one state of the log. Raises WrongState.
    """
    head, last = last_head(conn, keys), events[-1][0].position
    if head is None or head.position < last:
        raise WrongState(f"the event at {last}", "not signed yet", "`league heads sign` makes a head that signs it")
    text = _file(make_proof(events, head, _root_of(conn)))
    try:
        check_proof(text, [head.key])
    except BadProof as error:
        raise WrongState(f"the event at {last}", "not what was signed", f"{error}; {VERIFY}") from error
    return text, head


def prove_growth(conn: Conn, kept: Head, keys: Collection[bytes]) -> tuple[bytes, Head]:
    """The file that proves that the log began as a genuine head says, and the last head by one of these keys.

    `conn` reads one state of the log. Raises WrongState.
    """
    head = last_head(conn, keys)
    if head is None or head.position < kept.position:
        reason = "no head signs the log so far; `league heads sign` makes one, or the log was cut"
        raise WrongState(f"the head at {kept.position}", "beyond all signed heads", reason)
    text = _file(make_consistency(kept.position, head, _root_of(conn)))
    try:
        check_consistency(text, [kept], [kept.key, head.key])
    except BadProof as error:
        raise WrongState(f"the head at {kept.position}", "of another log", f"{error}; {VERIFY}") from error
    return text, head


def _root_of(conn: Conn) -> RootOf:
    return lambda start, end: root_over(log_rows.hashes(conn, start, end))


def _file(proof: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(proof)) + b"\n"
