"""Moves at a table: who may play what and when, what is forced, and how a hand and its match end."""

from __future__ import annotations

from typing import Any

import pytest
from given import EDITION, NOW
from msgspec.structs import replace as changed
from tables import GivenTable, kinds, refusal_of

from league.domain.dealing import commitment_of
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.refusals import InvalidInput, WrongState
from league.domain.result import result_of
from league.tables.domain.commands_and_events import (
    HandEnded,
    LeaveSeat,
    PlayAsAI,
    PlayTile,
    SeatAI,
    SeatBack,
    ShuffleCommitted,
    TableClosed,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.moves import same_move
from league.tables.domain.refusals import HandIsOver, NotSeated, NotYourTurn, TurnTaken


def playing(ruleset: str = "cuban-150", seed: int = 1) -> GivenTable:
    return GivenTable(ruleset, seed=seed).sit("ana", "bea").dealt()


def mover(table: GivenTable) -> str:
    """The player whose turn it is."""
    assert table.state.play is not None
    return table.state.seats[table.state.play.to_move].player or ""


def test_a_player_plays_a_tile_that_fits() -> None:
    """The tile is stored as it lies, whichever half the player names first."""
    table = playing()
    first = table.next_move()
    played = table.take(first)[0]
    assert played == TilePlayed(1, 1, table.state.seat_of(first.player) or 0, first.tile, None, "player")
    move = table.next_move()
    turned = changed(move, tile=(move.tile[1], move.tile[0]))
    assert table.decided(turned) == table.decided(move)
    assert isinstance(table.decided(move)[0], TilePlayed)


def test_only_the_seat_to_move_plays() -> None:
    """The other player, a spectator, and an AI at a player's seat are refused."""
    table = playing()
    move = table.next_move()
    other = "bea" if move.player == "ana" else "ana"
    to_move = table.state.seat_of(move.player)
    assert refusal_of(table, changed(move, player=other)) == NotYourTurn(1 - (to_move or 0), to_move)
    assert refusal_of(table, changed(move, player="cira")) == NotSeated("t")
    as_ai = PlayAsAI("t", to_move or 0, move.hand, move.turn, move.tile, move.end)
    assert isinstance(refusal_of(table, as_ai), NotYourTurn)


def test_a_tile_must_be_held_and_fit() -> None:
    """Mandatory Play and Error Prevention of the Cuban text; the table is unchanged."""
    table = playing()
    table.move()
    state = table.state
    assert state.play is not None
    move, play = table.next_move(), state.play
    held = play.tiles.of_mask(play.held[play.to_move])
    others = play.tiles.of_mask(play.held[1 - play.to_move])
    assert isinstance(refusal_of(table, changed(move, tile=others[0])), TileNotHeld)
    misfit = next(tile for tile in held if play.left not in tile)
    assert isinstance(refusal_of(table, changed(move, tile=misfit, end="left")), TileDoesNotFit)
    assert isinstance(refusal_of(table, changed(move, end=None)), TileDoesNotFit)
    assert isinstance(refusal_of(table, changed(move, tile=(12, 13))), TileNotHeld)
    assert table.state is state


@pytest.mark.parametrize(
    ("change", "kind", "field"),
    [({"hand": 2}, InvalidInput, "hand"), ({"hand": 0}, InvalidInput, "hand"), ({"turn": 2}, InvalidInput, "turn"),
     ({"turn": 0}, InvalidInput, "turn")],
)  # fmt: skip
def test_a_move_names_the_running_hand_and_its_next_turn(change: dict[str, Any], kind: type, field: str) -> None:
    """Later turns, and turns that never were, are refused."""
    table = playing()
    refused = refusal_of(table, changed(table.next_move(), **change))
    assert isinstance(refused, kind)
    assert refused.field == field


def test_a_turn_is_taken_once() -> None:
    """Another move in it is refused with what happened; the same move is recognized as the one that was made."""
    table = playing()
    move = table.next_move()
    table.take(move)
    other = table.next_move()
    refused = refusal_of(table, changed(move, tile=other.tile))
    assert refused == TurnTaken(1, 1, f"seat {table.state.starter} played {list(move.tile)}")
    made = table.state.moves[0]
    assert same_move(move, made, table.state.starter)
    assert same_move(changed(move, tile=(move.tile[1], move.tile[0])), made, table.state.starter)
    assert not same_move(changed(move, tile=other.tile), made, table.state.starter)
    assert not same_move(changed(move, turn=2), made, table.state.starter)
    assert not same_move(move, made, 1 - (table.state.starter or 0))


def test_there_is_no_move_outside_a_hand() -> None:
    """Moves before play, before the deal, after the hand and after the match are refused."""
    table = GivenTable().sit("ana", "bea")
    move = PlayTile("t", "ana", 1, 1, (0, 0), None)
    assert isinstance(refusal_of(table, move), WrongState)
    table.ready()
    shuffled = refusal_of(table, move)
    assert isinstance(shuffled, WrongState)
    assert shuffled.state == "shuffled"
    table.contribute()
    table.decline()
    last = table.next_move()
    while table.state.hand == 1:
        last = table.next_move()
        table.take(last)
    assert refusal_of(table, last) == HandIsOver(1)
    table.match_out()
    assert refusal_of(table, changed(move, hand=table.state.hand)) == HandIsOver(table.state.hand)
    assert isinstance(refusal_of(table, changed(move, hand=table.state.hand + 1)), WrongState)


@pytest.mark.parametrize("ruleset", ["cuban-150", "doscientos-100"])
def test_what_is_forced_follows_at_once(ruleset: str) -> None:
    """Passes, and draws with two seats under Caribbean rules; no tile of a draw is in an event."""
    table = playing(ruleset)
    while table.state.closed is None:
        table.contribute()
        table.decline()
        table.hand_out()
        play = table.state.play
        assert play is None or (play.forced is None and not play.is_over)
    draws = [event for event in table.events if isinstance(event, TileDrawn)]
    passes = [event for event in table.events if isinstance(event, TurnPassed)]
    assert bool(draws) == (ruleset == "doscientos-100")
    assert passes or draws
    assert {event.reason for event in passes} <= {"no_play"}


def test_a_hand_ends_with_its_secret_and_the_next_begins() -> None:
    """In the events of the move that ends it. The secret is the one whose hash was published."""
    table = playing()
    events = table.move()
    while table.state.hand == 1:
        events = table.move()
    assert kinds(events)[-2:] == ["HandEnded", "ShuffleCommitted"]
    committed = next(event for event in table.events if isinstance(event, ShuffleCommitted))
    ended = events[-2]
    assert isinstance(ended, HandEnded)
    assert commitment_of(bytes.fromhex(ended.secret)) == committed.commitment
    assert table.state.played is not None
    assert len(table.state.played.hands) == 1
    assert table.phase() == "shuffling"


def test_the_winner_of_a_hand_starts_the_next() -> None:
    """The winning seat; where no seat has won, the starter again."""
    for seed in range(5):
        table = playing(seed=seed).match_out()
        played = table.state.played
        assert played is not None
        scores = result_of(played, EDITION.rulesets["cuban-150"]).hands
        for before, score, after in zip(played.hands, scores, played.hands[1:], strict=False):
            assert after.starter == (before.starter if score.winning_seat is None else score.winning_seat)


def test_the_table_closes_with_its_match() -> None:
    """When a hand meets the end condition no other one is shuffled."""
    table = playing().match_out()
    assert table.events[-1] == TableClosed("finished")
    assert kinds(table.events)[-2] == "HandEnded"
    assert table.state.played is not None
    ended = changed(table.state.played, ended_at=NOW)
    assert result_of(ended, EDITION.rulesets["cuban-150"]).last_hand == len(ended.hands)


def test_an_ai_plays_its_own_seat() -> None:
    """An AI does not play the seat of a player."""
    table = GivenTable().sit("ana")
    table.take(SeatAI("t", 1, "random"))
    table.ready().contribute()
    table.decline()
    while table.state.play is not None and table.state.play.to_move != 1:
        table.move()
    move = table.next_move()
    assert isinstance(move, PlayAsAI)
    assert isinstance(refusal_of(table, PlayTile("t", "ana", 1, move.turn, move.tile, move.end)), NotYourTurn)
    played = table.take(move)[0]
    assert isinstance(played, TilePlayed)
    assert played.by == "ai"


def test_a_player_who_acts_takes_the_seat_back() -> None:
    """The player takes it back from the AI that played after they left."""
    table = playing()
    player = mover(table)
    table.take(LeaveSeat("t", player))
    seat = table.state.seat_of(player) or 0
    as_ai = table.next_move()
    assert isinstance(as_ai, PlayAsAI)
    events = table.take(PlayTile("t", player, 1, 1, as_ai.tile, as_ai.end))
    assert events[0] == SeatBack(seat)
    assert isinstance(events[1], TilePlayed)
    assert table.state.seats[seat].played_by == "player"
