"""Check the log of a domino league without its program; docs/verify.md says what is checked. Python 3.11, nothing else.

    python check_log.py KEYS log.jsonl heads.json     the log, and that it is what the heads signed
    python check_log.py KEYS proof.json               that events stand in the log; it prints them
    python check_log.py KEYS growth.json heads.json   that the log only grew since the heads that you keep

KEYS: the public keys that you trust, joined by commas, each a file such as key.pem or 64 hexadecimal digits. There
may be several files of heads.
"""

import base64
import json
import struct
import sys
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256, sha512
from pathlib import Path

EVENT = {"position", "version", "recorded_at", "stream", "name", "state", "hash"}
HEAD = {"position", "hash", "root", "signed_at", "key", "signature", "peaks"}
START = datetime(2000, 1, 1, tzinfo=UTC)
MOST_APART = timedelta(minutes=5)
"""How far apart the clocks of those who sign and of those who check may be."""


def check(holds: bool, otherwise: str) -> None:
    """End with what is wrong, unless it holds; Python may run without `assert`."""
    if not holds:
        sys.exit(otherwise)


def note(text: str) -> None:
    """Say what does not count."""
    print(f"note: {text}", file=sys.stderr)


# ---------------------------------------------------------------- what files hold


def read(text: str):
    """The value of a JSON document in which no field comes twice."""
    return json.loads(text, object_pairs_hook=once)


def once(pairs: list[tuple]) -> dict:
    """The fields of an object."""
    check(len(dict(pairs)) == len(pairs), "a field comes twice")
    return dict(pairs)


def number(value: int) -> bytes:
    """A number in 8 bytes."""
    check(type(value) is int, f"no number: {value}")
    return struct.pack(">q", value)


