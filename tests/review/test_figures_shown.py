"""How well somebody plays, as its page shows it."""

from __future__ import annotations

from typing import Any

from shown_pages import FIGURES, page_of, text_of


def figure(**more: Any) -> dict[str, Any]:
    """What decisions have cost in some hands."""
    return {"hands": 3, "decisions": 21, "mistakes": 2, "lost": {"value": 0.5, "low": 0.25, "high": 0.75}, **more}


def player(**more: Any) -> dict[str, Any]:
    """A player whose figures are shown."""
    play = {"consents": True, "isVisible": True, "total": figure(), "byKind": [figure(kind="SUIT")], "byMonth": []}
    return {"playerId": "p1", "displayName": "Ana", "formerIds": [], "reviewedPlay": {**play, **more}}


def test_months_are_shown_beside_each_other() -> None:
    """As soon as there are two."""
    one = player(byMonth=[figure(month="2026-02"), figure(month="2026-03")])
    page = text_of(page_of(FIGURES, player=one))
    assert "Over time" in page
    assert "February 2026" in page
    assert "March 2026" in page
    assert "Over time" not in text_of(page_of(FIGURES, player=player(byMonth=[figure(month="2026-02")])))
