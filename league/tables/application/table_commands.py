"""The commands on live tables, and the rules that live tables add to commands on matches.

Events that a command brings to the match and the series are stored in the same save.
"""

import os
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from league.application.decisions import CommandPart, DecidedEvents, Decision, Handler, RepeatedCommand, entry_in_series
from league.application.stream_states import StreamStates
from league.domain import match, match_decider, player
from league.domain.collected_refusals import Faults
from league.domain.dealing import SECRET_BYTES
from league.domain.deciders import Event
from league.domain.match import MatchOpened, OpenMatch
from league.domain.match_refusals import SeriesLocked
from league.domain.refusals import AlreadyExists, NotFound, Refusal, WrongState
from league.domain.sentences import say
from league.domain.timeline import edition_at
from league.tables.application.live_rows import StandstillCheck, rows_of, table_state
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
    OpenTableOfMatch,
    PlayAsAI,
    PlayTile,
    ReshuffleAccepted,
    ReshuffleDeclined,
    SayReady,
    SeatAI,
    SeatLeft,
    ShuffleCommitted,
    TableClosed,
    TableEvent,
    TakeSeat,
    TilePlayed,
)
from league.tables.domain.evolve import WorkingTable
from league.tables.domain.moves import (
    answer_reshuffle,
    contribute_seed,
    meet_deadline,
    note_away,
    note_back,
    note_standstill,
    play_as_ai,
    play_tile,
    same_move,
)
from league.tables.domain.refusals import HandIsOver, LivePlayIsOff, TableInPlay, TooManyTables, TurnTaken
from league.tables.domain.seats import (
    MOST_TABLES,
    close_table,
    leave_seat,
    open_table,
    open_table_of,
    say_ready,
    seat_ai,
    take_seat,
)
from league.tables.domain.state import TableState
from league.tables.events import STREAM

OTHERS = """
    SELECT FROM live_tables WHERE table_id <> %s AND (opened_by = ANY(%s) OR players && %s::text[]) LIMIT %s
"""


