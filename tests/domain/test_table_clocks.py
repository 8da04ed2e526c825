"""The clock of a table: turns that run out, players who are away or back, and times without a server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed
from tables import GivenTable, kinds, refusal_of

from league.domain.refusals import InvalidInput, WrongState
from league.tables.domain.commands_and_events import (
    ClockStood,
    LeaveSeat,
    MeetDeadline,
    NoteAway,
    NoteBack,
    NoteStandstill,
    PlayTile,
    SeatAI,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    TakeSeat,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.refusals import NothingDue, NotSeated
from league.tables.domain.state import AiTurn, ai_to_act

WAITS = st.integers(0, 40_000_000)
"""Microseconds."""


def playing(**live: Any) -> GivenTable:
    """A hand in its second turn or later, so that a pass is possible."""
    table = GivenTable(live=live).sit("ana", "bea").dealt()
    table.move()
    return table


def to_move(table: GivenTable) -> int:
    assert table.state.play is not None
    return table.state.play.to_move


def player_of(table: GivenTable, seat: int) -> str:
    return table.state.seats[seat].player or ""


def left(table: GivenTable) -> float:
    """Seconds until the next deadline."""
    due = table.due
    assert due is not None
    return (due.at - table.now).total_seconds()


# ---------------------------------------------------------------- turns


def test_a_turn_lasts_thirty_seconds() -> None:
    """The time counts from the previous turn (Cuban text, Turn Timer)."""
    table = playing()
    table.wait(12)
    assert left(table) == 18
    table.move()
    assert left(table) == 30


def test_a_deadline_is_met_once() -> None:
    """The second process that sees it, or one that was slower than the player, has nothing to do."""
    table = playing()
    due = table.due
    assert due is not None
    table.wait(30)
    meet = MeetDeadline("t", due.at)
    table.take(meet)
    assert isinstance(refusal_of(table, meet), NothingDue)
    later = table.due
    assert later is not None
    table.wait(1)
    table.move()
    assert isinstance(refusal_of(table, MeetDeadline("t", later.at)), NothingDue)


def test_a_turn_that_runs_out_is_passed() -> None:
    """With its reason; the next turn begins."""
    table = playing()
    seat = to_move(table)
    events = table.meet()
    assert events[0] == TurnPassed(1, table.state.moves[1].turn, seat, "timeout")
    assert table.state.seats[seat].timeouts == 1


def test_a_move_after_the_deadline_counts_as_long_as_the_clock_has_not_acted() -> None:
    """Whichever is stored first holds."""
    table = playing()
    table.wait(31)
    assert isinstance(table.move()[0], TilePlayed)


def test_the_first_tile_of_a_hand_is_played_by_the_clock() -> None:
    """A starter cannot pass; which tile was chosen by the heuristic AI, and it has to be a legal one."""
    table = GivenTable().sit("ana", "bea").dealt()
    due, play = table.due, table.state.play
    assert due is not None
    assert play is not None
    assert isinstance(refusal_of(table, MeetDeadline("t", due.at)), InvalidInput)
    chosen = play.legal_plays()[2]
    assert table.meet(chosen)[0] == TilePlayed(1, 1, play.to_move, chosen.tile, None, "clock")


def test_a_ruleset_may_have_the_clock_play() -> None:
    """`on_timeout` set to `play`: in every turn."""
    table = playing(on_timeout="play")
    assert table.state.play is not None
    chosen = table.state.play.legal_plays()[0]
    played = table.meet(chosen)[0]
    assert isinstance(played, TilePlayed)
    assert played.by == "clock"


def test_a_pass_by_the_clock_gives_nobody_a_bonus() -> None:
    """Four seats: the three others let their time run out, and the first plays again. That is no pase corrido."""
    table = GivenTable("dominican-200", "2v2").sit("ana", "bea", "cira", "dora").dealt()
    table.move()
    while table.state.hand == 1 and len(table.state.moves) < 4:
        table.meet()
    while table.state.hand == 1:
        table.move()
    assert table.state.played is not None
    assert table.state.played.hands[0].corridos == ()
    assert table.state.played.hands[0].opening_pass is False


def run_out(table: GivenTable, seat: int) -> None:
    """Let the time of a seat run out, the other one plays."""
    while to_move(table) != seat:
        table.move()
    table.meet()


def test_after_two_timeouts_in_a_row_an_ai_plays() -> None:
    """The AI plays until the player acts; a connection alone does not bring the seat back."""
    table = playing()
    seat = to_move(table)
    player = player_of(table, seat)
    run_out(table, seat)
    run_out(table, seat)
    assert SeatHandedOver(seat, "timeouts") in table.events
    assert table.state.seats[seat].handed_over == "timeouts"
    assert table.decided(NoteBack("t", player)) == []
    while to_move(table) != seat:
        table.move()
    assert ai_to_act(table.state) == AiTurn(seat, "heuristic")
    assert table.due is None
    as_ai = table.next_move()
    assert table.decided(TakeSeat("t", seat, player)) == [SeatBack(seat)]
    events = table.take(PlayTile("t", player, 1, as_ai.turn, as_ai.tile, as_ai.end))
    assert events[0] == SeatBack(seat)
    assert table.state.seats[seat].played_by == "player"


def test_a_move_between_two_timeouts_keeps_the_seat() -> None:
    """Only turns in a row count."""
    table = playing()
    seat = to_move(table)
    run_out(table, seat)
    while to_move(table) != seat:
        table.move()
    table.move()
    assert table.state.seats[seat].timeouts == 0


# ---------------------------------------------------------------- away


def test_the_table_pauses_while_a_player_is_away() -> None:
    """The turn's time stands still, and goes on when the player is back (Cuban text, Disconnection Management)."""
    table = playing()
    seat = 1 - to_move(table)
    table.wait(10)
    assert table.take(NoteAway("t", player_of(table, seat))) == [SeatAway(seat)]
    assert table.phase() == "paused"
    assert table.decided(NoteAway("t", player_of(table, seat))) == []
    assert isinstance(refusal_of(table, table.next_move()), WrongState)
    assert left(table) == 120
    table.wait(50)
    assert table.take(NoteBack("t", player_of(table, seat))) == [SeatBack(seat)]
    assert (table.phase(), left(table)) == ("playing", 20)


