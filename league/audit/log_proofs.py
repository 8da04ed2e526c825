"""Proofs of the league's own log. Each is checked before it is returned, so no invalid proof is handed out."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from league.audit.consistency import check_consistency, make_consistency
from league.audit.head_signing import peak_over
from league.audit.merkle import AT_ONCE, middle, node, root_over
from league.audit.proofs import BadProof, BadTime, check_proof, make_proof
from league.audit.signed_heads import Head
from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn
from league.eventlog.hash_chain import Entry
from league.infra.database import database_time

VERIFY = say("`league verify` says where the log is not what was signed")


def prove_events(conn: Conn, events: Sequence[tuple[Entry, bytes, bytes]], head: Head) -> bytes:
    """The proof of events under a genuine head that includes all of them.

    `conn` reads one state of the log. Raises WrongState if the log is not what was signed.
    """
    text = _file(make_proof(events, head, lambda start, end: root_of(conn, head.key, start, end)))
    try:
        check_proof(text, [head.key], database_time(conn))
    except BadTime as error:
        raise _dated_wrong(error, head) from error
    except BadProof as error:
        stream = events[0][0].stream
        raise WrongState(stream, say("not what was signed"), f"{error}; {VERIFY}") from error
    return text


def prove_growth(conn: Conn, kept: Head, head: Head) -> bytes:
    """The proof that the log of a genuine head extends that of a kept head, which is not the later one.

    `conn` reads one state of the log. Raises WrongState if the log is not what was signed.
    """
    text = _file(make_consistency(kept.position, head, lambda start, end: root_of(conn, head.key, start, end)))
    try:
        check_consistency(text, [kept], [kept.key, head.key], database_time(conn))
    except BadTime as error:
        raise _dated_wrong(error, head) from error
    except BadProof as error:
        raise WrongState(
            say("the head at {position}", position=kept.position), say("of another log"), f"{error}; {VERIFY}"
        ) from error
    return text


def _dated_wrong(error: BadTime, head: Head) -> WrongState:
    return WrongState(say("a proof under the head at {position}", position=head.position), say("refused"), str(error))


def root_of(conn: Conn, key: bytes, start: int, end: int) -> bytes:
    """The root over the events after one position, up to and including another, which form a subtree of the log's tree.

    Roots in heads by this key are not computed again, so that a proof does not read the whole log.
    """
    if end - start <= AT_ONCE:
        return root_over(encoded_rows.hashes(conn, start, end))
    peak = peak_over(conn, key, start, end)
    if peak is not None:
        return peak
    half = middle(start, end)
    return node(root_of(conn, key, start, half), root_of(conn, key, half, end))


def _file(proof: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(proof)) + b"\n"