class TableLimit(Struct, frozen=True):
    """Checks the limit on tables per player that are not over: tables that the player opened, or sits at."""

    table: str
    """The table that the player opens, or sits down at."""
    ids: Collection[str]
    """All ids of the player, merged ones included."""

    def check(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Raise TooManyTables if the player has too many other tables. No other writer can append meanwhile."""
        ids = list(self.ids)
        if conn.execute(OTHERS, [self.table, ids, ids, MOST_TABLES]).rowcount == MOST_TABLES:
            raise TooManyTables(MOST_TABLES)


class _TableCommand(Protocol):
    @property
    def table(self) -> str: ...


class _PlayerCommand(_TableCommand, Protocol):
    @property
    def player(self) -> str: ...


T = TypeVar("T", bound=_TableCommand)
P = TypeVar("P", bound=_PlayerCommand)
V = TypeVar("V", PlayTile, PlayAsAI)


def _open_table(command: OpenTable, states: StreamStates) -> Decision:
    player.check_id("table", command.table)
    _check_set_up(states)
    if table_state(states, command.table).opening is not None:
        raise AlreadyExists("table", "table", command.table)
    if states.match(command.table).played is not None:
        raise AlreadyExists("table", "match", command.table)
    if command.opened_by is not None:
        _check_known(states, {"opened_by": command.opened_by})
        _check_number(states, command.opened_by, command.table)
    _check_known(states, {f"invited.{number}": one for number, one in enumerate(command.invited)})
    events = open_table(command, table_state(states, command.table), states.rulebook().at(states.now))
    return [DecidedEvents(f"table:{command.table}", events)]


def _open_table_of_match(command: OpenTableOfMatch, states: StreamStates) -> Decision:
    """Open a table for an open match without hands. Raises NotFound, AlreadyExists, MatchOver, WrongState."""
    _check_set_up(states)
    state = states.match(command.table)
    rulebook = states.rulebook().at(states.now if state.played is None else state.played.began_at)
    match_decider.take_to_table(command.table, None, state, rulebook)
    table = table_state(states, command.table)
    if table.opening is not None and table.phase != "closed":
        raise AlreadyExists("table", "table", command.table)
    assert state.played is not None, "the match is open"
    if command.opened_by is not None:
        _check_number(states, command.opened_by, command.table)
    events = open_table_of(command, state.played, rulebook.rulesets[state.played.ruleset])
    return [DecidedEvents(f"table:{command.table}", events)]


def _take_seat(command: TakeSeat, states: StreamStates) -> Decision:
    """Seat a player. If a pair is locked this month, its last player is refused here (ToT text 2)."""
    table = _working_table(command, states)
    if table.state.seat_of(command.player) is None:
        _check_known(states, {"player": command.player})
        _check_number(states, command.player, command.table)
    events = take_seat(command, table, states.merges().ids_of(command.player))
    after, opening = table.state, table.state.opening
    gathered = after.phase == "open" and all(seat.player for seat in after.seats)
    if events and gathered and opening is not None and not opening.players:
        series = states.rulebook().at(states.now).series
        entry_in_series(after.table, opening.mode, opening.competition, _players(after), states.now, series, states)
    return _with_match(table, events, states)


def _say_ready(command: SayReady, states: StreamStates) -> Decision:
    """Mark a player as ready; play may begin then. Before that, seats of erased players are freed.

    The rules are the edition in force now; if the match was open before, the edition in force when it began.
    """
    table, rulebook = _working_table(command, states), states.rulebook()
    if table.state.phase == "open":
        for number, seat in enumerate(table.state.seats):
            if seat.player is not None and states.player(seat.player).erased:
                table.add(SeatLeft(number))
    opened = states.match(command.table).played
    began_at = table.now if opened is None else opened.began_at
    edition = edition_at(rulebook.timeline, began_at)
    events = say_ready(command, table, edition, rulebook.edition(edition), began_at)
    return _with_match(table, events, states)


def _close_table(command: CloseTable, states: StreamStates) -> Decision:
    table = _working_table(command, states)
    return _with_match(table, close_table(command, table.state), states)


def _by_seat(handle: Handler[P]) -> Handler[P]:
    """Replace the player's id in a command by the id of their seat. Players may send any of their merged ids."""

    def handled(command: P, states: StreamStates) -> Decision:
        sitting = [seat.player for seat in table_state(states, command.table).seats]
        seated: P = replace(command, player=states.seated_as(command.player, sitting))  # type: ignore[type-var]  # a struct
        return handle(seated, states)

    return handled


def _on_table(decide: Callable[[T, WorkingTable], list[TableEvent]]) -> Handler[T]:
    def handle(command: T, states: StreamStates) -> Decision:
        table = _working_table(command, states)
        return _with_match(table, decide(command, table), states)

    return handle


def _by_clock(handle: Handler[T]) -> Handler[T]:
    """Add a check to commands of the clock and of AIs: no standstill may be open for the table.

    The check runs when the events are stored, and raises ClockStands.
    """

    def handled(command: T, states: StreamStates) -> Decision:
        states.checks.append(StandstillCheck(command.table).check)
        return handle(command, states)

    return handled


def _move(decide: Callable[[V, WorkingTable], list[TableEvent]]) -> Handler[V]:
    """A handler of a move. A move that was already made gets its first answer again."""

    def handle(command: V, states: StreamStates) -> Decision:
        table = _working_table(command, states)
        try:
            events = decide(command, table)
        except (TurnTaken, HandIsOver, WrongState):  # WrongState: the table may have been closed since
            if (position := _made_at(command, states)) is not None:
                raise RepeatedCommand(position) from None
            raise
        return _with_match(table, events, states)

    return handle


def _made_at(command: PlayTile | PlayAsAI, states: StreamStates) -> int | None:
    """The position of the event that this command caused earlier; None if it did not."""
    state = table_state(states, command.table)
    seat = command.seat if isinstance(command, PlayAsAI) else state.seat_of(command.player)
    return _newest_in_hand(
        command, states, lambda event: isinstance(event, TilePlayed) and same_move(command, event, seat)
    )


def _newest_in_hand(
    command: PlayTile | PlayAsAI | AnswerReshuffle, states: StreamStates, is_it: Callable[[Event], bool]
) -> int | None:
    """The position of the newest matching event after the last shuffle of the command's hand; None without one.

    Events before that shuffle belong to a dropped hand.
    """
    for stored in reversed(states.events(f"table:{command.table}")):
        if is_it(stored.event):
            return stored.position
        if isinstance(stored.event, ShuffleCommitted) and stored.event.hand == command.hand:
            return None
    return None


def _answer_reshuffle(command: AnswerReshuffle, states: StreamStates) -> Decision:
    """Answer the offer of a reshuffle. An answer that was already given gets its first result again."""
    table = _working_table(command, states)
    try:
        events = answer_reshuffle(command, table)
    except (WrongState, HandIsOver):
        if (position := _answered_at(command, states)) is not None:
            raise RepeatedCommand(position) from None
        raise
    return _with_match(table, events, states)


def _answered_at(command: AnswerReshuffle, states: StreamStates) -> int | None:
    """The position of the event that this command caused earlier; None if it did not."""
    hand, seat = command.hand, table_state(states, command.table).seat_of(command.player)
    if seat is None:
        return None
    answer = ReshuffleAccepted(hand, seat) if command.accept else ReshuffleDeclined(hand, seat, "player")
    return _newest_in_hand(command, states, lambda event: event == answer)


def _working_table(command: _TableCommand, states: StreamStates) -> WorkingTable:
    state = table_state(states, command.table)
    if state.opening is None:
        raise NotFound("table", "table", command.table)
    _check_set_up(states)
    return WorkingTable(state, states.now, new_secret())


def new_secret() -> bytes:
    """A new random secret for a shuffle."""
    return os.urandom(SECRET_BYTES)


def _check_set_up(states: StreamStates) -> None:
    if not states.store.seals_tables:
        raise LivePlayIsOff(
            say("live play"), say("not set up"), say("the server needs a secret for it: LEAGUE_TABLE_SECRET")
        )


def _check_known(states: StreamStates, players: dict[str, str]) -> None:
    """Raise NotFound for the first unknown player. `players`: by the field of the command that names them."""
    known = states.known_players(tuple(players.values()))
    for at, one in players.items():
        if one not in known:
            raise NotFound(at, "player", one)


def _check_number(states: StreamStates, player: str, table: str) -> None:
    """Add a check, which runs when the events are stored: the player may have another table."""
    states.checks.append(TableLimit(table, states.merges().ids_of(player)).check)


def _players(state: TableState) -> tuple[str, ...]:
    return tuple(seat.player or "" for seat in state.seats)


# ---------------------------------------------------------------- the match


def _with_match(table: WorkingTable, events: list[TableEvent], states: StreamStates) -> Decision:
    """The events of a table, and the events that they cause in its match: its opening, a hand, its end.

    Raises Repeated if there are no events.
    """
    before, after = table_state(states, table.state.table), table.state
    if not events:
        raise RepeatedCommand(states.store.newest_position(f"table:{after.table}"))
    stream = f"table:{after.table}"
    if after.practice or after.played is None:
        return [DecidedEvents(stream, events)]
    if before.played is None:
        try:
            return [DecidedEvents(stream, events), *_opening(after, states)]
        except SeriesLocked:
            return [DecidedEvents(stream, [TableClosed("locked")])]
        except Refusal:  # a player was erased, or somebody has used the id for another match
            return [DecidedEvents(stream, [TableClosed("abandoned")])]
    if len(after.played.hands) > len(before.played.hands):
        hand = match_decider.play_hand(after.played.hands[-1], states.match(after.table), after.ruleset)
        return [
            DecidedEvents(stream, events),
            DecidedEvents(f"match:{after.table}", hand),
        ]
    return [DecidedEvents(stream, events)]


def _opening(state: TableState, states: StreamStates) -> Decision:
    """Open the match of a table, with its entry in the series. If the match is open already, move it to the table."""
    assert state.opening is not None, "the table is open"
    assert state.began is not None, "play has begun"
    assert state.played is not None, "the first hand is dealt"
    opening, began_at, players = state.opening, state.began.at, _players(state)
    rulebook, draw = states.rulebook().edition(state.began.edition), state.played.starting_draw
    if opening.players:
        taken = match_decider.take_to_table(state.table, draw, states.match(state.table), rulebook)
        return [DecidedEvents(f"match:{state.table}", taken)]
    command = OpenMatch(state.table, opening.ruleset, opening.mode, opening.competition, players, draw, began_at)
    # Another process, whose clock is ahead, may have begun play.
    now = max(states.now, began_at)
    Faults.check(states.faults_of_seats(players))
    known = states.known_players(players)
    events = [
        replace(event, table=True) if isinstance(event, MatchOpened) else event
        for event in match_decider.open_match(command, states.match(state.table), rulebook, known, now)
    ]
    entry = entry_in_series(state.table, opening.mode, opening.competition, players, began_at, rulebook.series, states)
    return [DecidedEvents(f"match:{state.table}", events, began_at), *entry]


# ---------------------------------------------------------------- commands on the match of a table


class _MatchCommand(Protocol):
    @property
    def match(self) -> str: ...


def no_table(handle: Handler[match.OpenMatch]) -> Handler[match.OpenMatch]:
    """Refuse to open a match if a live table has its id: the table opens its own match when play begins."""

    def opening(command: match.OpenMatch, states: StreamStates) -> Decision:
        decision = handle(command, states)
        if states.has_cached_stream(STREAM + command.match):
            raise AlreadyExists("match", "match", command.match)
        return decision

    return opening


def by_hand(handle: Handler[_MatchCommand]) -> Handler[_MatchCommand]:
    """Refuse to change a match by hand while a live table plays it."""

    def checked(command: _MatchCommand, states: StreamStates) -> Decision:
        if _in_play(command.match, states):
            raise TableInPlay(command.match)
        return handle(command, states)

    return checked


def closing_table(reason: Literal["voided", "forfeited"], handle: Handler[_MatchCommand]) -> Handler[_MatchCommand]:
    """Also close the live table that plays a match, when a command ends the match."""

    def closing(command: _MatchCommand, states: StreamStates) -> Decision:
        decision = handle(command, states)
        if _in_play(command.match, states):
            decision.append(DecidedEvents(f"{STREAM}{command.match}", [TableClosed(reason)]))
        return decision

    return closing


def _in_play(match_id: str, states: StreamStates) -> bool:
    """Whether a live table plays this match now. A table is looked up only if the match is live."""
    return states.match(match_id).live and table_state(states, match_id).phase != "closed"


COMMANDS = CommandPart(
    handlers={
        OpenTable: _open_table,
        OpenTableOfMatch: _open_table_of_match,
        TakeSeat: _by_seat(_take_seat),
        SeatAI: _on_table(seat_ai),
        LeaveSeat: _by_seat(_on_table(leave_seat)),
        SayReady: _by_seat(_say_ready),
        ContributeSeed: _by_seat(_on_table(contribute_seed)),
        AnswerReshuffle: _by_seat(_answer_reshuffle),
        PlayTile: _by_seat(_move(play_tile)),
        PlayAsAI: _by_clock(_move(play_as_ai)),
        MeetDeadline: _by_clock(_on_table(meet_deadline)),
        NoteAway: _by_clock(_on_table(note_away)),
        NoteBack: _by_clock(_on_table(note_back)),
        NoteStandstill: _on_table(note_standstill),
        CloseTable: _close_table,
    },
    source="live",
    rules={
        match.OpenMatch: no_table,
        match.RecordHand: by_hand,
        match.CorrectHand: by_hand,
        match.EndMatch: by_hand,
        match.RecordResult: by_hand,
        match.CorrectResult: by_hand,
        match.ReopenMatch: by_hand,
        match.ForfeitMatch: partial(closing_table, "forfeited"),
        match.VoidMatch: partial(closing_table, "voided"),
    },
    rows=rows_of,
)
