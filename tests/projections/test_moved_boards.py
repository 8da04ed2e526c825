"""Which boards may have moved, derived from the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import announced, at, catch_up, found, league_at, own_database, rebuild, send, start_anew
from sqlalchemy import Engine, select
from test_random_leagues import happen, happenings

from league.application.bootstrap import League
from league.domain.league import CloseMonth, ReopenMonth
from league.domain.match import OpenMatch, VoidMatch
from league.domain.player import MovePlayer, RegisterPlayer, RenamePlayer
from league.infra.database import engine
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS, ranked
from league.projections.queries import places as reads
from league.projections.queries.places import BoardOfLeague, Moved, SeenState, moved_boards
from league.projections.queries.players import regions
from league.projections.queries.snapshot import Snapshot, take_snapshot

standings = t.standings.c
RATED_1V1 = {BoardOfLeague("1v1"), BoardOfLeague("global")}
ACHIEVED = {
    BoardOfLeague("capicuas"),
    BoardOfLeague("capicuas_per_hand"),
    BoardOfLeague("pollonas"),
    BoardOfLeague("viajeras"),
    BoardOfLeague("wins"),
}
MARCH_1V1 = BoardOfLeague("series", "2026-03", "1v1")


class Watched(NamedTuple):
    """A league, and what is read of it."""

    league: League
    pool: Engine

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        taken = take_snapshot(self.pool)
        with taken.conn:
            yield taken

    def seen(self) -> SeenState:
        with self.snapshot() as snapshot:
            return SeenState.of(snapshot)

    def moved(self, seen: SeenState) -> Moved:
        catch_up(self.league)
        with self.snapshot() as snapshot:
            return moved_boards(snapshot, seen)


@pytest.fixture(scope="module")
def watched(embedded_server: str) -> Iterator[Watched]:
    with own_database(embedded_server) as url, league_at(url) as league:
        pool = engine(url, pool_size=1)
        yield Watched(league, pool)
        pool.dispose()


@pytest.fixture
def season(watched: Watched) -> Watched:
    """Ana and Bea of one region have played, Dora and Eva of another one, too."""
    start_anew(watched.league.database.url)
    found(watched.league)
    send(watched.league, announced("m1", ("ana", "bea"), 0), announced("m2", ("dora", "eva"), 1))
    catch_up(watched.league)
    return watched


def test_a_decided_match_moves_the_boards_of_its_players(season: Watched) -> None:
    """A decided match moves the boards of its mode, of achievements and of the series, in its players' region only."""
    seen = season.seen()
    send(season.league, announced("m3", ("ana", "cira"), 2))
    moved = season.moved(seen)
    assert set(moved) == RATED_1V1 | ACHIEVED | {MARCH_1V1}
    assert all(places == {"Matanzas"} for places in moved.values())
    assert season.moved(season.seen()) == {}


def test_what_decides_nothing_moves_no_board(season: Watched) -> None:
    """A new player, another name, a match that has begun, a month that is closed and reopened."""
    seen = season.seen()
    send(season.league, RegisterPlayer("gina", "Gina", "Granma"), RenamePlayer("ana", "Anita"))
    send(season.league, OpenMatch("m3", "cuban-150", "1v1", "competitive", ("ana", "cira"), None, at(3)))
    assert season.moved(seen) == {}
    send(season.league, CloseMonth("2026-03"))
    assert season.moved(seen) == {}
    send(season.league, ReopenMonth("2026-03"))
    assert season.moved(seen) == {}


def test_a_voided_match_moves_what_came_after_it(season: Watched) -> None:
    """A voided match also moves boards of regions whose players did not play it."""
    seen = season.seen()
    send(season.league, VoidMatch("m1", "a mistake"))
    moved = season.moved(seen)
    assert moved[BoardOfLeague("1v1")] == {"Matanzas", "Granma"}
    assert MARCH_1V1 in moved
    assert BoardOfLeague("teams") not in moved


def test_who_falls_inactive_moves_a_board(season: Watched) -> None:
    """A player who becomes inactive moves a board without playing."""
    seen = season.seen()
    send(season.league, announced("m3", ("ana", "bea"), 91 * 24))
    assert season.moved(seen)[BoardOfLeague("1v1")] == {"Matanzas", "Granma"}


def test_a_move_to_another_region_or_a_rebuild_may_move_any_board(season: Watched) -> None:
    """After a player's move to another region, or a rebuild, all boards of all regions are named."""
    seen = season.seen()
    send(season.league, MovePlayer("ana", "Granma"))
    everything = {BoardOfLeague(kind): {"Matanzas", "Granma"} for kind in BOARDS}
    assert season.moved(seen) == everything
    seen = season.seen()
    rebuild(season.league)
    assert season.moved(seen) == everything


def test_after_very_many_events_all_boards_are_named(season: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all boards is then cheaper than finding out which have moved."""
    monkeypatch.setattr(reads, "MOST_EVENTS", 1)
    seen = season.seen()
    send(season.league, announced("m3", ("ana", "cira"), 2))
    assert set(season.moved(seen)) == set(map(BoardOfLeague, BOARDS))


def all_boards(snapshot: Snapshot) -> dict[tuple[BoardOfLeague, str | None], Any]:
    """Every board that there is, with its ranks and values."""
    if snapshot.shown is None:
        return {}
    found_: dict[tuple[BoardOfLeague, str | None], Any] = {}
    months = snapshot.conn.scalars(select(standings.month).where(standings.run == snapshot.run).distinct()).all()
    series = [BoardOfLeague("series", month, mode) for month in months for mode in ("1v1", "2v2")]
    for which in [*(BoardOfLeague(kind) for kind, board in BOARDS.items() if not board.monthly), *series]:
        for region in (None, *regions(snapshot)):
            asked = BoardKey(which.kind, region, month=which.month, mode=which.mode)
            board = ranked(snapshot.run, asked, snapshot.shown).c
            rows = snapshot.conn.execute(select(board.rank, board.id, board.value).order_by(board.rank, board.id))
            found_[which, region] = [tuple(row) for row in rows]
    return found_


@pytest.mark.heavy
@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(happened=st.lists(happenings | st.just("project"), min_size=5, max_size=20))
def test_no_board_that_moved_is_left_out(watched: Watched, happened: list[Any]) -> None:
    """Whatever happens between two looks: matches, corrections, moves, other rules."""
    start_anew(watched.league.database.url)
    found(watched.league)
    before: dict[tuple[BoardOfLeague, str | None], Any] = {}
    seen: SeenState | None = None
    for happening in [*happened, "project"]:
        if happening != "project":
            if happening != "restart":
                happen(watched.league, happening)
            continue
        catch_up(watched.league)
        with watched.snapshot() as snapshot:
            now, present = all_boards(snapshot), SeenState.of(snapshot)
            moved = {} if seen is None else moved_boards(snapshot, seen)
        regions_now = {region for _, region in now}
        for which, region in {*now, *before}:
            if (
                seen is not None
                and region in regions_now
                and before.get((which, region), []) != now.get((which, region), [])
            ):
                named = [moved[board] for board in (which, BoardOfLeague(which.kind)) if board in moved]
                assert named
                assert region is None or any(region in regions_ for regions_ in named)
        before, seen = now, present
