"""Hands that are recorded and corrected with the counts of photos, on a real log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leagues import at, block, domino, opened, send
from msgspec.structs import replace

from league.application.bootstrap import League
from league.domain.league import ChangeSettings
from league.domain.match import CorrectHand, HandCorrected, HandPhotographed, HandRecorded, MatchEnded, RecordHand
from league.infra.photo_store import PICTURES, PhotoStore, hash_of
from league.photos.application import stored_pictures
from league.photos.domain.photo import CorrectCount, ErasePhoto, UploadPhoto

TAKEN = UploadPhoto("p1", "m1", 1, 1, None, "5a" * 32, 40_000, "image/jpeg", 800, 600)


def added(league: League, *commands: Any) -> list[type]:
    """The types of the events that commands add to the match."""
    before = league.store.version("match:m1")
    send(league, *commands)
    return [type(stored.event) for stored in league.store.load_after("match:m1", before)]


def test_a_photo_is_evidence_of_the_hand_that_it_counts(league: League) -> None:
    """What it shows fills in the seat's tiles; a correction of the hand takes the evidence anew."""
    send(league, opened("m1", ("ana", "bea"), 0), TAKEN, CorrectCount("p1", None, 40))
    hand = RecordHand("m1", block(0, 5, None), None, at(1), photos=("p1",))
    assert added(league, hand) == [HandPhotographed, HandRecorded]
    assert league.store.load("match:m1")[-1].event.leftover == (5, 40)
    correction = CorrectHand("m1", 1, block(0, 6, None), "Ana held the 6-0.", photos=("p1",))
    assert added(league, correction) == [HandCorrected, HandPhotographed]


def test_an_upload_that_is_repeated_does_not_bring_back_an_erased_picture(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the process is killed right after it."""
    place, content = str(tmp_path), b"a picture"
    command = replace(TAKEN, sha256=hash_of(content))
    send(league, opened("m1", ("ana", "bea"), 0))
    position = stored_pictures.store_photo(league, place, content, command, "clerk", "k")
    assert PhotoStore(place).picture(command.sha256) == content
    send(league, ErasePhoto("p1", "no consent"))
    stored_pictures.remove_erased(league.database.url, place)
    monkeypatch.setattr(stored_pictures, "_remove_unused", lambda *_: None)  # it is killed before
    assert stored_pictures.store_photo(league, place, content, command, "clerk", "k") == position
    assert list(PhotoStore(place).names(PICTURES)) == []


def test_a_hand_with_a_photo_may_end_the_match(league: League) -> None:
    """Where the league demands it, the match then awaits confirmation."""
    send(league, ChangeSettings(confirmation=True), opened("m1", ("ana", "bea"), 0))
    send(league, RecordHand("m1", domino(0, 0, 90), None, at(1)), replace(TAKEN, hand=2), CorrectCount("p1", None, 80))
    hand = RecordHand("m1", domino(0, 0, None), None, at(2), photos=("p1",))
    assert added(league, hand) == [HandPhotographed, HandRecorded, MatchEnded]
    assert league.store.load("match:m1")[-1].event.confirm_by is not None
