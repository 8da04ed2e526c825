"""Sitting down at a table, standing up, being ready, and closing it before play begins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from given import EDITION, NOW
from tables import GivenTable, kinds, refusal_of

from league.domain.dealing import commitment_of
from league.domain.refusals import InvalidInput, NotFound, Refusal, WrongState
from league.tables.domain import seats
from league.tables.domain.commands_and_events import (
    CloseTable,
    LeaveSeat,
    MeetDeadline,
    NoteAway,
    OpenTable,
    PlayBegan,
    SayReady,
    SeatAI,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    SeatLeft,
    SeatReady,
    SeatTaken,
    ShuffleCommitted,
    TableClosed,
    TableOpened,
    TakeSeat,
)
from league.tables.domain.refusals import NothingDue, NotInvited, NotSeated, SeatOccupied
from league.tables.domain.state import TableState, due_of


def opening(**given: Any) -> OpenTable:
    return OpenTable(**{"table": "t", "ruleset": "cuban-150", "mode": "1v1", "competition": "casual", **given})


def test_a_table_is_opened() -> None:
    """It has the seats of its mode; individuals may ask for three or four, four by default."""
    open_ = seats.open_table
    assert open_(opening(), TableState("t"), EDITION) == [TableOpened("cuban-150", "1v1", "casual", 2, None, True)]
    for asked, count in ((None, 4), (3, 3)):
        of_three = opening(ruleset="doscientos-100", mode="individuals", seats=asked)
        [opened] = open_(of_three, TableState("t"), EDITION)
        assert isinstance(opened, TableOpened)
        assert opened.seats == count


@pytest.mark.parametrize(
    ("given", "kind", "field"),
    [
        ({"ruleset": "bridge"}, NotFound, "ruleset"),
        ({"ruleset": "dominican-200"}, InvalidInput, "mode"),
        ({"seats": 3}, InvalidInput, "seats"),
        ({"invited": ("ana",) * 101}, InvalidInput, "invited"),
    ],
)
def test_a_table_that_cannot_be_played_at_is_not_opened(given: dict[str, Any], kind: type, field: str) -> None:
    """An unknown ruleset, a mode that it is not played in, other seats than the mode has, too many invitations."""
    with pytest.raises(Refusal) as refused:
        seats.open_table(opening(**given), TableState("t"), EDITION)
    assert isinstance(refused.value, kind)
    assert refused.value.field == field


def test_players_sit_down_at_free_seats() -> None:
    """A taken seat, a seat that is not there and a second seat are refused; the own seat again changes nothing."""
    table = GivenTable()
    assert table.take(TakeSeat("t", 1, "ana")) == [SeatTaken(1, "ana")]
    assert refusal_of(table, TakeSeat("t", 1, "bea")) == SeatOccupied("t", 1)
    assert isinstance(refusal_of(table, TakeSeat("t", 2, "bea")), InvalidInput)
    assert isinstance(refusal_of(table, TakeSeat("t", 0, "ana")), WrongState)
    assert table.decided(TakeSeat("t", 1, "ana")) == []


def test_only_invited_players_sit_down_at_a_table_that_is_not_listed() -> None:
    """The player who opened it may sit down too."""
    table = GivenTable(listed=False, opened_by="ana", invited=("bea",))
    assert refusal_of(table, TakeSeat("t", 0, "cira")) == NotInvited("t")
    table.sit("ana", "bea")
    assert [seat.player for seat in table.state.seats] == ["ana", "bea"]


def test_an_ai_makes_a_table_practice() -> None:
    """It is ready at once. Its seat is taken."""
    table = GivenTable().sit("ana")
    before = table.state
    assert table.take(SeatAI("t", 1, "random")) == [SeatTaken(1, None, "random")]
    assert (before.practice, table.state.practice) == (False, True)
    assert refusal_of(table, SeatAI("t", 1, "random")) == SeatOccupied("t", 1)
    assert "PlayBegan" in kinds(table.take(SayReady("t", "ana")))


def test_play_begins_when_all_are_ready() -> None:
    """Under the rules in force then, with the hash of the first hand's secret."""
    table = GivenTable().sit("ana", "bea")
    assert table.take(SayReady("t", "bea")) == [SeatReady(1)]
    assert table.decided(SayReady("t", "bea")) == []
    ready, began, committed = table.take(SayReady("t", "ana"))
    assert ready == SeatReady(0)
    assert began == PlayBegan(NOW, 1, EDITION.rulesets["cuban-150"])
    assert isinstance(committed, ShuffleCommitted)
    assert committed.secret is not None
    assert committed.commitment == commitment_of(bytes.fromhex(committed.secret))
    assert table.phase() == "shuffling"


def test_nobody_is_ready_who_does_not_sit() -> None:
    """A player who does not sit cannot leave either."""
    table = GivenTable().sit("ana")
    assert refusal_of(table, SayReady("t", "bea")) == NotSeated("t")
    assert refusal_of(table, LeaveSeat("t", "bea")) == NotSeated("t")