def test_the_table_waits_two_minutes_for_a_player_in_all_of_a_match() -> None:
    """An AI then takes the seat, and the result still counts for the player."""
    table = playing()
    seat = to_move(table)
    player = player_of(table, seat)
    table.take(NoteAway("t", player))
    table.wait(90)
    table.take(NoteBack("t", player))
    table.take(NoteAway("t", player))
    assert left(table) == 30
    assert table.meet() == [SeatHandedOver(seat, "away")]
    assert (table.phase(), ai_to_act(table.state)) == ("playing", AiTurn(seat, "heuristic"))
    table.wait(7)
    assert table.take(NoteBack("t", player)) == [SeatBack(seat)]
    assert left(table) == 23
    assert table.take(NoteAway("t", player)) == [SeatAway(seat), SeatHandedOver(seat, "away")]
    table.match_out()
    assert table.state.played is not None
    assert table.state.played.seats == ("ana", "bea")


def test_two_are_away_at_once() -> None:
    """Each has a time of its own; the table goes on when it waits for nobody."""
    table = playing()
    table.take(NoteAway("t", "ana"))
    table.wait(40)
    table.take(NoteAway("t", "bea"))
    assert left(table) == 80
    assert table.meet() == [SeatHandedOver(0, "away")]
    assert (table.phase(), left(table)) == ("paused", 40)
    table.take(NoteBack("t", "bea"))
    assert table.phase() == "playing"
    assert table.state.seats[1].away_left == timedelta(seconds=40)


def test_leaving_on_purpose_skips_the_pause() -> None:
    """A player for whom the table waits can leave as well."""
    table = playing()
    table.take(NoteAway("t", "ana"))
    assert table.take(LeaveSeat("t", "ana")) == [SeatHandedOver(0, "left")]
    assert table.phase() == "playing"
    assert table.decided(NoteBack("t", "ana")) == []
    assert table.decided(NoteAway("t", "ana")) == []


