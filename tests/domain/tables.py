"""A live table in few words: commands to it one after the other, at times that the test sets."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import pytest
from given import EDITION, NOW
from msgspec.structs import replace

from league.domain.refusals import Refusal
from league.domain.rules import Competition, LiveTableRules, Mode, Rulebook
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    CloseTable,
    ContributeSeed,
    LeaveSeat,
    MeetDeadline,
    NoteAway,
    NoteBack,
    NoteStandstill,
    OpenTable,
    PlayAsAI,
    PlayTile,
    SayReady,
    SeatAI,
    TableEvent,
    TakeSeat,
)
from league.tables.domain.evolve import WorkingTable, evolve
from league.tables.domain.moves import (
    answer_reshuffle,
    contribute_seed,
    meet_deadline,
    note_away,
    note_back,
    note_standstill,
    play_as_ai,
    play_tile,
)
from league.tables.domain.seats import close_table, leave_seat, open_table, say_ready, seat_ai, take_seat
from league.tables.domain.state import Deadline, Phase, TableState, ai_to_act, due_of

DECIDERS: dict[type, Any] = {
    TakeSeat: take_seat,
    SeatAI: seat_ai,
    LeaveSeat: leave_seat,
    ContributeSeed: contribute_seed,
    AnswerReshuffle: answer_reshuffle,
    PlayTile: play_tile,
    PlayAsAI: play_as_ai,
    MeetDeadline: meet_deadline,
    NoteAway: note_away,
    NoteBack: note_back,
    NoteStandstill: note_standstill,
}
NAMES = ("ana", "bea", "cira", "dora")
HEX = {player: f"{number + 1:02x}" * 32 for number, player in enumerate(NAMES)}


class GivenTable:
    """A table `t` under edition 1, with its events so far and a clock that the test moves."""

    def __init__(
        self,
        ruleset: str = "cuban-150",
        mode: Mode = "1v1",
        seats: int | None = None,
        *,
        seed: int = 1,
        competition: Competition = "competitive",
        live: dict[str, Any] | None = None,
        **opening: Any,
    ) -> None:
        self.random, self.now = random.Random(seed), NOW
        self.rulebook = edition_with(ruleset, live or {})
        self.state = TableState("t")
        self.events: list[TableEvent] = []
        self.times: list[datetime] = []
        self.take(OpenTable("t", ruleset, mode, competition, seats, **opening))

    def take(self, command: Any) -> list[TableEvent]:
        """Decide a command and take its events. Raises Refusal."""
        events = self.decided(command)
        for event in events:
            self.state = evolve(self.state, event, self.now)
            self.events.append(event)
            self.times.append(self.now)
        return events

    def decided(self, command: Any) -> list[TableEvent]:
        """The events of a command, which are not taken."""
        if isinstance(command, OpenTable):
            return open_table(command, self.state, self.rulebook)
        if isinstance(command, CloseTable):
            return close_table(command, self.state)
        table = WorkingTable(self.state, self.now, self.random.randbytes(32))
        if isinstance(command, SayReady):
            return say_ready(command, table, 1, self.rulebook)
        events: list[TableEvent] = DECIDERS[type(command)](command, table)
        return events

    # ------------------------------------------------------------ whole steps

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def sit(self, *players: str) -> GivenTable:
        """Players sit down at the first free seats."""
        for player in players:
            free = next(number for number, seat in enumerate(self.state.seats) if not seat.taken)
            self.take(TakeSeat("t", free, player))
        return self

    def ready(self) -> GivenTable:
        """All players are ready."""
        for seat in self.state.seats:
            if seat.player is not None:
                self.take(SayReady("t", seat.player))
        return self

    def contribute(self) -> GivenTable:
        """All players contribute to the running hand."""
        hand = self.state.hand
        for number in self.state.awaited:
            player = self.state.seats[number].player
            assert player is not None
            self.take(ContributeSeed("t", player, hand, HEX[player]))
        return self

    def dealt(self) -> GivenTable:
        """Everybody is ready and contributes; offers of a reshuffle are declined."""
        self.ready().contribute()
        self.decline()
        return self

    def decline(self) -> None:
        """Nobody wants the hand dealt anew."""
        for number in self.state.offers:
            player = self.state.seats[number].player
            assert player is not None
            self.take(AnswerReshuffle("t", player, self.state.hand, False))

    def move(self, choice: int = 0) -> list[TableEvent]:
        """The seat to move plays one of its legal plays."""
        return self.take(self.next_move(choice))

    def next_move(self, choice: int = 0) -> Any:
        """A legal move of the seat to move."""
        play = self.state.play
        assert play is not None
        plays = play.legal_plays()
        tile, end = plays[choice % len(plays)]
        seat = self.state.seats[play.to_move]
        if ai_to_act(self.state) is not None:
            return PlayAsAI("t", play.to_move, self.state.hand, self.state.turn, tile, end)
        assert seat.player is not None
        return PlayTile("t", seat.player, self.state.hand, self.state.turn, tile, end)

    def hand_out(self) -> GivenTable:
        """Play the running hand to its end, at random."""
        hand = self.state.hand
        while self.state.hand == hand and self.state.phase == "playing":
            self.move(self.random.randrange(20))
        return self

    def match_out(self) -> GivenTable:
        """Play on to the end of the match."""
        while self.state.phase != "closed":
            if self.state.phase == "shuffling":
                self.contribute()
                self.decline()
            self.hand_out()
        return self

    def play_out(self) -> None:
        """Go on to the end of the match, whatever happened before: the clock acts if nobody else can."""
        while self.state.phase != "closed":
            if self.state.phase == "playing":
                self.move(self.random.randrange(20))
            else:
                self.wait(1)
                self.meet()

    def phase(self) -> Phase:
        """The present phase of the table."""
        return self.state.phase

    @property
    def due(self) -> Deadline | None:
        """The next deadline."""
        return due_of(self.state)

    def meet(self, play: Any = None) -> list[TableEvent]:
        """Go to the next deadline, and let the clock act."""
        due = self.due
        assert due is not None
        self.now = max(self.now, due.at)
        return self.take(MeetDeadline("t", due.at, play))


def edition_with(ruleset: str, live: dict[str, Any]) -> Rulebook:
    """Edition 1 with other settings of live tables in one ruleset."""
    changed = replace(EDITION.rulesets[ruleset], live=LiveTableRules(**live))
    return replace(EDITION, rulesets={**EDITION.rulesets, ruleset: changed})


def refusal_of(table: GivenTable, command: Any) -> Refusal:
    """The refusal of a command."""
    with pytest.raises(Refusal) as refused:
        table.decided(command)
    return refused.value


def kinds(events: list[TableEvent]) -> list[str]:
    """The names of the events' types."""
    return [type(event).__name__ for event in events]
