"""A running hand whose secret cannot be opened, as after a restore without its key."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tables import HEX, GivenTable, kinds, refusal_of

from league.domain.refusals import WrongState
from league.tables.domain.commands_and_events import (
    ContributeSeed,
    HandDropped,
    LeaveSeat,
    MeetDeadline,
    NoteAway,
    ShuffleCommitted,
)
from league.tables.domain.evolve import evolve
from league.tables.domain.proof_of_deal import DatedTableEvent, faults_of_deal, finished_hands
from league.tables.domain.refusals import NothingDue
from league.tables.domain.state import Deadline, TableState, ai_to_act


def unreadable(hands: int = 2, moves: int = 3) -> GivenTable:
    """A table in the middle of a hand, as a process sees it that does not have the key."""
    table = GivenTable(seed=5).sit("ana", "bea").dealt()
    while table.state.hand <= hands:
        table.hand_out().contribute()
        table.decline()
    for _ in range(moves):
        table.move()
    known, table.state = table.state, TableState("t")
    for event, when in zip(table.events, table.times, strict=True):
        seen = replace(event, secret=None) if isinstance(event, ShuffleCommitted) else event
        table.state = evolve(table.state, seen, when)
    assert (known.unreadable, table.state.unreadable) == (False, True)
    assert table.state.played == known.played
    assert len(table.state.moves) == len(known.moves)
    return table


def test_it_is_due_at_once_to_be_dealt_again() -> None:
    """No turn is; and no AI has to act."""
    table = unreadable()
    due = table.due
    assert due is not None
    assert due.what == "hand"
    assert due.at <= table.now
    assert ai_to_act(table.state) is None
    hand = table.state.hand
    assert kinds(table.take(MeetDeadline("t", due.at))) == ["HandDropped", "ShuffleCommitted"]
    assert (table.state.hand, table.state.phase, table.state.unreadable) == (hand, "shuffling", False)
    assert isinstance(refusal_of(table, MeetDeadline("t", due.at)), NothingDue)


def test_a_first_hand_keeps_its_starting_draw() -> None:
    """The proof names the draw, whose secret is not known, and holds."""
    table = unreadable(hands=0)
    drawn, deadline = table.state.drawn, table.due
    assert deadline is not None
    table.take(MeetDeadline("t", deadline.at))
    table.contribute()
    table.decline()
    table.hand_out()
    happened = map(DatedTableEvent, range(1, len(table.events) + 1), table.times, table.events)
    [first] = finished_hands("t", happened)
    assert (first.proof.starting_draws, first.proof.drawn_before) == ((), drawn)
    assert list(faults_of_deal(first.proof)) == []


def test_no_tile_is_played_in_it() -> None:
    """The move is refused, and says why."""
    table = unreadable()
    deadline = table.due
    assert deadline is not None
    table.take(MeetDeadline("t", deadline.at))
    table.contribute()
    table.decline()
    move = table.next_move()
    sealed = unreadable(moves=0)
    refused = refusal_of(sealed, replace(move, hand=sealed.state.hand, turn=sealed.state.turn))
    assert isinstance(refused, WrongState)
    assert refused.state == "sealed"


@pytest.mark.parametrize("command", [LeaveSeat("t", "ana"), NoteAway("t", "ana")])
def test_whatever_else_happens_leaves_it_alone(command: LeaveSeat | NoteAway) -> None:
    """A process that was started with another secret by mistake drops no hand with it: only the deadline does."""
    table = unreadable()
    events = table.take(command)
    assert len(events) == 1
    assert table.state.unreadable


def test_nothing_is_added_to_its_seed() -> None:
    """Its deal could not follow. The refusal says why."""
    table = GivenTable().sit("ana", "bea").ready()
    table.state = replace(table.state, secret=None)
    refused = refusal_of(table, ContributeSeed("t", "ana", 1, HEX["ana"]))
    assert isinstance(refused, WrongState)
    assert refused.state == "sealed"


def test_a_hand_that_a_restore_dropped_is_due_to_be_dealt_again() -> None:
    """It is dealt again even if its secret can be opened, which may have been published since."""
    table = GivenTable().sit("ana", "bea").dealt()
    table.state = evolve(table.state, HandDropped(1), table.now)
    assert table.due == Deadline(table.now, "hand")
    assert kinds(table.meet()) == ["ShuffleCommitted"]
    table.match_out()
    assert table.state.closed == "finished"


def test_the_match_goes_on_to_its_end() -> None:
    """Finished hands stay as they were; the dropped one counts for nothing."""
    table = unreadable()
    before = table.state.played
    assert before is not None
    table.meet()
    table.match_out()
    assert table.state.closed == "finished"
    assert table.state.played is not None
    assert table.state.played.hands[: len(before.hands)] == before.hands


def test_the_first_hand_keeps_its_starting_draw() -> None:
    """The match was opened with it, so the same seat starts again."""
    table = unreadable(hands=0)
    starter, drawn = table.state.starter, table.state.drawn
    table.meet()
    table.contribute()
    table.decline()
    assert (table.state.starter, table.state.drawn, table.state.attempt) == (starter, drawn, 0)
