"""Live tables of a small league in few words, whose spans of time last a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from databases import lent
from leagues import PLAYERS, TABLE_SECRET, adopt, found

from league.application.bootstrap import League, open_league
from league.domain.play import Level, Play
from league.domain.rules import Mode
from league.eventlog.records import LoggedEvent
from league.infra.settings import Settings
from league.tables.application.live_rows import stored_table
from league.tables.domain.commands_and_events import ContributeSeed, OpenTable, PlayTile, SayReady, SeatAI, TakeSeat
from league.tables.domain.state import TableState

QUICK = """[rulesets.cuban-150.live]
turn_seconds = 1
contribution_seconds = 1
reshuffle_seconds = 1
return_seconds = 1
away_after_seconds = 3600
"""
SLOW = """[rulesets.cuban-150.live]
turn_seconds = 3600
contribution_seconds = 3600
reshuffle_doubles = 0
away_after_seconds = 3600
"""


@contextmanager
def league_with_tables(url: str, rules: str = QUICK) -> Iterator[League]:
    """A league of six players under such rules, in a migrated database."""
    with open_league(Settings(database_url=url, table_secret=TABLE_SECRET), prepare=False) as league:
        found(league)
        adopt(league, rules)
        yield league


def do(league: League, command: Any, actor: str | None = None) -> int:
    """Carry out a command of live play."""
    return league.dispatcher.send(command, actor or str(getattr(command, "player", "kim")), source="live")


def begin(league: League, table: str, players: Sequence[str] = PLAYERS[:2], ai: Level | None = None) -> TableState:
    """Open a table at which players, and with a level an AI in the last seat, are ready to play."""
    mode: Mode = "1v1" if len(players) + (ai is not None) == 2 else "2v2"
    do(league, OpenTable(table, "cuban-150", mode, "casual"))
    for seat, player in enumerate(players):
        do(league, TakeSeat(table, seat, player))
    if ai is not None:
        do(league, SeatAI(table, len(players), ai))
    for player in players:
        do(league, SayReady(table, player))
    return now(league, table)


def dealt(league: League, table: str, players: Sequence[str] = PLAYERS[:2], ai: Level | None = None) -> TableState:
    """A table at which the first hand is dealt."""
    state = begin(league, table, players, ai)
    contribute(league, state)
    return now(league, table)


def contribute(league: League, state: TableState) -> None:
    """Every player adds to the seed of the running hand."""
    for seat in state.seats:
        if seat.player is not None:
            do(league, ContributeSeed(state.table, seat.player, state.hand, "5a" * 32))


def play(league: League, state: TableState) -> None:
    """The player to move plays the first legal tile."""
    assert state.play is not None
    tile, end = legal(state)[0]
    player = state.seats[state.play.to_move].player
    assert player is not None
    do(league, PlayTile(state.table, player, state.hand, state.turn, tile, end))


def legal(state: TableState) -> Sequence[Play]:
    assert state.play is not None
    return state.play.legal_plays()


def alive(league: League, days: int = 0) -> None:
    """A server is alive: the heartbeat is renewed, or goes on for so many days."""
    with lent(league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE live_heartbeat SET beat_at = clock_timestamp() + %s * interval '1 day'", [days])


def now(league: League, table: str) -> TableState:
    """A table as it is stored."""
    return stored_table(league.dispatcher.state_cache, table)


def events(league: League, table: str, kind: type | None = None) -> list[LoggedEvent]:
    """The events of a table, or those of one kind."""
    stored = league.store.load(f"table:{table}")
    return [one for one in stored if kind is None or isinstance(one.event, kind)]
