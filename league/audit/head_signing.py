"""Heads and proofs of the league's own log: sign and store heads, read them, make proofs under them.

Each proof is checked before it is returned, so no invalid proof is handed out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from league.audit.merkle import AT_ONCE, MerkleTree, middle, node, root_over
from league.audit.proofs import BadHeadTime, BadProof, check_consistency, check_proof, make_consistency, make_proof
from league.audit.signed_heads import CLOCK_TOLERANCE, LogHead, is_genuine, raw, sign, stored_head
from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import FIRST, Conn, HashedRow, decode, hash_of, moment
from league.infra.database import connect, database_time

# ---------------------------------------------------------------- heads


MOST_TRIED = 10
"""How many heads are read in search of a genuine one: some may be forged."""

HEAD_EVERY = timedelta(hours=1)
"""The interval at which a growing log is signed: at most this much of it relies on the chain alone."""

SIGNING = 7_120_434_000
"""The key of the advisory lock that a process holds while it signs a head."""

_COLUMNS = "position, hash, root, signed_at, key, signature, peaks"


class ChainBroken(Exception):
    """An event is missing, or not chained to the one before it; such a log is not signed."""

    def __init__(self, position: int) -> None:
        super().__init__(
            say(
                "the event at {position} is missing, or not chained to the one before it; see `league verify`",
                position=position,
            )
        )
        self.position = position


class NewSigningKey(Exception):
    """The key has signed no head yet, but another key has: a mistake unless the caller confirms the change."""

    def __init__(self, key: bytes, before: bytes) -> None:
        super().__init__(
            say(
                "the heads so far are signed by {hex}, and the configured key is {hex_2}; if the league changes "
                "its key, say so once: `league heads sign --new-key`",
                hex=before.hex(),
                hex_2=key.hex(),
            )
        )
        self.key = key
        self.before = before


def stored_heads(conn: Conn) -> list[LogHead]:
    """All heads in the order of the log, genuine or not."""
    rows = conn.execute(f"SELECT {_COLUMNS} FROM signed_heads ORDER BY position, signed_at, key").fetchall()  # noqa: S608  # constants of this file
    return [stored_head(*row) for row in rows]


def last_head(conn: Conn, keys: Collection[bytes] = ()) -> LogHead | None:
    """The latest genuine head by one of these public keys, or by any key if none is given; None if there is none."""
    query = f"SELECT {_COLUMNS} FROM signed_heads WHERE key = ANY(%s) OR %s ORDER BY position DESC, signed_at DESC"  # noqa: S608  # constants of this file
    # A server-side cursor: almost always the first head matches.
    with conn.cursor("heads") as cursor:
        heads = (stored_head(*row) for row in cursor.execute(query, (list(keys), not keys)))
        return next(filter(is_genuine, heads), None)


def head_at(conn: Conn, key: bytes, position: int) -> LogHead | None:
    """A genuine head by a public key of exactly this position. None if there is none."""
    query = f"SELECT {_COLUMNS} FROM signed_heads WHERE key = %s AND position = %s LIMIT {MOST_TRIED}"  # noqa: S608  # constants of this file
    heads = (stored_head(*row) for row in conn.execute(query, (key, position)).fetchall())
    return next(filter(is_genuine, heads), None)


def peak_over(conn: Conn, key: bytes, start: int, end: int) -> bytes | None:
    """The root over the events from `start + 1` to `end`, if a genuine head by this key has it as a peak; else None.

    A subtree is a peak if it is a full left subtree, and the head lies inside the matching right subtree.
    """
    size = end - start
    if size.bit_count() != 1 or start % (2 * size) != 0:
        return None
    query = (
        f"SELECT {_COLUMNS} FROM signed_heads WHERE key = %s AND position >= %s AND position < %s LIMIT {MOST_TRIED}"  # noqa: S608  # constants of this file
    )
    heads = (stored_head(*row) for row in conn.execute(query, (key, end, end + size)).fetchall())
    head = next(filter(is_genuine, heads), None)
    # It is preceded by the peaks of the larger powers of two in the position.
    return None if head is None else head.peaks[(head.position >> size.bit_length()).bit_count()]


@contextmanager
def signing(url: str) -> Iterator[Conn]:
    """A connection for `sign_head`, which reads one state of the log. A lock lets only one process sign at a time."""
    with connect(url, autocommit=True) as conn:
        # Held until the connection closes. Without it a head could be dated after one that is signed over more events.
        conn.execute("SELECT pg_advisory_lock(%s)", (SIGNING,))
        with conn.transaction():
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield conn


def sign_head(conn: Conn, key: Ed25519PrivateKey, *, new_key: bool = False, until: int | None = None) -> LogHead | None:
    """Sign the log as it is, or only its events up to a position; None for an empty log.

    Returns this key's last head if that covers these events. Reads only the events since that head and checks them as
    `league verify` does. `new_key`: allow a key that has signed nothing although another key has. `conn` comes from
    `signing`. Raises ChainBroken, NewSigningKey.
    """
    public = raw(key.public_key())
    before = last_head(conn, [public])
    if before is None and not new_key and (other := last_head(conn)) is not None:
        raise NewSigningKey(public, other.key)
    tree = MerkleTree() if before is None else MerkleTree(before.position, before.peaks)
    start, last, encoded = tree.size, FIRST if before is None else before.hash, b""
    if encoded_rows.head_of(conn) < start:
        raise ChainBroken(start)
    if (bad := encoded_rows.first_out_of_order(conn, start)) is not None:
        raise ChainBroken(bad)
    leaves: list[bytes] = []
    count = None if until is None else max(0, until - start)
    with closing(encoded_rows.rows(conn, start)) as rows:
        for encoded, hash_ in islice(rows, count):
            if hash_of(last, encoded) != hash_:
                raise ChainBroken(tree.size + len(leaves) + 1)
            last = hash_
            leaves.append(hash_)
            if len(leaves) == AT_ONCE:
                tree.extend(leaves)
                leaves.clear()
    tree.extend(leaves)
    if tree.size == start:
        return before
    head = sign(key, tree, last, _time_to_sign(conn, moment(decode(encoded).recorded_at), before))
    store(conn, head)
    return head


def _time_to_sign(conn: Conn, recorded_at: datetime, before: LogHead | None) -> datetime:
    """The database's time. If its clock was set back: the time of the event or of this key's last head, if later.

    A last head that is dated more than a few minutes in the future is a fault itself, so its time is ignored.
    """
    now = database_time(conn)
    at = max(now, recorded_at)
    return at if before is None or before.signed_at > now + CLOCK_TOLERANCE else max(at, before.signed_at)


def store(conn: Conn, head: LogHead) -> None:
    """Store a head with the log."""
    conn.execute(
        f"INSERT INTO signed_heads ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)",  # noqa: S608  # constants of this file
        (head.position, head.hash, head.root, head.signed_at, head.key, head.signature, b"".join(head.peaks)),
    )


DUE_NOW = datetime.min.replace(tzinfo=UTC)
"""A time that is past by every clock, also by one that is behind that of the database."""


def due_at(conn: Conn, key: Ed25519PrivateKey, now: datetime) -> datetime | None:
    """When the log is to be signed next; None while it is as this key's last head says. A truncated log differs too.

    A head that is dated in the future counts as old: a clock that once ran ahead does not stop the signing.
    """
    last, position = last_head(conn, [raw(key.public_key())]), encoded_rows.head_of(conn)
    if last is None:
        return DUE_NOW if position > 0 else None
    if position == last.position:
        return None
    return DUE_NOW if last.signed_at > now else last.signed_at + HEAD_EVERY


def is_due(conn: Conn, key: Ed25519PrivateKey, now: datetime) -> bool:
    """Whether the log is to be signed now."""
    due = due_at(conn, key, now)
    return due is not None and due <= now


# ---------------------------------------------------------------- proofs


VERIFY = say("`league verify` says where the log is not what was signed")


def prove_events(conn: Conn, events: Sequence[tuple[HashedRow, bytes, bytes]], head: LogHead) -> bytes:
    """The proof of events under a genuine head that includes all of them.

    `conn` reads one state of the log. Raises WrongState if the log is not what was signed.
    """
    text = _file(make_proof(events, head, lambda start, end: root_of(conn, head.key, start, end)))
    try:
        check_proof(text, [head.key], database_time(conn))
    except BadHeadTime as error:
        raise _dated_wrong(error, head) from error
    except BadProof as error:
        stream = events[0][0].stream
        raise WrongState(stream, say("not what was signed"), f"{error}; {VERIFY}") from error
    return text


def prove_growth(conn: Conn, kept: LogHead, head: LogHead) -> bytes:
    """The proof that the log of a genuine head extends the log of `kept`, a head that is not later.

    `conn` reads one state of the log. Raises WrongState if the log is not what was signed.
    """
    text = _file(make_consistency(kept.position, head, lambda start, end: root_of(conn, head.key, start, end)))
    try:
        check_consistency(text, [kept], [kept.key, head.key], database_time(conn))
    except BadHeadTime as error:
        raise _dated_wrong(error, head) from error
    except BadProof as error:
        raise WrongState(
            say("the head at {position}", position=kept.position), say("of another log"), f"{error}; {VERIFY}"
        ) from error
    return text


def _dated_wrong(error: BadHeadTime, head: LogHead) -> WrongState:
    return WrongState(say("a proof under the head at {position}", position=head.position), say("refused"), str(error))


def root_of(conn: Conn, key: bytes, start: int, end: int) -> bytes:
    """The root over the events from `start + 1` to `end`, which form a subtree of the log's tree.

    Roots that are peaks of heads by this key are not computed again, so a proof does not read the whole log.
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
