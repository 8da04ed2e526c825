"""The shuffle of a hand: contributions, the starting draw, who leads, and reshuffles."""

from __future__ import annotations

import pytest
from tables import HEX, GivenTable, kinds, refusal_of

from league.domain.dealing import NO_CONTRIBUTION, drawn_starter, leading_tile
from league.domain.refusals import InvalidInput, WrongState
from league.domain.tiles import is_double, tile_pips
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    ContributeSeed,
    HandDealt,
    LeaveSeat,
    ReshuffleAccepted,
    ReshuffleDeclined,
    ReshuffleOffered,
    SeatAI,
    SeedContributed,
    StartingDrawn,
)
from league.tables.domain.refusals import HandIsOver, NotSeated
from league.tables.domain.state import contributed


def test_the_hand_is_dealt_when_all_players_have_contributed() -> None:
    """It is not dealt before; a repeated contribution changes nothing, a different one is refused."""
    table = GivenTable().sit("ana", "bea").ready()
    assert table.state.awaited == (0, 1)
    first = ContributeSeed("t", "ana", 1, HEX["ana"])
    assert table.take(first) == [SeedContributed(1, 0, HEX["ana"])]
    assert table.decided(first) == []
    assert isinstance(refusal_of(table, ContributeSeed("t", "ana", 1, HEX["bea"])), WrongState)
    events = table.take(ContributeSeed("t", "bea", 1, HEX["bea"]))
    assert kinds(events)[0] == "SeedContributed"
    assert "HandDealt" in kinds(events)
    assert table.decided(first) == []


@pytest.mark.parametrize("contribution", ["", "ab", "AB" * 32, "zz" * 32, "ab" * 33, "ab" * 32 + "\n"])
def test_a_contribution_has_32_bytes(contribution: str) -> None:
    """In hexadecimal, in lower case."""
    table = GivenTable().sit("ana", "bea").ready()
    refused = refusal_of(table, ContributeSeed("t", "ana", 1, contribution))
    assert isinstance(refused, InvalidInput)
    assert refused.field == "contribution"


def test_only_players_contribute_and_only_to_the_running_hand() -> None:
    """A contribution before play, to another hand, or for another player is refused."""
    table = GivenTable().sit("ana", "bea")
    assert isinstance(refusal_of(table, ContributeSeed("t", "ana", 1, HEX["ana"])), WrongState)
    table.ready()
    assert refusal_of(table, ContributeSeed("t", "cira", 1, HEX["ana"])) == NotSeated("t")
    assert isinstance(refusal_of(table, ContributeSeed("t", "ana", 2, HEX["ana"])), InvalidInput)
    table.contribute()
    table.decline()
    table.hand_out()
    assert refusal_of(table, ContributeSeed("t", "ana", 1, HEX["ana"])) == HandIsOver(1)


def test_what_is_missing_counts_as_zeros() -> None:
    """After five seconds the hand is dealt without late contributions, which are refused."""
    table = GivenTable().sit("ana", "bea").ready()
    table.take(ContributeSeed("t", "bea", 1, HEX["bea"]))
    due = table.due
    assert due is not None
    assert (due.what, (due.at - table.now).total_seconds()) == ("contributions", 5)
    assert "HandDealt" in kinds(table.meet())
    assert contributed(table.state.contributions) == (NO_CONTRIBUTION, bytes.fromhex(HEX["bea"]))
    assert isinstance(refusal_of(table, ContributeSeed("t", "ana", 1, HEX["ana"])), WrongState)


def test_an_ai_is_not_waited_for() -> None:
    """This holds at its own seat and at that of a player who left."""
    table = GivenTable("doscientos-100", "individuals", 3).sit("ana", "bea")
    table.take(SeatAI("t", 2, "heuristic"))
    table.ready()
    assert table.state.awaited == (0, 1)
    table.take(ContributeSeed("t", "bea", 1, HEX["bea"]))
    assert "HandDealt" in kinds(table.take(LeaveSeat("t", "ana")))


@pytest.mark.parametrize("seed", range(30))
def test_the_highest_draw_starts(seed: int) -> None:
    """On a tie of the highest all draw again, in the next attempt; the deal is the attempt after the draw that decides.

    Cuban text, Determining the Starting Player.
    """
    table = GivenTable("cuban-150", "2v2", seed=seed).sit("ana", "bea", "cira", "dora").ready().contribute()
    draws = [event for event in table.events if isinstance(event, StartingDrawn)]
    dealt = next(event for event in table.events if isinstance(event, HandDealt))
    assert [draw.attempt for draw in draws] == list(range(len(draws)))
    assert dealt.attempt == len(draws)
    pips = [tile_pips(tile) for tile in draws[-1].tiles]
    assert pips[dealt.starter] == max(pips)
    assert all(drawn_starter(draw.tiles) is None for draw in draws[:-1])
    assert table.state.played is not None
    assert table.state.played.starting_draw == draws[-1].tiles


def test_a_tied_draw_is_repeated() -> None:
    """Some of many tables have one."""
    assert drawn_starter(((0, 5), (1, 4))) is None
    assert drawn_starter(((0, 5), (1, 4), (3, 3))) == 2
    tables = (GivenTable(seed=seed).sit("ana", "bea").dealt() for seed in range(80))
    assert any(kinds(table.events).count("StartingDrawn") > 1 for table in tables)