def test_a_seat_left_before_play_is_free() -> None:
    """The last player who leaves closes the table."""
    table = GivenTable().sit("ana", "bea")
    table.take(SayReady("t", "ana"))
    assert table.take(LeaveSeat("t", "ana")) == [SeatLeft(0)]
    assert not table.state.seats[0].taken
    assert table.take(LeaveSeat("t", "bea")) == [SeatLeft(1), TableClosed("abandoned")]
    assert isinstance(refusal_of(table, TakeSeat("t", 0, "ana")), WrongState)
    assert isinstance(refusal_of(table, LeaveSeat("t", "ana")), NotSeated)


def test_a_table_is_closed_only_before_play() -> None:
    """A closed one is left as it is."""
    table = GivenTable().sit("ana", "bea")
    assert table.decided(CloseTable("t")) == [TableClosed("abandoned")]
    table.ready()
    assert isinstance(refusal_of(table, CloseTable("t")), WrongState)
    table.match_out()
    assert table.decided(CloseTable("t")) == []
    assert isinstance(refusal_of(table, LeaveSeat("t", "ana")), WrongState)


def test_a_table_at_which_play_does_not_begin_is_closed_by_the_clock() -> None:
    """A day after it was opened, by the rules at that time; who takes a seat meanwhile does not delay it."""
    table = GivenTable()
    due = due_of(table.state)
    assert due is not None
    assert (due.at - table.state.opened_at, due.what) == (timedelta(days=1), "start")
    table.sit("ana", "bea")
    assert due_of(table.state) == due
    assert table.decided(MeetDeadline("t", due.at)) == [TableClosed("abandoned")]
    table.ready()
    assert isinstance(refusal_of(table, MeetDeadline("t", due.at)), NothingDue)


def test_seats_stay_as_they_are_once_play_has_begun() -> None:
    """A player who leaves is played for by an AI without a pause, and may sit down again at the own seat."""
    table = GivenTable().sit("ana", "bea").dealt()
    assert isinstance(refusal_of(table, TakeSeat("t", 0, "cira")), WrongState)
    assert isinstance(refusal_of(table, SeatAI("t", 0, "random")), WrongState)
    assert table.take(LeaveSeat("t", "bea")) == [SeatHandedOver(1, "left")]
    assert table.decided(LeaveSeat("t", "bea")) == []
    assert table.phase() == "playing"
    assert table.state.seats[1].left
    assert table.take(TakeSeat("t", 1, "bea")) == [SeatBack(1)]
    assert table.state.seats[1].played_by == "player"


def test_a_practice_table_that_its_last_player_leaves_is_closed() -> None:
    """AIs do not play for each other; a table of a match they play to its end."""
    table = GivenTable("doscientos-100", "individuals", 3).sit("ana", "bea")
    table.take(SeatAI("t", 2, "random"))
    table.dealt()
    assert table.take(LeaveSeat("t", "ana"))[0] == SeatHandedOver(0, "left")
    assert table.phase() == "playing"
    assert table.take(LeaveSeat("t", "bea")) == [SeatHandedOver(1, "left"), TableClosed("abandoned")]


def test_a_practice_table_is_closed_when_its_last_player_was_away_for_too_long() -> None:
    """It waits as long as it would for a player of a match."""
    table = GivenTable().sit("ana")
    table.take(SeatAI("t", 1, "random"))
    table.dealt()
    assert table.take(NoteAway("t", "ana")) == [SeatAway(0)]
    due = due_of(table.state)
    assert due is not None
    assert due.what == "pause"
    assert table.take(MeetDeadline("t", due.at)) == [SeatHandedOver(0, "away"), TableClosed("abandoned")]


def test_ais_finish_what_all_have_left() -> None:
    """Nobody is waited for: the next hand is dealt at once, and the result counts for the players."""
    table = GivenTable().sit("ana", "bea").dealt()
    for player in ("ana", "bea"):
        table.take(LeaveSeat("t", player))
    hand = table.state.hand
    while table.state.hand == hand and table.phase() != "closed":
        table.move()
    if table.phase() != "closed":
        assert table.phase() == "playing"
        assert table.due is None
    table.match_out()
    assert table.state.closed == "finished"
    assert table.state.played is not None
    assert table.state.played.seats == ("ana", "bea")


def test_an_ai_that_sits_down_begins_no_play() -> None:
    """The players were ready for a match, and the AI makes it practice: they say again that they are ready."""
    alone = GivenTable()
    alone.take(SeatAI("t", 0, "random"))
    assert kinds(alone.take(SeatAI("t", 1, "random"))) == ["SeatTaken"]
    table = GivenTable()
    table.take(TakeSeat("t", 0, "ana"))
    assert kinds(table.take(SayReady("t", "ana"))) == ["SeatReady"]
    assert kinds(table.take(SeatAI("t", 1, "random"))) == ["SeatTaken"]
    assert [seat.ready for seat in table.state.seats] == [False, True]
    assert kinds(table.take(SayReady("t", "ana"))) == ["SeatReady", "PlayBegan", "ShuffleCommitted"]