def test_a_player_who_sits_down_again_is_there() -> None:
    """At the own seat, while the table waits."""
    table = playing()
    table.take(NoteAway("t", "ana"))
    assert table.take(TakeSeat("t", 0, "ana")) == [SeatBack(0)]
    assert table.phase() == "playing"


def test_a_player_who_acts_is_there() -> None:
    """A move by somebody who is away brings the seat back."""
    table = playing()
    player = player_of(table, to_move(table))
    table.take(NoteAway("t", player))
    events = table.take(table.next_move())
    assert kinds(events)[:2] == ["SeatBack", "TilePlayed"]
    assert table.phase() == "playing"


def test_nobody_is_waited_for_between_turns() -> None:
    """The table waits for a player who is away during the shuffle only once turns begin."""
    table = GivenTable().sit("ana", "bea").ready()
    assert table.take(NoteAway("t", "ana")) == [SeatAway(0)]
    assert table.phase() == "shuffling"
    table.meet()
    if table.phase() == "offering":
        table.meet()
    assert table.phase() == "paused"
    assert left(table) == 120
    table.take(NoteBack("t", "ana"))
    assert left(table) == 30


def test_presence_is_of_no_concern_where_nobody_plays() -> None:
    """Presence changes nothing before and after play and at an AI's seat; a stranger's is refused."""
    table = GivenTable().sit("ana")
    assert table.decided(NoteAway("t", "ana")) == []
    assert table.decided(NoteBack("t", "ana")) == []
    assert refusal_of(table, NoteAway("t", "bea")) == NotSeated("t")
    assert refusal_of(table, NoteBack("t", "bea")) == NotSeated("t")
    table.take(SeatAI("t", 1, "random"))
    table.ready().match_out()
    assert table.decided(NoteAway("t", "ana")) == []


# ---------------------------------------------------------------- standstill


@pytest.mark.parametrize("paused", [False, True])
def test_no_clock_runs_while_no_server_is_alive(paused: bool) -> None:
    """Afterwards everybody has 15 seconds to return before the clocks go on."""
    table = playing()
    table.wait(10)
    if paused:
        table.take(NoteAway("t", "ana"))
    before, since = left(table), table.now
    table.wait(600)
    stood = NoteStandstill("t", since, table.now)
    assert table.take(stood) == [ClockStood(since, table.now)]
    assert left(table) == before + 15


@pytest.mark.parametrize("back_after", [-1, 4])
@pytest.mark.parametrize("comes_back", [True, False], ids=["plays", "leaves"])
def test_a_player_who_acts_before_a_standstill_is_noted_was_not_away_in_it(back_after: float, comes_back: bool) -> None:
    """The table waited for 50 seconds before it. The player acts just before or after the servers have found it."""
    table = playing()
    seat = to_move(table)
    player = player_of(table, seat)
    table.take(NoteAway("t", player))
    table.wait(50)
    since = table.now
    table.wait(600 + back_after)
    table.take(table.next_move() if comes_back else LeaveSeat("t", player))
    for until in (600, 620):  # it is noted twice by servers that were killed
        table.take(NoteStandstill("t", since, since + timedelta(seconds=until)))
        assert table.state.seats[seat].away_left == timedelta(seconds=120 - 50)


def test_time_away_before_a_standstill_stays_spent() -> None:
    """The time stays spent even if it was longer than the table waits."""
    table = playing()
    seat = to_move(table)
    table.take(NoteAway("t", player_of(table, seat)))
    table.wait(50)
    table.take(table.next_move())
    since = table.now
    table.wait(600)
    table.take(NoteStandstill("t", since, table.now))
    assert table.state.seats[seat].away_left == timedelta(seconds=120 - 50)


def test_a_clock_that_began_within_a_standstill_has_all_of_its_time() -> None:
    """The last sign of life of the servers may be older than the newest event."""
    table = playing()
    since = table.now - timedelta(seconds=5)
    table.wait(60)
    table.take(NoteStandstill("t", since, table.now))
    assert left(table) == 45


