"""A live table plays a match that was open already, such as one of a tournament."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from table_clients import AtTable, deal, outcome, play_hand

KEEPER = token("scorekeeper", sub="kai")


def open_match(served: Served, match: str, *seats: str) -> None:
    """Open a match in which nothing has happened yet."""
    opened = served.do(
        "openMatch", KEEPER, matchId=match, ruleset="cuban-150", mode="ONE_ON_ONE", competition="CASUAL", seats=seats
    )
    served.follow(opened["position"])


def table_of(served: Served, match: str, sub: str) -> Any:
    """The answer to a player who opens the table of a match."""
    return served.do("openTableOfMatch", token("player", sub=sub), match=match)


@pytest.mark.heavy
def test_a_table_plays_an_open_match(small: Served) -> None:
    """The players of the match sit at once, its hands come from the table, and nobody records them by hand."""
    open_match(small, "cup-1", "ana", "bea")
    began_at = small.ask('{ match(id: "cup-1") { beganAt } }')["match"]["beganAt"]
    assert "position" in table_of(small, "cup-1", "ana")
    assert table_of(small, "cup-1", "bea")["code"] == "ALREADY_EXISTS"
    seated = [AtTable(small, "cup-1", player) for player in ("ana", "bea")]
    assert [seat["playerId"] for seat in seated[0].look()["seats"]] == ["ana", "bea"]
    for player in seated:
        assert player.do("sayReady")["__typename"] == "TableSuccess"
    deal(seated)
    by_hand = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 7}]}
    assert small.do("recordHand", KEEPER, match="cup-1", facts=by_hand)["code"] == "TABLE_IN_PLAY"
    view = play_hand(seated)
    small.follow(view["position"])
    match = small.ask('{ match(id: "cup-1") { beganAt hands { points } table { phase } } }')["match"]
    assert match["beganAt"] == began_at
    assert match["hands"] == [{"points": view["finishedHands"][0]["points"]}]
    assert "position" in small.do("voidMatch", token("admin"), match="cup-1", reason="a test")
    assert seated[0].look()["closed"] == "VOIDED"


def test_only_the_players_of_the_match_sit_at_its_table(small: Served) -> None:
    """Each player has their own seat; others, AIs and players of other matches are refused."""
    open_match(small, "cup-2", "ana", "bea")
    assert table_of(small, "cup-2", "eva")["code"] == "FORBIDDEN"
    assert "position" in table_of(small, "cup-2", "ana")
    ana, bea, eva = (AtTable(small, "cup-2", player) for player in ("ana", "bea", "eva"))
    assert outcome(ana, "leaveSeat") is None
    assert outcome(eva, "takeSeat", seat=0) == "NOT_FOUND", "the table is by invitation"
    assert outcome(AtTable(small, "cup-2", "kai", "scorekeeper"), "seatAi", seat=0) == "SEATS_OF_MATCH"
    assert outcome(bea, "leaveSeat") is None
    assert small.do("takeSeat", ana.token, table="cup-2", seat=0)["code"] == "TABLE_CLOSED", "it is closed"


def test_a_table_that_closed_before_play_is_opened_again(small: Served) -> None:
    """A table that closed before play can be opened again, because its match is still open."""
    open_match(small, "cup-5", "ana", "bea")
    seated = [AtTable(small, "cup-5", player) for player in ("ana", "bea")]
    for _ in range(2):
        assert "position" in table_of(small, "cup-5", "ana")
        assert seated[0].look()["phase"] == "OPEN"
        for player in seated:
            assert outcome(player, "leaveSeat") is None
        assert seated[0].look()["closed"] == "ABANDONED"
    table_of(small, "cup-5", "bea")
    for player in seated:
        assert outcome(player, "sayReady") is None
    deal(seated)
    assert seated[0].look()["phase"] == "PLAYING"


def test_a_match_with_hands_or_without_an_opening_has_no_such_table(small: Served) -> None:
    """A match that has hands, or does not exist, gets no table."""
    assert table_of(small, "cup-none", "ana")["code"] == "FORBIDDEN"
    open_match(small, "cup-3", "ana", "bea")
    facts = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 7}]}
    assert "position" in small.do("recordHand", KEEPER, match="cup-3", facts=facts)
    assert table_of(small, "cup-3", "ana")["code"] == "MATCH_BEGUN"


def test_a_hand_recorded_while_the_players_gather_keeps_the_match_away_from_the_table(small: Served) -> None:
    """The table closes when play would begin, and the match goes on without it."""
    open_match(small, "cup-4", "ana", "bea")
    table_of(small, "cup-4", "ana")
    facts = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 7}]}
    assert "position" in small.do("recordHand", KEEPER, match="cup-4", facts=facts)
    seated = [AtTable(small, "cup-4", player) for player in ("ana", "bea")]
    for player in seated:
        player.do("sayReady")
    for player in seated:
        player.contribute()
    assert seated[0].look()["closed"] == "ABANDONED"
    assert "position" in small.do("recordHand", KEEPER, match="cup-4", facts=facts)