def time(text: str) -> bytes:
    """A time: its microseconds since 2000, as a number. It can be written in one way only."""
    moment = datetime.fromisoformat(text)
    check(moment.tzinfo == UTC and moment.isoformat().replace("+00:00", "Z") == text, f"no time: {text}")
    return number((moment - START) // timedelta(microseconds=1))


def digits(text: str) -> bytes:
    """The bytes of hexadecimal digits, which are written small."""
    value = bytes.fromhex(text)
    check(value.hex() == text, f"no hexadecimal digits: {text}")
    return value


def stored(text: str) -> bytes:
    """The bytes of a text in base64. The bits that stand for nothing are 0."""
    value = base64.b64decode(text, validate=True)
    check(base64.b64encode(value).decode() == text, f"no base64: {text}")
    return value


# ---------------------------------------------------------------- the chain and the tree


def event_hash(event: dict, before: bytes) -> bytes:
    """The hash of an event after one whose hash is `before`."""
    check(event.keys() == EVENT, "no event")
    parts = [number(event["position"]), number(event["version"]), time(event["recorded_at"])]
    parts += [event["stream"].encode(), event["name"].encode(), stored(event["state"])]
    return sha256(b"\x00" + before + b"".join(struct.pack(">I", len(part)) + part for part in parts)).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash over two trees."""
    return sha256(b"\x01" + left + right).digest()


def grow(trees: list[tuple[int, bytes]], leaf: bytes) -> None:
    """Add a leaf to full trees of 2^n leaves, each with its size and its root, the largest first."""
    trees.append((1, leaf))
    while len(trees) > 1 and trees[-2][0] == trees[-1][0]:
        (size, right), (_, left) = trees.pop(), trees.pop()
        trees.append((2 * size, node(left, right)))


def root(peaks: list[bytes]) -> bytes:
    """The root of a tree that consists of full ones with these roots, the largest first."""
    *others, whole = peaks
    for peak in reversed(others):
        whole = node(peak, whole)
    return whole


def climb(hash_: bytes, leaf: int, size: int, path: list[bytes]) -> bytes:
    """The root of a tree, from one of its leaves, counted from 0, and its path (RFC 9162, 2.1.3.2)."""
    last = size - 1
    for other in path:
        check(last > 0, "the path has another length")
        if leaf % 2 or leaf == last:
            hash_ = node(other, hash_)
            while leaf and not leaf % 2:
                leaf, last = leaf // 2, last // 2
        else:
            hash_ = node(hash_, other)
        leaf, last = leaf // 2, last // 2
    check(last == 0, "the path has another length")
    return hash_


def climb_both(first: int, first_root: bytes, size: int, path: list[bytes]) -> tuple[bytes, bytes]:
    """The roots of the tree over the first leaves, and of that over all of them (RFC 9162, 2.1.4.2)."""
    if first == size:
        check(not path, "the path has another length")
        return first_root, first_root
    leaf, last = first - 1, size - 1
    if first & (first - 1) == 0:
        path = [first_root, *path]
    while leaf % 2:
        leaf, last = leaf // 2, last // 2
    check(len(path) > 0, "the path has another length")
    old = new = path[0]
    for other in path[1:]:
        check(last > 0, "the path has another length")
        if leaf % 2 or leaf == last:
            old, new = node(other, old), node(other, new)
            while leaf and not leaf % 2:
                leaf, last = leaf // 2, last // 2
        else:
            new = node(new, other)
        leaf, last = leaf // 2, last // 2
    check(last == 0, "the path has another length")
    return old, new


# ---------------------------------------------------------------- Ed25519 (RFC 8032, 5.1)

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME

Point = tuple[int, int, int, int]
"""X, Y, Z and T: the point is at x = X/Z and y = Y/Z, and T = XY/Z."""


def add(one: Point, other: Point) -> Point:
    """The sum of two points."""
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % PRIME, (y1 + x1) * (y2 + x2) % PRIME
    c, d = 2 * t1 * t2 * CURVE % PRIME, 2 * z1 * z2 % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def multiply(factor: int, point: Point) -> Point:
    """A point so many times."""
    total = (0, 1, 1, 0)
    while factor:
        if factor % 2:
            total = add(total, point)
        point, factor = add(point, point), factor // 2
    return total


def point_of(encoded: bytes) -> Point | None:
    """The point of 32 bytes: y, and in the highest bit whether x is odd. None: there is no such point."""
    odd, y = divmod(int.from_bytes(encoded, "little"), 2**255)
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if x * x % PRIME != square:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if len(encoded) != 32 or y >= PRIME or x * x % PRIME != square or (x == 0 and odd):
        return None
    x = x if x % 2 == odd else PRIME - x
    return x, y, 1, x * y % PRIME


def encoded(point: Point) -> bytes:
    """The 32 bytes of a point."""
    x, y, z, _ = point
    inverse = pow(z, -1, PRIME)
    return (y * inverse % PRIME | (x * inverse % PRIME % 2) << 255).to_bytes(32, "little")


BASE = point_of((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of a public key has signed a message."""
    point, first, factor = point_of(key), signature[:32], int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or factor >= ORDER:
        return False
    x, y, z, t = point
    challenge = int.from_bytes(sha512(first + key + message).digest(), "little") % ORDER
    return encoded(add(multiply(factor, BASE), multiply(challenge, (-x % PRIME, y, z, -t % PRIME)))) == first


# ---------------------------------------------------------------- heads, logs and proofs


def check_head(head: dict, keys: list[str]) -> None:
    """A head is what a key that you trust has signed."""
    check(head.keys() == HEAD, "no head")
    check(head["key"] in keys, f"the head at {head['position']} is signed by another key: {head['key']}")
    position, hash_, whole = head["position"], digits(head["hash"]), digits(head["root"])
    signed = b"\x02" + number(position) + time(head["signed_at"]) + hash_ + whole
    check(position > 0 and len(hash_) == len(whole) == 32, "no head")
    check(is_signed(digits(head["key"]), signed, digits(head["signature"])), f"the head at {position} is not signed")
    peaks = [digits(peak) for peak in head["peaks"]]
    check(len(peaks) == position.bit_count() and all(len(peak) == 32 for peak in peaks), "no head: its peaks")
    check(root(peaks) == whole, f"the peaks of the head at {position} do not give its root")
    signed_at = datetime.fromisoformat(head["signed_at"])
    check(signed_at <= datetime.now(UTC) + MOST_APART, f"the clock: the head at {position} is of the future")


def check_not_before(head: dict, event: dict) -> None:
    """A head was signed after an event that it covers; clocks may differ a little."""
    signed_at, recorded = datetime.fromisoformat(head["signed_at"]), datetime.fromisoformat(event["recorded_at"])
    check(recorded - signed_at <= MOST_APART, f"the clock: the head at {head['position']} is older than its events")


def check_times(heads: list[dict]) -> None:
    """A key signs more of the log later, never earlier."""
    earliest = {}  # by key, of the heads that sign more
    times = [(head["position"], datetime.fromisoformat(head["signed_at"]), head["key"]) for head in heads]
    for position, signed_at, key in sorted(times, reverse=True):
        first = earliest.setdefault(key, signed_at)
        check(signed_at <= first, f"the clock: the head at {position} is of a later time than one that signs more")
        earliest[key] = signed_at


def check_log(lines: Iterable[str], heads: list[dict], keys: list[str]) -> None:
    """A log is in order and chained, and goes through the heads, of which one at least is by a key that you trust."""
    counting = defaultdict(list)
    for head in heads:
        if head["key"] in keys:
            check_head(head, keys)
            counting[head["position"]].append(head)
        else:
            note(f"the head at {head['position']} does not count: it is signed by {head['key']}")
    check(len(counting) > 0 or not heads, "no head is signed by a key that you trust")
    check_times([head for same in counting.values() for head in same])
    position, before, last, versions, trees = 0, bytes(32), b"", defaultdict(int), []
    for position, event in enumerate(map(read, lines), 1):
        hash_, stream, recorded = (
            event_hash(event, before),
            event["stream"],
            datetime.fromisoformat(event["recorded_at"]),
        )
        versions[stream] += 1
        check((event["position"], event["version"]) == (position, versions[stream]), f"the order at {position}")
        check(position == 1 or recorded > last, f"the time at {position}")
        check(hash_.hex() == event["hash"], f"the hash at {position}")
        grow(trees, hash_)
        whole = root([peak for _, peak in trees]) if position in counting else b""
        for head in counting.pop(position, []):
            check((head["hash"], head["root"]) == (hash_.hex(), whole.hex()), f"written anew, at {position} or before")
            check_not_before(head, event)
        before, last = hash_, recorded
    check(not counting, f"events after {position} are gone: a head signs position {max(counting, default=0)}")
    check(position > 0, "the log is empty")
    if not heads:
        note("no head was given: the last events may be gone, or all of it written anew")


def check_events(proof: dict, keys: list[str]) -> None:
    """The events of a proof stand in the log under its head. Prints them."""
    check(proof.keys() == {"format", "head", "events"}, "no proof")
    head, last = proof["head"], 0
    check_head(head, keys)
    check(len(proof["events"]) > 0, "the proof has no event")
    for one in proof["events"]:
        check(one.keys() == {"event", "before", "path"}, "no proof")
        event, path = one["event"], [digits(step) for step in one["path"]]
        hash_, position = event_hash(event, digits(one["before"])), event["position"]
        check(hash_.hex() == event["hash"], f"the hash at {position}")
        check(last < position <= head["position"], "the events are not in order, or lie beyond the head")
        check(climb(hash_, position - 1, head["position"], path).hex() == head["root"], f"the path at {position}")
        check_not_before(head, event)
        last, state = position, stored(event["state"]).decode()
        print(json.dumps([position, event["recorded_at"], event["stream"], event["version"], event["name"], state]))


def check_growth(proof: dict, heads: list[dict], keys: list[str]) -> None:
    """The log of the proof's head began as the head says that you keep."""
    check(proof.keys() == {"format", "since", "head", "path"}, "no proof")
    head, since, path = proof["head"], proof["since"], [digits(step) for step in proof["path"]]
    kept = [one for one in heads if one["position"] == since]
    check(len(kept) > 0, "no head is kept of this position")
    for one in [head, *kept]:
        check_head(one, keys)
    check(since <= head["position"], "the new head is the older one")
    for one in kept:
        old, new = climb_both(since, digits(one["root"]), head["position"], path)
        check((old.hex(), new.hex()) == (one["root"], head["root"]), "the log did not only grow")
    check_times([head, *kept])


def public_key(given: str) -> str:
    """The hexadecimal digits of a key, which may stand in a file as PEM."""
    if not given.endswith(".pem"):
        return given
    kind_and_key = base64.b64decode(Path(given).read_text(encoding="utf-8").split("-----")[2])
    check(kind_and_key[:-32].hex() == "302a300506032b6570032100", f"{given} is no public key of Ed25519")
    return kind_and_key[-32:].hex()


def main(keys: list[str], file: Path, more: list[Path]) -> None:
    """Check a file, with the heads in others."""
    heads = []
    for name in more:
        found = read(name.read_text(encoding="utf-8"))
        found = found if isinstance(found, list) else [found]
        check(len(found) > 0, f"{name} holds no head")
        heads += found
    if file.suffix == ".jsonl":
        with file.open(encoding="utf-8", newline="\n") as lines:
            check_log(lines, heads, keys)
    else:
        proof = read(file.read_text(encoding="utf-8"))
        if proof["format"] == "league-consistency/1":
            check_growth(proof, heads, keys)
        else:
            check(proof["format"] == "league-proof/1", "no proof")
            check_events(proof, keys)
    print("all is well")


UNREADABLE = ValueError, TypeError, KeyError, AttributeError, IndexError, struct.error, RecursionError, OSError

if __name__ == "__main__":
    check(len(sys.argv) > 2, str(__doc__))
    given, file, *more = sys.argv[1:]
    try:
        main([public_key(one) for one in given.split(",")], Path(file), [Path(name) for name in more])
    except UNREADABLE as error:
        sys.exit(f"it cannot be read: {error!r}")