def test_a_standstill_is_of_no_concern_where_no_clock_runs() -> None:
    """A standstill ends after it begins."""
    table = GivenTable().sit("ana", "bea")
    stood = NoteStandstill("t", table.now, table.now + timedelta(seconds=1))
    assert table.decided(stood) == []
    table.ready()
    assert isinstance(refusal_of(table, changed(stood, until=stood.since)), InvalidInput)
    table.match_out()
    assert table.decided(stood) == []


def test_a_late_note_of_a_standstill_moves_no_clock_back() -> None:
    """A clock that began after the standstill and the time to return keeps its time."""
    table = playing()
    since, until = table.now - timedelta(seconds=600), table.now - timedelta(seconds=300)
    table.take(NoteStandstill("t", since, until))
    assert left(table) == 30


def test_a_standstill_that_is_noted_twice_gives_no_turn_more_time() -> None:
    """A server that was killed before it remembered the note notes the same standstill again, up to a later time."""
    table = playing()
    table.wait(10)
    since = table.now
    table.wait(600)
    table.take(NoteStandstill("t", since, table.now))
    table.wait(60)
    table.take(NoteStandstill("t", since, table.now))
    assert left(table) == 20 + 15


def test_what_begins_while_the_players_return_has_all_of_its_time() -> None:
    """The time of the next turn begins when the clocks run again."""
    table = playing()
    since = table.now
    table.wait(600)
    table.take(NoteStandstill("t", since, table.now))
    table.wait(5)
    table.move()
    assert left(table) == 10 + 30


# ---------------------------------------------------------------- no time is gained


def test_a_player_who_leaves_and_sits_down_again_gains_no_time() -> None:
    """The turn's time runs on meanwhile, and the turns that ran out before still count."""
    table = playing()
    seat = to_move(table)
    run_out(table, seat)
    while to_move(table) != seat:
        table.move()
    table.wait(29.9)
    table.take(LeaveSeat("t", player_of(table, seat)))
    table.wait(0.1)
    table.take(TakeSeat("t", seat, player_of(table, seat)))
    assert (left(table), table.state.seats[seat].timeouts) == (0, 1)


def test_a_second_absence_ends_at_a_time_in_microseconds() -> None:
    """The remaining time is exact, so the deadline that the table names is met."""
    table = playing()
    player = player_of(table, to_move(table))
    for seconds in (0.1, 0.7, 14.000001, 33.333333):
        table.take(NoteAway("t", player))
        table.wait(seconds)
        table.take(NoteBack("t", player))
        table.wait(0.123457)
    table.take(NoteAway("t", player))
    assert kinds(table.meet())[0] == "SeatHandedOver"


@pytest.mark.heavy
@settings(max_examples=100, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(("away", "back", "leave", "sit", "stood")), st.booleans(), WAITS)))
def test_no_turn_lasts_longer_than_its_time_pauses_and_standstills(steps: list[tuple[str, bool, int]]) -> None:
    """Without a move, the clock can always act at the deadline, and by then the turn's time is used up."""
    table = playing()
    seat, turn, began = to_move(table), table.state.turn, table.now
    stood = timedelta()
    for step, first, microseconds in steps:
        since = table.now
        table.now += timedelta(microseconds=microseconds)
        if (due := table.due) is not None and due.at <= table.now:
            assert table.meet()
            if table.state.turn != turn:
                break
        number = 0 if first else 1
        player = player_of(table, number)
        command: Any = {
            "away": NoteAway("t", player),
            "back": NoteBack("t", player),
            "leave": LeaveSeat("t", player),
            "sit": TakeSeat("t", number, player),
        }.get(step)
        if command is None and microseconds:
            command = NoteStandstill("t", since, table.now)
            stood += table.now - since + timedelta(seconds=15)
        if command is not None:
            table.take(command)
    while table.state.turn == turn and table.due is not None:
        assert table.meet()
    assert table.now - began <= timedelta(seconds=30 + 2 * 120 + 40) + stood
    assert seat == to_move(table) or table.state.turn > turn or table.phase() != "playing"
