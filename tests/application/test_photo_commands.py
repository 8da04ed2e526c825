"""Hands that are recorded and corrected with the counts of photos, on a real log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from leagues import at, block, domino, opened, send
from msgspec.structs import replace

from league.application.bootstrap import League
from league.application.dispatch import Dispatcher
from league.domain.league import ChangeSettings
from league.domain.match import CorrectHand, HandCorrected, HandPhotographed, HandRecorded, MatchEnded, RecordHand
from league.domain.refusals import Refusal
from league.infra.photo_store import PICTURES, PhotoStore, hash_of, overlay_name
from league.photos import photo_jobs
from league.photos.domain.photo import CorrectCount, ErasePhoto, UploadPhoto

END_LOCKS = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
TAKEN = UploadPhoto("p1", "m1", 1, 1, None, "5a" * 32, 40_000, "image/jpeg", 800, 600)


def end_locks(league: League) -> None:
    """End the sessions that hold locks of pictures, as a restart of PostgreSQL does."""
    with psycopg.connect(league.database.url, autocommit=True) as conn:
        conn.execute(END_LOCKS, [photo_jobs.PICTURE_LOCKS])


def added(league: League, *commands: Any) -> list[type]:
    """The types of the events that commands add to the match."""
    before = league.store.version("match:m1")
    send(league, *commands)
    return [type(stored.event) for stored in league.store.load_after("match:m1", before)]


def test_a_photo_is_evidence_of_the_hand_that_it_counts(league: League) -> None:
    """The counted tiles fill in the seat's leftover; a correction of the hand takes the evidence anew."""
    send(league, opened("m1", ("ana", "bea"), 0), TAKEN, CorrectCount("p1", None, 40))
    hand = RecordHand("m1", block(0, 5, None), None, at(1), photos=("p1",))
    assert added(league, hand) == [HandPhotographed, HandRecorded]
    assert league.store.load("match:m1")[-1].event.leftover == (5, 40)
    correction = CorrectHand("m1", 1, block(0, 6, None), "Ana held the 6-0.", photos=("p1",))
    assert added(league, correction) == [HandCorrected, HandPhotographed]


def test_an_upload_that_is_repeated_does_not_bring_back_an_erased_picture(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds even if the process is killed right after it."""
    place, content = str(tmp_path), b"a picture"
    command = replace(TAKEN, sha256=hash_of(content))
    send(league, opened("m1", ("ana", "bea"), 0))
    position = photo_jobs.store_photo(league, place, content, command, "clerk", "k")
    assert PhotoStore(place).picture(command.sha256) == content
    send(league, ErasePhoto("p1", "no consent"))
    photo_jobs.remove_erased(league.database.url, place)
    monkeypatch.setattr(photo_jobs, "_remove_unused", lambda *_: None)  # it is killed before
    assert photo_jobs.store_photo(league, place, content, command, "clerk", "k") == position
    assert list(PhotoStore(place).names(PICTURES)) == []


def test_a_photo_has_its_picture_also_where_the_lock_of_the_picture_is_lost(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process removes the picture of an erased photo, which is the same one, before the new photo is stored."""
    place, content, url = str(tmp_path), b"a picture", league.database.url
    command = replace(TAKEN, sha256=hash_of(content))
    send(league, opened("m1", ("ana", "bea"), 0))
    photo_jobs.store_photo(league, place, content, command, "clerk", "k")
    send(league, ErasePhoto("p1", "no consent"))
    dispatched = Dispatcher.send

    def after_the_removal(*given: Any, **more: Any) -> int:
        monkeypatch.undo()
        end_locks(league)
        photo_jobs.remove_erased(url, place)
        return dispatched(*given, **more)

    monkeypatch.setattr(Dispatcher, "send", after_the_removal)
    photo_jobs.store_photo(league, place, content, replace(command, photo="p2"), "clerk", None)
    assert PhotoStore(place).picture(command.sha256) == content


def test_a_refused_upload_leaves_no_picture(league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if the lock of the picture is lost meanwhile."""
    place, content, dispatched = str(tmp_path), b"a picture", Dispatcher.send

    def without_the_lock(*given: Any, **more: Any) -> int:
        end_locks(league)
        return dispatched(*given, **more)

    monkeypatch.setattr(Dispatcher, "send", without_the_lock)
    with pytest.raises(Refusal):  # there is no such match
        photo_jobs.store_photo(league, place, content, replace(TAKEN, sha256=hash_of(content)), "clerk", None)
    assert list(PhotoStore(place).names(PICTURES)) == []


def test_a_picture_is_not_removed_without_its_lock(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may be storing it again. The next search removes it."""
    place, content, url = str(tmp_path), b"a picture", league.database.url
    command, locked = replace(TAKEN, sha256=hash_of(content)), photo_jobs.picture_lock
    send(league, opened("m1", ("ana", "bea"), 0))
    photo_jobs.store_photo(league, place, content, command, "clerk", "k")
    send(league, ErasePhoto("p1", "no consent"))

    @contextmanager
    def lost(*given: str) -> Iterator[Any]:
        with locked(*given) as lock:
            end_locks(league)
            yield lock

    with monkeypatch.context() as patch:
        patch.setattr(photo_jobs, "picture_lock", lost)
        with pytest.raises(photo_jobs.LOST):
            photo_jobs.remove_erased(url, place)
    assert PhotoStore(place).picture(command.sha256) == content
    photo_jobs.remove_erased(url, place)
    assert list(PhotoStore(place).names(PICTURES)) == []


def test_an_erased_photo_has_no_overlay_also_where_the_lock_of_its_picture_is_lost(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is erased and removed between the look whether it is to be counted and the storing of the overlay."""
    place, content, url, put = str(tmp_path), b"a picture", league.database.url, PhotoStore.put
    command = replace(TAKEN, sha256=hash_of(content))
    send(league, opened("m1", ("ana", "bea"), 0))
    photo_jobs.store_photo(league, place, content, command, "clerk", "k")

    def after_the_removal(*given: Any) -> None:
        monkeypatch.undo()
        end_locks(league)
        send(league, ErasePhoto("p1", "no consent"))
        photo_jobs.remove_erased(url, place)
        put(*given)

    monkeypatch.setattr(PhotoStore, "put", after_the_removal)
    pictures = PhotoStore(place)
    assert not photo_jobs._store_overlay(url, pictures, "p1", command.sha256, b"an overlay")
    assert pictures.get(overlay_name("p1")) is None


def test_a_hand_with_a_photo_may_end_the_match(league: League) -> None:
    """Where the league demands it, the match then awaits confirmation."""
    send(league, ChangeSettings(confirmation=True), opened("m1", ("ana", "bea"), 0))
    send(league, RecordHand("m1", domino(0, 0, 90), None, at(1)), replace(TAKEN, hand=2), CorrectCount("p1", None, 80))
    hand = RecordHand("m1", domino(0, 0, None), None, at(2), photos=("p1",))
    assert added(league, hand) == [HandPhotographed, HandRecorded, MatchEnded]
    assert league.store.load("match:m1")[-1].event.confirm_by is not None
