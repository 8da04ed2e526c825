"""`league dispute`, `league match confirm`: what players say about results."""

from __future__ import annotations

import pytest
from commands import League

pytestmark = pytest.mark.usefixtures("players")


def test_a_dispute_is_opened_listed_and_settled(league: League) -> None:
    """Players are named by what people call them; the command that settles it names its number."""
    league("project", "--once")
    assert "no dispute" in league("dispute", "list").out.lower()
    assert league("dispute", "open", "m1", "--player", "inigo", "--reason", "we won").code == 0
    assert "Dispute 1, by Íñigo: we won" in league("match", "show", "m1").out
    again = league("dispute", "open", "m1", "--player", "p2", "--reason", "?")
    assert (again.code, "DISPUTE_IS_OPEN" in again.err) == (2, True)
    listed = league("dispute", "list", "--json").document
    assert [(one["match_id"], one["dispute"], one["player_id"], one["reason"]) for one in listed] == [
        ("m1", 1, "p1", "we won")
    ]
    assert "DISPUTE_IS_OPEN" in league("void", "m1", "--reason", "so it is", "--yes").err
    assert league("void", "m1", "--reason", "so it is", "--settles", "1", "--yes").code == 0
    assert league("dispute", "list", "--json").document == []
    assert "the match was voided: so it is" in " ".join(league("dispute", "list", "--all").out.split())


def test_a_league_demands_confirmation(league: League) -> None:
    """By a setting; an admin confirms what is pending."""
    assert "not demanded" in league("settings").out
    assert "not demanded" not in league("settings", "--confirmation").out
    refused = league("match", "confirm", "m1")
    assert (refused.code, "awaits no confirmation" in refused.err) == (2, True)
    assert league("match", "confirm", "m1", "--player", "inigo", "--json").document["pending"] is False
    assert league("match", "open", "Íñigo", "Eva", "--ruleset", "cuban-150", "--id", "m9").code == 0
    assert "(pending)" in league("match", "result", "m9", "--winner", "Eva", "--actor", "p4").out
    assert league("match", "confirm", "m9", "--player", "inigo", "--json").document["pending"] is False
