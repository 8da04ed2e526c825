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
    """Figures by month are shown as soon as there are two months."""
    one = player(byMonth=[figure(month="2026-02"), figure(month="2026-03")])
    page = text_of(page_of(FIGURES, player=one))
    assert "Over time" in page
    assert "February 2026" in page
    assert "March 2026" in page
    assert "Over time" not in text_of(page_of(FIGURES, player=player(byMonth=[figure(month="2026-02")])))


def test_a_figure_of_one_hand_has_no_interval() -> None:
    """A figure of a single hand is shown without an interval."""
    once = figure(hands=1, kind="SUIT")
    page = text_of(page_of(FIGURES, player=player(total=figure(hands=1), byKind=[once])))
    assert "0.50 points a decision" in page
    assert "0.25 to 0.75" not in page
    assert text_of(page_of(FIGURES, player=player())).count("0.25 to 0.75") == 2


def test_who_reads_reviews_is_said_beside_the_consent() -> None:
    """The page says that officials need no consent; only the player's own button says "my hands"."""
    hidden = player(consents=False)
    own = text_of(page_of(FIGURES, "player", sub="p1", player=hidden))
    assert "by those who sat in it, and by scorekeepers, admins and auditors" in own
    assert "give my hands" in own
    former = {**hidden, "formerIds": ["p9"]}
    assert "give my hands" in text_of(page_of(FIGURES, "player", sub="p9", player=former))
    of_admin = text_of(page_of(FIGURES, "admin", player=hidden))
    assert "give the player's hands" in of_admin
    assert "my hands" not in of_admin
    assert "Who sees this" not in text_of(page_of(FIGURES, "player", sub="p2", player=hidden))
