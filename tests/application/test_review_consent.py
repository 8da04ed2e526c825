"""The consent of a player to show reviews, on a real log."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import send

from league.application.bootstrap import League
from league.review.application import review_commands
from league.review.domain.consent import SetReviewConsent, set_consent

GIVEN = SetReviewConsent("ana", given=True)


def test_a_consent_is_given_once(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where two people give it at the same moment: both are answered with the first."""
    positions: list[int] = []

    def after_another(command: SetReviewConsent, *, given: bool) -> Any:
        monkeypatch.undo()
        positions.append(send(league, GIVEN))
        return set_consent(command, given=given)

    monkeypatch.setattr(review_commands, "set_consent", after_another)
    assert send(league, GIVEN) == positions[0]
    assert league.store.version("consent:ana") == 1
