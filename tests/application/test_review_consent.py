"""The consent of a player to show reviews, on a real log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from leagues import send

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.player import MergePlayers, UndoMerge
from league.review import commands
from league.review.commands import SetReviewConsent, set_consent

GIVEN = SetReviewConsent("ana", given=True)


def test_a_consent_is_given_once(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """If two people give it at the same moment, both are answered with the first."""
    positions: list[int] = []

    def after_another(command: SetReviewConsent, *, given: bool) -> Any:
        monkeypatch.undo()
        positions.append(send(league, GIVEN))
        return set_consent(command, given=given)

    monkeypatch.setattr(commands, "set_consent", after_another)
    assert send(league, GIVEN) == positions[0]
    assert league.store.version("consent:ana") == 1


def test_a_consent_that_was_given_before_is_one_of_the_same_moment(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two reads a merge is undone, and the other player consents. This player has not yet: it is stored."""
    send(league, MergePlayers("bea", "ana"))
    read_as = StreamStates.read_as

    def before_it_is_undone(states: StreamStates, seats: Sequence[str]) -> tuple[str, ...]:
        found = read_as(states, seats)
        monkeypatch.undo()
        send(league, UndoMerge("bea", "ana"), SetReviewConsent("bea", given=True))
        return found

    monkeypatch.setattr(StreamStates, "read_as", before_it_is_undone)
    send(league, GIVEN)
    assert league.store.version("consent:ana") == 1
