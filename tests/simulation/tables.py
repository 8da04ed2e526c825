"""Live tables of a simulated league: what people and the clock do there, and what must stay hidden."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from league.application.bootstrap import League
from league.application.stream_states import StateCache, StreamStates
from league.domain.deciders import Command
from league.domain.play import HandInPlay
from league.domain.tiles import Tile
from league.infra.database import connect
from league.tables.application.live_rows import stored_table
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    CloseTable,
    ContributeSeed,
    LeaveSeat,
    MeetDeadline,
    NoteAway,
    NoteBack,
    OpenTable,
    PlayAsAI,
    PlayTile,
    SayReady,
    SeatAI,
    TakeSeat,
    TilePlayed,
)
from league.tables.domain.state import TableState, due_of, view_of
from tests.simulation.people import World

DUE = "SELECT table_id, due_at, due FROM live_tables WHERE due_at IS NOT NULL ORDER BY table_id"
ROW = "SELECT version, phase, due_at FROM live_tables WHERE table_id = %s"
ALIVE = "UPDATE league.live_heartbeat SET beat_at = clock_timestamp() + interval '1 day'"
"""A server is alive all the time: standstills are not simulated."""
PATIENCE = 0.95
"""How often the clock leaves a table open although its time to gather is over: otherwise nothing would be played."""
AT_ONCE = 2
"""The newest tables, at which people play."""


def table_command(league: League, world: World, random: Random) -> Command | None:
    """What somebody does at a live table as they see it; now and then they leave, or close it."""
    if not world.tables or random.random() < 0.03:
        return open_table(world, random)
    table = random.choice(world.tables[-AT_ONCE:])
    state = stored_table(league.dispatcher.state_cache, table)
    seated = [seat.player for seat in state.seats if seat.player is not None]
    if random.random() < 0.03:
        return LeaveSeat(table, random.choice(seated)) if seated else CloseTable(table)
    if state.phase == "closed":
        return open_table(world, random)
    return acted(state, random, seated, world)


def open_table(world: World, random: Random) -> Command:
    """Open a table; sometimes under an id that somebody else takes at the same time."""
    number = len(world.tables) + (random.random() < 0.8)
    return OpenTable(f"t{number}", "cuban-150", "1v1", random.choice(("competitive", "casual")))


def acted(state: TableState, random: Random, seated: list[str], world: World) -> Command | None:
    """What a table waits for; None if that is not its players."""
    table, free = state.table, [number for number, seat in enumerate(state.seats) if not seat.taken]
    command: Command | None = None
    match state.phase:
        case "open" if free and random.random() < 0.05:
            command = SeatAI(table, random.choice(free), "random")
        case "open" if free:
            command = TakeSeat(table, random.choice(free), random.choice(world.players))
        case "open" if seated:
            command = SayReady(table, random.choice(seated))
        case "shuffling" if state.awaited:
            player = state.seats[random.choice(state.awaited)].player
            command = ContributeSeed(table, player or "", state.hand, random.randbytes(32).hex())
        case "offering":
            player = state.seats[random.choice(state.offers)].player
            command = AnswerReshuffle(table, player or "", state.hand, random.random() < 0.5)
        case "playing" if state.play is not None and not state.play.is_over:
            command = played(state, state.play, random)
    return command


def played(state: TableState, play: HandInPlay, random: Random) -> Command:
    """A turn, of the player or of the AI that has the seat."""
    seat = state.seats[play.to_move]
    tile, end = random.choice(play.legal_plays())
    if seat.played_by == "ai":
        return PlayAsAI(state.table, play.to_move, state.hand, state.turn, tile, end)
    return PlayTile(state.table, seat.player or "", state.hand, state.turn, tile, end)


def clock_command(league: League, random: Random) -> Command | None:
    """What the clock does: it meets a deadline as if time had jumped there, or a player is away or back."""
    with connect(league.database.url) as conn:
        conn.execute(ALIVE)
        due = conn.execute(DUE).fetchall()
    if not due:
        return None
    table, due_at, what = random.choice(due)
    state = stored_table(league.dispatcher.state_cache, table)
    seated = [seat.player for seat in state.seats if seat.player is not None]
    if seated and random.random() < 0.4:
        note = random.choice((NoteAway, NoteBack))
        return note(table, random.choice(seated))
    if what == "start" and random.random() < PATIENCE:
        return None
    play = state.play
    plays = None if play is None or play.is_over else random.choice(play.legal_plays())
    return MeetDeadline(table, due_at, plays)


# ---------------------------------------------------------------- what must hold


def faults_of_views(league: League, table: str) -> Iterator[str]:
    """What a process shows of a table that it must not, or that the log does not say."""
    state = stored_table(league.dispatcher.state_cache, table)
    if state.opening is None:
        return
    fresh: TableState = StateCache(league.store).load(f"table:{table}")
    for seat in (None, *range(len(state.seats))):
        view = view_of(state, seat)
        if state.secret is not None and state.secret.encode() in msgspec.json.encode(view):
            yield f"seat {seat} of {table} sees the secret of hand {state.hand}"
        if hidden := {*map(frozenset, tiles_of(view))} - {*map(frozenset, open_to(state, seat))}:
            yield f"seat {seat} of {table} sees {hidden} in hand {state.hand}"
        if state.version == fresh.version and view != view_of(fresh, seat):
            yield f"seat {seat} of {table} sees {view}, and by the log {view_of(fresh, seat)}"


def tiles_of(view: Any) -> Iterator[Tile]:
    """The tiles of the running hand in a view."""
    if view.hand is not None and view.hand.seen is not None:
        seen = view.hand.seen
        yield from seen.tiles
        yield from (tile for tile, _ in seen.plays)
        yield from (turn.tile for turn in seen.turns if turn.tile is not None)


def open_to(state: TableState, seat: int | None) -> Iterator[Tile]:
    """The tiles of the running hand that a seat may see: its own, and those that were played."""
    yield from (move.tile for move in state.moves if isinstance(move, TilePlayed))
    if seat is not None and state.play is not None:
        yield from state.play.tiles.of_mask(state.play.held[seat])


def faults_of_tables(league: League, tables: list[str]) -> Iterator[str]:
    """Where the row of a table or its match does not say what the table says."""
    states = StreamStates(league.store, league.dispatcher.clock())
    with connect(league.database.url) as conn:
        for table in tables:
            state: TableState = StateCache(league.store).load(f"table:{table}")
            due = due_of(state)
            wanted = (state.version, state.phase, due and due.at)
            row = conn.execute(ROW, [table]).fetchone()
            if row != (None if state.phase == "closed" else wanted):
                yield f"the row of {table} is {row}, the table {wanted}"
            found = states.match(table).played
            plays = state.phase != "closed" and state.played is not None and not state.practice
            if plays and (found is None or found.hands != state.played.hands):
                yield f"{table} has played {state.played.hands}, its match has {found and found.hands}"