def test_the_highest_double_leads() -> None:
    """Without a double the highest tile: by pips, among equals by the higher half (Caribbean text)."""
    assert leading_tile((((0, 1), (2, 2)), ((5, 6), (4, 4)))) == (1, (4, 4))
    assert leading_tile((((0, 1), (2, 6)), ((3, 5), (0, 2)))) == (0, (2, 6))


@pytest.mark.parametrize("seed", range(10))
def test_the_holder_of_the_highest_double_has_to_play_it_first(seed: int) -> None:
    """In the first hand only; later the winner of the hand before leads with any tile."""
    table = GivenTable("doscientos-100", seed=seed).sit("ana", "bea").dealt()
    state = table.state
    assert state.deal is not None
    assert state.play is not None
    starter, tile = leading_tile(state.deal.dealt)
    assert (state.starter, [play.tile for play in state.play.legal_plays()]) == (starter, [tile])
    assert "StartingDrawn" not in kinds(table.events)
    table.hand_out().contribute()
    table.decline()
    assert table.state.hand == 2
    assert table.state.play is not None
    assert len(table.state.play.legal_plays()) == 7
    assert table.state.played is not None
    assert state.deal != table.state.deal


# ---------------------------------------------------------------- reshuffles


def offered(mode: str = "1v1", seed: int = 1, *players: str, least: int = 1) -> GivenTable:
    """A table at which seats with so many doubles are offered a reshuffle."""
    given = GivenTable("cuban-150", mode, seed=seed, live={"reshuffle_doubles": least})  # type: ignore[arg-type]
    return given.sit(*players or ("ana", "bea")).ready().contribute()


def test_a_seat_with_many_doubles_is_offered_a_reshuffle() -> None:
    """All see the offer; no tile is played before it is answered."""
    table = offered()
    offers = [event for event in table.events if isinstance(event, ReshuffleOffered)]
    assert table.state.deal is not None
    doubles = [sum(map(is_double, tiles)) for tiles in table.state.deal.dealt]
    assert offers == [ReshuffleOffered(1, seat) for seat, count in enumerate(doubles) if count]
    assert table.phase() == "offering"
    assert isinstance(refusal_of(table, table.next_move()), WrongState)
    due = table.due
    assert due is not None
    assert (due.what, (due.at - table.now).total_seconds()) == ("reshuffle", 10)


def test_by_default_five_doubles_are_many_and_none_is_never() -> None:
    """Cuban text, Reshuffling; 0 turns the offer off."""
    for seed in range(40):
        for least in (0, 5):
            table = offered(seed=seed, least=least)
            assert table.state.deal is not None
            most = max(sum(map(is_double, tiles)) for tiles in table.state.deal.dealt)
            assert (table.phase() == "offering") == (least == 5 and most >= 5)


def test_the_first_acceptance_deals_anew_once() -> None:
    """The next attempt with the same contributions; no seat is offered another reshuffle of this hand."""
    table = offered()
    before = table.state.deal
    events = table.take(AnswerReshuffle("t", "bea", 1, True))
    assert events == [ReshuffleAccepted(1, 1), HandDealt(1, table.state.attempt or 0, table.state.starter or 0)]
    assert (table.phase(), table.state.reshuffled) == ("playing", True)
    assert table.state.deal != before
    assert table.state.attempt == 2
    assert isinstance(refusal_of(table, AnswerReshuffle("t", "ana", 1, True)), WrongState)


def test_turns_begin_when_all_have_declined() -> None:
    """They also begin after ten seconds without an answer."""
    table = offered()
    assert table.take(AnswerReshuffle("t", "ana", 1, False)) == [ReshuffleDeclined(1, 0, "player")]
    assert table.phase() == "offering"
    table.wait(3)
    assert table.meet() == [ReshuffleDeclined(1, 1, "clock")]
    assert table.phase() == "playing"
    due = table.due
    assert due is not None
    assert (due.at - table.now).total_seconds() == 30


def test_an_ai_declines_at_once() -> None:
    """At its own seat, and at that of a player who leaves with an offer open."""
    table = GivenTable("doscientos-100", "individuals", 3, live={"reshuffle_doubles": 1}, seed=3).sit("ana", "bea")
    table.take(SeatAI("t", 2, "random"))
    table.ready().contribute()
    assert ReshuffleDeclined(1, 2, "ai") in table.events
    if 1 in table.state.offers:
        table.take(AnswerReshuffle("t", "bea", 1, False))
    assert table.state.offers == (0,)
    assert table.take(LeaveSeat("t", "ana"))[-1] == ReshuffleDeclined(1, 0, "ai")
    assert table.phase() == "playing"


def test_only_a_seat_with_an_open_offer_answers() -> None:
    """A seat without an offer and a spectator are refused."""
    table = GivenTable().sit("ana", "bea").dealt()
    assert isinstance(refusal_of(table, AnswerReshuffle("t", "ana", 1, True)), WrongState)
    assert refusal_of(table, AnswerReshuffle("t", "cira", 1, True)) == NotSeated("t")
