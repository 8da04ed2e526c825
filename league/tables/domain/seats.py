"""Decides on commands about seats: opening a table, sitting down, leaving, being ready, closing."""

from collections.abc import Collection
from datetime import datetime

from league.domain.refusals import InvalidInput, NotFound
from league.domain.result import MatchFacts
from league.domain.rules import Rulebook, Ruleset
from league.domain.seating import MODES, SEATS
from league.domain.sentences import either, say
from league.tables.domain.commands_and_events import (
    CloseTable,
    LeaveSeat,
    OpenTable,
    OpenTableOfMatch,
    PlayBegan,
    SayReady,
    SeatAI,
    SeatBack,
    SeatHandedOver,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableClosed,
    TableEvent,
    TableOpened,
    TakeSeat,
)
from league.tables.domain.evolve import WorkingTable
from league.tables.domain.refusals import (
    AlreadySeated,
    NotInvited,
    PlayHasBegun,
    SeatOccupied,
    SeatsOfMatch,
    TableIsClosed,
    TableIsOpen,
    named,
)
from league.tables.domain.state import TableState

MOST_TABLES = 20
"""Limit on tables per player that are not over: tables that the player opened, or sits at."""
MOST_INVITED = 100
"""Limit on invited players per table."""


def open_table(command: OpenTable, state: TableState, rulebook: Rulebook) -> list[TableEvent]:
    """Open a table. Raises AlreadyExists, NotFound, InvalidInput."""
    if state.opening is not None:
        raise TableIsOpen(named(command.table), say("open"), say("it is open already"))
    ruleset = rulebook.ruleset(command.ruleset)
    if ruleset is None:
        raise NotFound("ruleset", "ruleset", command.ruleset, tuple(sorted(rulebook.rulesets)))
    if command.mode not in ruleset.modes:
        raise InvalidInput(
            "mode",
            say(
                "{ruleset} is played {modes}, not {mode}",
                ruleset=say(ruleset.title),
                modes=either(MODES[mode] for mode in ruleset.modes),
                mode=MODES[command.mode],
            ),
        )
    possible = SEATS[command.mode]
    seats = possible[-1] if command.seats is None else command.seats
    if seats not in possible:
        wanted = either(map(str, possible))
        raise InvalidInput(
            "seats",
            say("{mode} is played by {wanted} players, not by {seats}", mode=command.mode, wanted=wanted, seats=seats),
        )
    if len(command.invited) > MOST_INVITED:
        raise InvalidInput(
            "invited",
            say(
                "a table takes at most {most_invited} invitations, not {count}",
                most_invited=MOST_INVITED,
                count=len(command.invited),
            ),
        )
    return [
        TableOpened(
            command.ruleset,
            command.mode,
            command.competition,
            seats,
            command.opened_by,
            command.listed,
            command.invited,
            ruleset.live.gathering_seconds,
        )
    ]


def open_table_of(command: OpenTableOfMatch, played: MatchFacts, ruleset: Ruleset) -> list[TableEvent]:
    """Open a table for the players of an open match, who have their seats at once. `ruleset`: of the match."""
    opening = TableOpened(
        played.ruleset,
        played.mode,
        played.competition,
        len(played.seats),
        command.opened_by,
        listed=False,
        invited=played.seats,
        gathering_seconds=ruleset.live.gathering_seconds,
        players=played.seats,
    )
    return [opening, *(SeatTaken(seat, player) for seat, player in enumerate(played.seats))]


def take_seat(command: TakeSeat, table: WorkingTable, ids: Collection[str] = ()) -> list[TableEvent]:
    """Seat a player at a free seat, or bring them back to their own seat. No event if they already sit and play there.

    `ids`: all ids of the player, because any of them may be invited. Raises NotInvited, SeatOccupied, InvalidInput,
    WrongState.
    """
    state = table.state
    own = state.seat_of(command.player)
    if own is not None and own == command.seat and state.phase != "closed":
        return _come_back(table, own)
    _check_open(state)
    opening = state.opening
    assert opening is not None, "the table is open"
    invited = {*opening.invited, opening.opened_by}
    if not opening.listed and invited.isdisjoint({command.player, *ids}):
        raise NotInvited(state.table)
    if own is not None:
        raise AlreadySeated(
            say("player {player!r}", player=command.player),
            say("seated"),
            say("at seat {own} of this table; leave it first", own=own),
        )
    _check_free(state, command.seat)
    player = command.player
    if opening.players:
        player = opening.players[command.seat]
        if player != command.player and player not in ids:
            raise InvalidInput("seat", say("seat {seat} is that of another player of the match", seat=command.seat))
    table.add(SeatTaken(command.seat, player))
    return table.events


