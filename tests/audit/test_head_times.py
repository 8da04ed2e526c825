"""The times of heads: every checker finds the impossible ones, and all checkers find the same."""

from __future__ import annotations

import runpy
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from proof_files import PUBLIC, SIGNED_AT, SignedLog

from league.audit.proofs import BadHeadTime, check_consistency, check_proof, read_log
from league.audit.signed_heads import LogHead, as_json, faults_of_time, raw
from league.audit.verification import LogReport, verify_log
from league.eventlog.encoded_rows import moment

CHECKER = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "check_log.py"))
LOG = SignedLog([b'{"hand":%d}' % hand for hand in range(1, 9)])
NOW = datetime.now(UTC)
DAY, MINUTE, MICROSECOND = timedelta(days=1), timedelta(minutes=1), timedelta(microseconds=1)
OTHER_KEY = raw(Ed25519PrivateKey.generate().public_key())


class AtNow(datetime):
    """The clock of the checker, which stands at NOW like the program's clock in these tests."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> AtNow:
        return cls.fromtimestamp(NOW.timestamp(), tz)


CHECKER["main"].__globals__["datetime"] = AtNow


def recorded_at(position: int) -> datetime:
    return moment(LOG.events[position - 1][0].recorded_at)


def checked(*heads: LogHead, now: datetime | None = NOW) -> LogReport:
    return verify_log(read_log(BytesIO(LOG.log())), heads, now=now)


def found(*heads: LogHead, now: datetime | None = NOW) -> list[tuple[str, int | None]]:
    return [(fault.kind, fault.position) for fault in checked(*heads, now=now).faults]


def test_a_head_is_at_most_five_minutes_older_than_its_event() -> None:
    """Clocks may differ a little. What such a head signs still agrees with the log."""
    at = recorded_at(4) - 5 * MINUTE
    assert found(LOG.head(4, at)) == []
    report = checked(LOG.head(4, at - MICROSECOND))
    assert [(fault.kind, fault.part, fault.position) for fault in report.faults] == [("clock", "heads", 4)]
    assert report.agreed == [LOG.head(4, at - MICROSECOND)]


def test_a_head_is_at_most_five_minutes_ahead_of_who_checks() -> None:
    """A head may be dated five minutes ahead at most, even if it signs more than the log has."""
    assert found(LOG.head(4, NOW + 5 * MINUTE)) == []
    assert found(LOG.head(4, NOW + 5 * MINUTE + MICROSECOND)) == [("clock", 4)]
    assert found(LOG.head(4, NOW + 400 * DAY), now=None) == []
    beyond = SignedLog([b"{}"] * 9).head(9, NOW + DAY)
    assert [kind for kind, _ in found(beyond)] == ["clock", "beyond"]


def test_a_key_signs_more_later() -> None:
    """Heads of one position, of one time or by different keys say nothing of each other."""
    later, earlier = LOG.head(3, SIGNED_AT + MICROSECOND), LOG.head(6)
    assert found(later, earlier) == [("clock", 3)]
    assert found(LOG.head(3), earlier, LOG.head(6, SIGNED_AT + DAY), LOG.head(8, SIGNED_AT + DAY)) == []
    by_another = replace(later, key=OTHER_KEY)
    assert list(faults_of_time([by_another, earlier], {}, None)) == []
    ((head, says),) = faults_of_time([by_another, later, earlier], {}, None)
    assert head == later
    assert "the head at 6" in says


def impossible(heads: Sequence[LogHead], recorded: Mapping[int, datetime], now: datetime) -> set[LogHead]:
    """The three conditions as docs/verify.md has them."""
    return {
        head
        for head in heads
        if head.signed_at < recorded[head.position] - 5 * MINUTE
        or head.signed_at > now + 5 * MINUTE
        or any(one.key == head.key and one.position > head.position and one.signed_at < head.signed_at for one in heads)
    }


spans = st.sampled_from([0, 1, 4, 5, 6, 400 * 1440])
some_heads = st.lists(st.tuples(st.integers(1, 8), st.booleans(), spans, st.booleans()), min_size=1, max_size=6)


def heads_of(drawn: Sequence[tuple[int, bool, int, bool]]) -> list[LogHead]:
    """Heads whose times are near the time of their event, or near now."""
    heads = []
    for position, about_now, minutes, before in drawn:
        at = (NOW if about_now else recorded_at(position)) + (-minutes if before else minutes) * MINUTE
        heads.append(LOG.head(position, at))
    return heads


@pytest.mark.heavy
@settings(max_examples=150)
@given(some_heads)
def test_exactly_the_impossible_times_are_faults(drawn: list[tuple[int, bool, int, bool]]) -> None:
    """In any list of heads, in any order, each impossible time is named once."""
    heads = list(dict.fromkeys(heads_of(drawn)))
    expected = impossible(heads, {position: recorded_at(position) for position in range(1, 9)}, NOW)
    faults = checked(*heads).faults
    assert {fault.kind for fault in faults} <= {"clock"}
    assert sorted(fault.position or 0 for fault in faults) == sorted(head.position for head in expected)


def accepted_by_checker(file: bytes, suffix: str, folder: Path, heads: Sequence[LogHead] = ()) -> bool:
    """Whether the one-file checker accepts a file, with heads."""
    (folder / f"file{suffix}").write_bytes(file)
    (folder / "heads.json").write_bytes(msgspec.json.encode(list(map(as_json, heads))))
    try:
        CHECKER["main"]([PUBLIC.hex()], folder / f"file{suffix}", [folder / "heads.json"] if heads else [])
    except SystemExit:
        return False
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.mark.heavy
@settings(max_examples=60)
@given(some_heads)
@example([(3, True, 1, True), (6, True, 4, True)])
def test_the_checker_says_of_times_what_the_program_says(
    folder: Path, drawn: list[tuple[int, bool, int, bool]]
) -> None:
    """The checker and the program agree on the times in a log with heads, a proof, and a consistency proof."""
    heads = heads_of(drawn)
    assert accepted_by_checker(LOG.log(), ".jsonl", folder, heads) == (not found(*heads))
    (last, *_) = heads
    proof = LOG.proof(1, last.position, last.position, last.signed_at)
    growth = LOG.growth(1, last.position, last.signed_at)
    kept = [head for head in heads if head.position == 1]
    assert accepted_by_checker(proof, ".json", folder) == holds(proof)
    if kept:
        assert accepted_by_checker(growth, ".json", folder, kept) == holds(growth, kept)


def holds(proof: bytes, kept: Sequence[LogHead] | None = None) -> bool:
    """Whether the program accepts a proof; nothing but times is wrong with it."""
    try:
        check_proof(proof, [PUBLIC], NOW) if kept is None else check_consistency(proof, kept, [PUBLIC], NOW)
    except BadHeadTime:
        return False
    return True


def test_a_proof_is_judged_by_the_last_of_its_events() -> None:
    """A proof's head must not be dated before the last proven event: the head's own event is later still."""
    at = recorded_at(3) - 5 * MINUTE
    assert holds(LOG.proof(2, 3, 8, at))
    assert not holds(LOG.proof(2, 4, 8, at))
