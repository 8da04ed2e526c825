"""Who overwrites something names the position up to which they know it: what somebody changed since is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from leagues import at_once, domino, opened, send

from league.application.bootstrap import League
from league.domain.league import ChangeSettings
from league.domain.match import CorrectHand, CorrectResult, RecordHand, RecordResult
from league.domain.members import AddMember, ChangeMember
from league.domain.player import MovePlayer, RenamePlayer
from league.domain.refusals import ChangedSince, InvalidInput
from league.domain.result import AnnouncedResult
from league.eventlog.store import EventStore
from league.photos.domain.photo import ConfirmCount, CorrectCount, ProposeCount, UploadPhoto


def corrected(hand: int, pips: int) -> CorrectHand:
    return CorrectHand("m1", hand, domino(0, 0, pips), "miscounted")


def counted(pips: int) -> CorrectCount:
    return CorrectCount("photo", None, pips)


OVERWRITING: list[tuple[Callable[[int], Any], Any]] = [
    (lambda number: corrected(2, 20 + number), corrected(1, 60)),
    (
        lambda number: CorrectResult("m2", AnnouncedResult(0, (150, number)), "miscounted"),
        corrected(1, 60),
    ),
    (lambda number: RenamePlayer("ana", f"Ana {number}"), MovePlayer("ana", "Holguín")),
    (lambda number: MovePlayer("ana", f"Region {number}"), RenamePlayer("ana", "Ana R.")),
    (lambda number: ChangeSettings(f"League {number}"), RenamePlayer("ana", "Ana R.")),
    (lambda number: ChangeMember("m1", (("admin", "auditor", "scorekeeper")[number % 3],)), RenamePlayer("ana", "A.")),
    (counted, corrected(1, 60)),
]
"""Commands that overwrite the same thing with another value each, and one that overwrites something else."""


@pytest.fixture
def kept(league: League) -> League:
    """A league with a match of two hands, a photo of the second one, and a member."""
    send(league, opened("m1", ("ana", "bea"), 0, "casual"))
    send(league, opened("m2", ("ana", "bea"), 0, "casual"), RecordResult("m2", AnnouncedResult(0, (150, 90))))
    send(league, RecordHand("m1", domino(0, 0, 10)), RecordHand("m1", domino(0, 0, 20)))
    send(league, UploadPhoto("photo", "m1", 2, 1, None, "0" * 64, 10, "image/png", 10, 10))
    send(league, ProposeCount("photo", (), None, 0.1, "no_tiles"), AddMember("m1", "kim", ("player",), "ana"))
    return league


@pytest.mark.parametrize("number", range(len(OVERWRITING)))
def test_what_was_changed_since_is_not_overwritten(kept: League, number: int) -> None:
    """The refusal names the change. Who knows it overwrites it; what changed elsewhere is no reason to refuse."""
    make, elsewhere = OVERWRITING[number]
    do, known = kept.dispatcher, kept.store.head()
    first = do.send(make(1), "ana", expected=known)
    do.send(elsewhere, "eva")
    head = kept.store.head()
    with pytest.raises(ChangedSince) as refused:
        do.send(make(2), "bea", expected=known)
    assert (refused.value.expected_position, refused.value.position) == (known, first)
    assert kept.store.head() == head
    again = do.send(make(2), "bea", expected=first)
    assert again > first
    assert do.send(make(3), "bea", expected=kept.store.head()) > again
    assert do.send(make(4), "bea") == kept.store.head()


@pytest.mark.parametrize("number", range(len(OVERWRITING)))
def test_of_several_who_overwrite_the_same_at_once_one_succeeds(kept: League, number: int) -> None:
    """All know the same state. The refusals of the others name the one that was stored."""
    make, _ = OVERWRITING[number]
    do, known = kept.dispatcher, kept.store.head()
    answers = at_once(*(lambda n=n: do.send(make(n), f"p{n}", expected=known) for n in (1, 2, 3)))
    [stored] = [answer for answer in answers if isinstance(answer, int)]
    refused = [answer for answer in answers if isinstance(answer, ChangedSince)]
    assert [one.position for one in refused] == [stored, stored]


def test_the_same_request_sent_again_gets_its_first_answer(kept: League) -> None:
    """Its own change does not refuse it. The position belongs to the input of the key."""
    do, known = kept.dispatcher, kept.store.head()
    first = do.send(corrected(2, 30), "ana", key="k1", expected=known)
    assert do.send(corrected(2, 30), "ana", key="k1", expected=known) == first
    with pytest.raises(ChangedSince):
        do.send(corrected(2, 40), "ana", key="k2", expected=known)
    assert do.send(corrected(2, 40), "ana", key="k2", expected=first) > first


def test_a_proposed_count_is_not_confirmed_after_a_correction_that_was_not_seen(kept: League) -> None:
    """Confirming it would settle another count than the one that the person saw."""
    known = kept.store.head()
    kept.dispatcher.send(counted(7), "ana")
    with pytest.raises(ChangedSince):
        kept.dispatcher.send(ConfirmCount("photo"), "bea", expected=known)


def test_a_count_that_the_computer_proposes_meanwhile_stops_no_person(kept: League) -> None:
    """They say what they see on the photo, whatever is read on it."""
    send(kept, UploadPhoto("new", "m1", 2, 1, None, "1" * 64, 10, "image/png", 10, 10))
    known = kept.store.head()
    send(kept, ProposeCount("new", (), None, 0.1, "no_tiles"))
    assert kept.dispatcher.send(CorrectCount("new", None, 5), "ana", expected=known) == kept.store.head()


def test_a_hash_of_a_request_without_an_expectation_stays_as_it_was(
    kept: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request of an earlier version of the league, sent again after an upgrade, gets its first answer."""
    hashes: list[str] = []
    append = EventStore.append

    def noted(store: EventStore, appends: Any, request: Any, *given: Any, **more: Any) -> int:
        hashes.append(request.input_hash)
        return append(store, appends, request, *given, **more)

    monkeypatch.setattr(EventStore, "append", noted)
    kept.dispatcher.send(MovePlayer("bea", "Holguín"), "ana", key="k")
    assert hashes == ["65e6740265cc3004b40cb68cd64c41a91ad68d293dfbe851847868f1499e254c"]


def test_a_correction_that_changes_nothing_is_refused(kept: League) -> None:
    """It is refused with and without an expected position."""
    with pytest.raises(InvalidInput):
        kept.dispatcher.send(corrected(2, 20), "ana", expected=kept.store.head())