def _come_back(table: WorkingTable, seat: int) -> list[TableEvent]:
    own = table.state.seats[seat]
    if table.state.phase != "open" and (own.played_by == "ai" or own.away_since is not None):
        table.add(SeatBack(seat))
    return table.settle()


def seat_ai(command: SeatAI, table: WorkingTable) -> list[TableEvent]:
    """Seat an AI, which makes the table a practice table. Players who were ready have to say so again.

    Raises SeatOccupied, InvalidInput, WrongState.
    """
    _check_open(table.state)
    _check_free(table.state, command.seat)
    if table.state.opening is not None and table.state.opening.players:
        raise SeatsOfMatch(
            named(command.table),
            say("playing a match that was open already"),
            say("its seats are those of the players of the match"),
        )
    table.add(SeatTaken(command.seat, None, command.level))
    return table.events


def leave_seat(command: LeaveSeat, table: WorkingTable) -> list[TableEvent]:
    """Free the player's seat; once play has begun, let an AI play on instead. No event if the player has left already.

    A table is closed when its last player leaves before play begins; a practice table also later. Raises NotSeated,
    WrongState.
    """
    state = table.state
    seat = table.seat_of(command.player)
    if state.phase == "closed":
        raise TableIsClosed(named(state.table), say("closed"), say("there is no seat to leave"))
    if state.phase != "open":
        if not state.seats[seat].left:
            table.add(SeatHandedOver(seat, "left"))
        return table.settle()
    table.add(SeatLeft(seat))
    if not any(other.player for other in table.state.seats):
        table.add(TableClosed("abandoned"))
    return table.events


def say_ready(
    command: SayReady, table: WorkingTable, edition: int, rulebook: Rulebook, began_at: datetime | None = None
) -> list[TableEvent]:
    """Mark a player as ready. When all seats are ready, play begins under this edition. No event if already ready.

    `began_at`: when the match began, if it was open before; None means now. Raises NotSeated, WrongState.
    """
    state = table.state
    seat = table.seat_of(command.player)
    if state.seats[seat].ready and state.phase != "closed":
        return table.events
    _check_open(state)
    table.add(SeatReady(seat))
    opening = table.state.opening
    assert opening is not None, "the table is open"
    if all(one.ready for one in table.state.seats):
        table.add(PlayBegan(began_at or table.now, edition, rulebook.rulesets[opening.ruleset]))
        table.commit(1)
    return table.settle()


def close_table(command: CloseTable, state: TableState) -> list[TableEvent]:
    """Close a table at which play has not begun. No event if it is closed already. Raises WrongState."""
    if state.phase == "closed":
        return []
    if state.phase != "open":
        raise PlayHasBegun(
            named(command.table), say("playing"), say("its match can be forfeited or voided; its players can leave it")
        )
    return [TableClosed("abandoned")]


def _check_open(state: TableState) -> None:
    if state.phase == "closed":
        raise TableIsClosed(named(state.table), say("closed"), say("play at it is over"))
    if state.phase != "open":
        raise PlayHasBegun(named(state.table), say("playing"), say("play has begun, so its seats stay as they are"))


def _check_free(state: TableState, seat: int) -> None:
    if not 0 <= seat < len(state.seats):
        raise InvalidInput(
            "seat", say("there is no seat {seat}: the seats are 0 to {count}", seat=seat, count=len(state.seats) - 1)
        )
    if state.seats[seat].taken:
        raise SeatOccupied(state.table, seat)
