"""A log that somebody has touched: whatever they did, it is found, and said where."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from league.audit.merkle import MerkleTree
from league.audit.proofs import entry_of, line_of, read_log, write_log
from league.audit.signed_heads import LogHead, raw, sign
from league.audit.verification import MOST_LISTED, LogReport, verify_log
from league.domain.refusals import WrongState
from league.eventlog.encoded_rows import FIRST, HashedRow, decode, encode, hash_of

Row = tuple[bytes, bytes]

EVENTS = 60
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def chained(entries: Sequence[HashedRow]) -> list[Row]:
    """Rows as an honest store chains them."""
    rows, before = list[Row](), FIRST
    for entry in entries:
        encoded = encode(entry)
        before = hash_of(before, encoded)
        rows.append((encoded, before))
    return rows


def some_entries(seed: int) -> list[HashedRow]:
    """Events of a few streams."""
    chance, versions, entries = random.Random(seed), dict[str, int](), list[HashedRow]()
    for position in range(1, EVENTS + 1):
        stream = chance.choice(("league", "match:á", "match:b", "player:ana"))
        versions[stream] = versions.get(stream, 0) + 1
        state = b'{"hand":%d}' % chance.randrange(1000)
        entries.append(HashedRow(position, versions[stream], position * 7, stream, "hand-recorded/1", state))
    return entries


def head_at(rows: Sequence[Row], position: int) -> LogHead:
    tree = MerkleTree()
    tree.extend([hash_ for _, hash_ in rows[:position]])
    return sign(KEY, tree, rows[position - 1][1], NOON)


def found(report: LogReport) -> list[tuple[str, int | None]]:
    return [(fault.kind, fault.position) for fault in report.faults]


ENTRIES = some_entries(1)
ROWS = chained(ENTRIES)
HEADS = [head_at(ROWS, position) for position in (20, 41, EVENTS)]

places = st.integers(0, EVENTS - 1)


def test_a_log_that_nobody_touched_holds() -> None:
    """Its events are counted, its heads agree, and its tree has the root that was signed."""
    report = verify_log(ROWS, HEADS, [raw(KEY.public_key())])
    assert report == LogReport(EVENTS, ROWS[-1][1], HEADS[-1].root, HEADS, [])


def test_an_empty_log_does_not_hold() -> None:
    """An export that failed is no green light; a head says what is gone."""
    (fault,) = verify_log([]).faults
    assert (fault.kind, fault.part) == ("empty", "log")
    (fault,) = verify_log([], HEADS).faults
    assert (fault.kind, fault.says) == (
        "beyond",
        "the log is empty, but a head was signed at 60: what came after is gone",
    )


@settings(max_examples=60)
@given(places, st.data())
def test_any_flipped_byte_is_found_where_it_is(place: int, data: st.DataObject) -> None:
    """A changed byte of position, version, time, stream, name, state or hash is found at its event."""
    encoded, hash_ = ROWS[place]
    whole = bytearray(encoded + hash_)
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    flipped = (bytes(whole[: len(encoded)]), bytes(whole[len(encoded) :]))
    report = verify_log([*ROWS[:place], flipped, *ROWS[place + 1 :]])
    assert [position for _, position in found(report)] == [place + 1]
    assert report.events == place


@settings(max_examples=60)
@given(places, places)
def test_swapped_events_are_found_at_the_first(one: int, other: int) -> None:
    """Two rows in exchanged places, or two events with exchanged positions, are found at the first of them."""
    assume(one != other)
    first, second = sorted((one, other))
    rows = list(ROWS)
    rows[first], rows[second] = rows[second], rows[first]
    assert found(verify_log(rows))[0] == ("missing", first + 1)
    a, b = ENTRIES[first], ENTRIES[second]
    rows[first] = (encode(b._replace(position=a.position, recorded_at=a.recorded_at)), ROWS[second][1])
    rows[second] = (encode(a._replace(position=b.position, recorded_at=b.recorded_at)), ROWS[first][1])
    positions = [position for _, position in found(verify_log(rows))]
    # An event that follows one of another's hash may be taken for changed, too.
    assert {first + 1, second + 1} <= set(positions) <= {first + 1, first + 2, second + 1, second + 2}
    assert positions[0] == first + 1


@settings(max_examples=60)
@given(st.sets(places, min_size=2, max_size=6), st.data())
def test_each_of_several_faults_is_found(changed: set[int], data: st.DataObject) -> None:
    """One bad event hides neither another nor a forged head, and no good event is blamed."""
    rows = list(ROWS)
    for place in changed:
        encoded, hash_ = rows[place]
        if data.draw(st.booleans(), label=f"the hash at {place}"):
            rows[place] = (encoded, bytes(32))
        else:
            rows[place] = (encoded[:-1] + bytes([encoded[-1] ^ 1]), hash_)
    forged = replace(HEADS[0], signature=bytes(64))
    report = verify_log(rows, [forged])
    assert found(report) == [("signature", 20), *(("hash", place + 1) for place in sorted(changed))]
    assert report.events == min(changed)
    assert report.root == verify_log(ROWS[: min(changed)]).root


def test_very_many_faults_are_counted() -> None:
    """Beyond the most that are listed, faults are only counted."""
    entries = [HashedRow(at, at, at, "league", "a/1", b"{}") for at in range(1, 3 * MOST_LISTED + 1)]
    report = verify_log([(encode(entry), bytes(32)) for entry in entries])
    assert (len(report.faults), report.unlisted) == (MOST_LISTED, 2 * MOST_LISTED)


@settings(max_examples=60)
@given(places, st.integers(1, 10))
def test_what_is_missing_is_found(place: int, count: int) -> None:
    """Missing events are found in the middle by the next position, at the end by a head that signs them."""
    rest = ROWS[place + count :]
    if rest:
        assert found(verify_log([*ROWS[:place], *rest])) == [("missing", place + 1)]
    assert found(verify_log(ROWS[:place], HEADS)) == [("beyond", place + 1)]
    assert found(verify_log(ROWS[:place])) == ([] if place else [("empty", None)])


def test_an_event_twice_is_out_of_order() -> None:
    """The second copy of an event is out of order."""
    assert found(verify_log([*ROWS[:5], *ROWS[4:]])) == [("order", 6)]


@pytest.mark.parametrize("position", [0, -3])
def test_an_event_before_the_first_is_out_of_order(position: int) -> None:
    """An event there is a fault, even if it is hashed correctly."""
    early = chained([ENTRIES[0]._replace(position=position, recorded_at=-9, stream="match:early")])
    (fault,) = verify_log([*early, *ROWS]).faults
    assert (fault.kind, fault.position, fault.stream) == ("order", 1, "match:early")


@settings(max_examples=100)
@given(places, st.binary(min_size=1, max_size=9))
def test_a_rewritten_suffix_is_found_by_a_kept_head_only(place: int, state: bytes) -> None:
    """A rewritten suffix has valid hashes; only the heads show where it differs."""
    rows = chained([*ENTRIES[:place], ENTRIES[place]._replace(state=state), *ENTRIES[place + 1 :]])
    assert found(verify_log(rows)) == []
    report = verify_log(rows, HEADS)
    ((kind, position),) = found(report)
    head = next(head for head in HEADS if head.position > place)
    assert kind == "rewritten"
    assert position is not None
    assert max([1, *(one.position + 1 for one in report.agreed)]) <= position <= place + 1
    assert report.agreed == HEADS[: HEADS.index(head)]


def test_where_a_rewritten_suffix_begins_is_narrowed_down() -> None:
    """The tree of 60 events has peaks over 32, 16, 8 and 4: what lies under those that agree is not the place."""
    rows = chained([*ENTRIES[:50], ENTRIES[50]._replace(name="match-voided/1"), *ENTRIES[51:]])
    (fault,) = verify_log(rows, HEADS[-1:]).faults
    assert (fault.kind, fault.position, fault.until) == ("rewritten", 49, 56)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda entry: entry._replace(version=entry.version + 1), "version"),
        (lambda entry: entry._replace(recorded_at=ENTRIES[29].recorded_at), "time"),
        (lambda entry: entry._replace(recorded_at=2**63 - 1), "time"),
    ],
)
def test_a_chain_that_fits_does_not_excuse_the_rest(change: Callable[[HashedRow], HashedRow], kind: str) -> None:
    """Versions without gaps and times that go forward are looked at by themselves."""
    rows = chained([*ENTRIES[:30], change(ENTRIES[30]), *ENTRIES[31:]])
    assert found(verify_log(rows)) == [(kind, 31)]


@settings(max_examples=40)
@given(st.sampled_from(("hash", "root", "signature", "peaks", "key")), st.integers(0, 31), st.integers(1, 255))
def test_a_changed_head_is_no_head(part: str, byte: int, change: int) -> None:
    """A head with any changed part is not genuine: its key has not signed it."""

    def flipped(value: bytes) -> bytes:
        return value[:byte] + bytes([value[byte] ^ change]) + value[byte + 1 :]

    head = HEADS[1]
    value = tuple(map(flipped, head.peaks)) if part == "peaks" else flipped(getattr(head, part))
    assert found(verify_log(ROWS, [replace(head, **{part: value})])) == [("signature", head.position)]
    assert found(verify_log(ROWS, [replace(head, position=40)])) == [("signature", 40)]


def test_a_byte_that_moves_from_one_part_of_a_head_to_the_next_is_found() -> None:
    """What is signed is the parts one after the other, so each of them has its length."""
    head = HEADS[1]
    moved = replace(head, hash=head.hash[:-1], root=head.hash[-1:] + head.root)
    longer = replace(head, hash=head.hash + head.root[:1], root=head.root[1:])
    # The peak of a full tree is its root, so only the lengths tell.
    full = head_at(ROWS, 32)
    shorter = replace(full, hash=full.hash[:-1], root=full.hash[-1:] + full.root, peaks=(full.hash[-1:] + full.root,))
    for changed in (moved, longer, shorter):
        assert found(verify_log(ROWS, [changed])) == [("signature", changed.position)]


@pytest.mark.parametrize("position", [0, -1, 2**63, 2**70])
def test_a_head_signs_a_position_of_the_log(position: int) -> None:
    """A head for a position before the first event, or beyond the largest position, is not genuine."""
    assert found(verify_log(ROWS, [replace(HEADS[0], position=position)])) == [("signature", position)]
    assert found(verify_log(ROWS, [sign(KEY, MerkleTree(), FIRST, NOON)])) == [("signature", 0)]


@pytest.mark.parametrize("peaks", [(), (HEADS[1].root,), (HEADS[1].root[:31], HEADS[1].root), HEADS[1].peaks[:2]])
def test_a_head_has_a_peak_for_each_full_tree(peaks: tuple[bytes, ...]) -> None:
    """The tree over 41 events has three: one that is the root itself says nothing about the tree."""
    assert found(verify_log(ROWS, [replace(HEADS[1], peaks=peaks)])) == [("signature", 41)]


def test_heads_of_somebody_else_are_not_believed() -> None:
    """Where keys are pinned, a head by another key counts for nothing, whatever it says of the log."""
    other = Ed25519PrivateKey.generate()
    tree = MerkleTree()
    tree.extend([bytes(32)] * 41)
    false = sign(other, tree, bytes(32), NOON)
    assert [kind for kind, _ in found(verify_log(ROWS, [*HEADS, false]))] == ["rewritten"]
    for stranger in (false, replace(false, signature=bytes(64))):
        report = verify_log(ROWS, [*HEADS, stranger], [raw(KEY.public_key())])
        assert (report.agreed, report.faults, report.strangers) == (HEADS, [], [stranger])


def test_peaks_are_not_signed_and_said_to_be_wrong_by_themselves() -> None:
    """The signature holds; the words say what does not."""
    (fault,) = verify_log(ROWS, [replace(HEADS[1], peaks=HEADS[1].peaks[::-1])]).faults
    assert (fault.kind, fault.part) == ("signature", "heads")
    assert "peaks, which are not signed" in fault.says


def test_a_file_holds_what_was_written() -> None:
    """Every byte of an event survives the file; a broken line is named."""
    odd = HashedRow(EVENTS + 1, 1, -5_000_001, "match:\u0000\u20ac", "a/1", bytes(range(256)))
    rows = [*ROWS, (encode(odd), bytes(32))]
    file = BytesIO()
    assert write_log(rows, file) == len(rows)
    assert list(read_log(BytesIO(file.getvalue()))) == rows
    assert decode(encode(odd)) == odd
    lines = file.getvalue().splitlines(keepends=True)
    report = verify_log(read_log(BytesIO(b"".join([*lines[:7], lines[7][:40], *lines[8:]]))))
    assert found(report) == [("unreadable", 8)]
    assert "line 8" in report.faults[0].says


@pytest.mark.parametrize(
    ("written", "replacement"),
    [
        (b'"version":', b'"version":7,"version":'),
        (b'"position":1,', b'"position":1,"position":1,'),
        (b"000007Z", b"0000071Z"),
        (b"000007Z", b"000007+00:00"),
        (b"000007Z", b"000007+02:00"),
        (b"000007Z", b"000007"),
        (b'"hash":"', b'"hash":" '),
        (b'"name":"', b'"name":"\\u0068'),
        (b"}", b',"note":"more"}'),
        (b"{", b'{"note":' + 100_000 * b"["),
    ],
)
def test_a_line_has_one_reading_for_every_reader(written: bytes, replacement: bytes) -> None:
    """Duplicate fields, dropped digits and unknown fields are faults: another reader might see another event."""
    file = BytesIO()
    write_log(ROWS[:1], file)
    assert written in file.getvalue()
    report = verify_log(read_log(BytesIO(file.getvalue().replace(written, replacement, 1))))
    assert found(report) == [("unreadable", 1)]


def test_stored_bytes_have_one_base64() -> None:
    """The last digit has unused bits."""
    line = line_of(ENTRIES[0]._replace(state=b"a"), bytes(32))
    assert (line.state, entry_of(line)[0].state) == ("YQ==", b"a")
    with pytest.raises(ValueError, match="one way only"):
        entry_of(replace(line, state="YR=="))


def test_white_space_does_not_matter() -> None:
    """A log that went through a program that sets blanks and other ends of lines is the same."""
    file = BytesIO()
    write_log(ROWS, file)
    spaced = file.getvalue().replace(b'":', b'": ').replace(b"\n", b"\r\n").rstrip()
    assert list(read_log(BytesIO(spaced))) == ROWS


def test_a_time_that_no_file_can_hold_is_not_exported() -> None:
    """PostgreSQL has times beyond the calendar; the event is named."""
    endless = ENTRIES[4]._replace(recorded_at=2**63 - 1)
    with pytest.raises(WrongState, match="5"):
        write_log(chained([*ENTRIES[:4], endless]), BytesIO())
