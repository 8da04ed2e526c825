"""The events of live tables stand in the log, and nothing that follows the league reads or waits for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from bench.table_events import add_table_events
from leagues import (
    adopt,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    everything,
    found,
    league_at,
    meeting,
    official,
    own_database,
    played,
    position,
    rebuild,
    revised,
    send,
)
from waiting import LIMIT, wait_until

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.audit.verification import verify_log
from league.domain.audit_trail import TokenMade
from league.domain.league import ChangeSettings, CloseMonth
from league.domain.match import VoidMatch
from league.eventlog import encoded_rows
from league.eventlog.codec import UNFOLDED
from league.eventlog.reading import FOLLOWED_HEAD, SELECT_FOLLOWED
from league.eventlog.records import Append, AppendRequest
from league.infra.database import connect, engine
from league.projections import runs
from league.projections.projector import Projector, lag
from league.projections.queries.matches import MatchFilter, ReadProgress, changed_matches, is_far_behind
from league.projections.queries.places import SeenState, moved_boards
from league.projections.queries.snapshot import take_snapshot
from league.projections.replays import replay, starting_points

ADMIN = AppendRequest("ana", "manual")


@pytest.fixture
def url(embedded_server: str) -> Iterator[str]:
    with own_database(embedded_server) as made:
        yield made


@pytest.fixture
def league(url: str) -> Iterator[League]:
    with league_at(url) as made:
        found(made)
        yield made


def season(league: League, *, tables: int) -> None:
    """Matches, a correction, rules and a closed month; with so many events of tables after each of them."""
    happenings = [
        announced("m1", meeting(0), 1),
        played("m2", meeting(1), 2, domino(0, 0, 100), domino(0, 0, 60)),
        announced("m3", ("ana", "bea", "cira", "dora"), 3),
        [VoidMatch("m1", "not played")],
        [ChangeSettings(time_zone="UTC")],
        announced("m4", meeting(2), 4),
        [CloseMonth("2026-03")],
        announced("m5", meeting(3), 5),
    ]
    for commands in happenings:
        send(league, commands)
        if tables:
            add_table_events(league.database.url, tables)
    adopt(league, "[rating.k]\nprovisional = 32", at(2))
    if tables:
        add_table_events(league.database.url, tables)


@pytest.mark.heavy
def test_a_league_with_tables_is_folded_as_one_without(embedded_server: str) -> None:
    """All rows are equal, whether folded page by page, in a rebuild, or in the rebuild of a verification."""
    rows = []
    for tables in (0, 7):
        with own_database(embedded_server) as url, league_at(url) as league:
            found(league)
            season(league, tables=tables)
            assert caught_up_digest(league, page=3) == rebuild(league, page=4) == rebuild(league)
            rows.append(everything(url, but=("position", "decided_position")))
            assert compare(url, league.store, league.project).faults == []
            assert position(url) == league.store.followed_head() == league.store.head() - tables
    assert rows[0] == rows[1]


def test_a_projector_that_sees_only_events_of_tables_does_nothing(league: League, url: str) -> None:
    """A projector that sees only events of tables commits no row, announces no state, and is not behind."""
    send(league, announced("m1", meeting(0), 1))
    with Projector(url, league.store) as projector, connect(url, autocommit=True) as conn:
        reached = projector.catch_up()
        query = "SELECT runs.xmin, position, (SELECT count(*) FROM journal), read_state() FROM runs"
        before = conn.execute(query).fetchall()
        conn.execute("LISTEN league_projected")
        add_table_events(url, 5)
        assert projector.catch_up() == reached < league.store.head()
        assert conn.execute(query).fetchall() == before
        assert list(conn.notifies(timeout=0.1)) == []
        behind = lag(conn)
        assert (behind.position, behind.head, behind.seconds) == (reached, reached, 0.0)
        send(league, announced("m2", meeting(1), 2))
        assert lag(conn).seconds > 0
        assert projector.catch_up() == league.store.head()


def test_to_project_waits_for_no_event_of_a_table(league: League, url: str) -> None:
    """While another process projects: it is done although it has not reached the head of the log."""
    send(league, announced("m1", meeting(0), 1))
    stop = threading.Event()
    with Projector(url, league.store) as projector:
        following = threading.Thread(target=projector.follow, args=(stop.is_set, 0.05))
        following.start()
        try:
            league.project()
            add_table_events(url, 3)
            league.project()
            assert league.reached() == league.store.head() - 3
        finally:
            stop.set()
            following.join(LIMIT)


@pytest.mark.heavy
def test_a_promotion_does_not_wait_for_tables(league: League, url: str) -> None:
    """A promotion is made while events of tables arrive, and the projector and a rollback go on from it."""
    season(league, tables=5)
    catch_up(league)
    run = replay.replay(url, revised("[rating.k]\nprovisional = 40"), replay.ReplayPeriod())
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            add_table_events(url, 20)

    playing = threading.Thread(target=play)
    playing.start()
    try:
        start = league.store.head()
        wait_until(lambda: league.store.head() > start)
        adopted = league.promoter.promote(run, ADMIN)
        catch_up(league)
        assert (official(url), position(url)) == (run, adopted)
        league.promoter.roll_back(ADMIN)
    finally:
        stop.set()
        playing.join(LIMIT)
    followed = caught_up_digest(league)
    assert followed == rebuild(league)


def test_what_was_known_is_found_between_the_events_of_tables(league: League, url: str) -> None:
    """If the last event at a moment is of a table, or one that no fold needs, the run before it is found."""
    send(league, announced("m1", meeting(0), 1))
    catch_up(league)
    add_table_events(url, 4)
    act = TokenMade("t1", "kim", ("scorekeeper",), at(1))
    league.store.append([Append("trail", 0, (act,))], ADMIN)
    add_table_events(url, 4)
    (last,) = league.store.rows_after(league.store.head() - 1, 1)
    middle, later = last[4] - timedelta(microseconds=6), last[4]
    for moment in (middle, later):
        assert replay.run_known_at(url, league.store, moment) == official(url)
    send(league, announced("m2", meeting(1), 2))
    catch_up(league)
    assert replay.run_known_at(url, league.store, middle) is None
    run = replay.replay(url, None, replay.ReplayPeriod(), known_at=later)
    assert replay.run_known_at(url, league.store, middle) == run
    facts = [match for page in starting_points.facts_until(league.store, league.store.head()) for match in page]
    assert facts == ["m1", "m2"]
    assert digest(url, run) != digest(url)


def test_who_follows_the_league_sees_no_events_of_tables(league: League, url: str) -> None:
    """No board moves by them, no match changes, and however many come, none is too far behind."""
    send(league, announced("m1", meeting(0), 1))
    catch_up(league)
    pool = engine(url, pool_size=1)
    snapshot = take_snapshot(pool)
    with snapshot.conn:
        seen, start = SeenState.of(snapshot), snapshot.position
    add_table_events(url, 1_500)
    send(league, announced("m2", meeting(1), 2))
    catch_up(league)
    snapshot = take_snapshot(pool)
    with snapshot.conn:
        reached = ReadProgress.of(snapshot)
        page = changed_matches(snapshot, reached.run, start, MatchFilter())
        assert page is not None
        assert [match for _, match in page.matches] == ["m2"]
        assert page.position == reached.position > start + 1_500
        assert not is_far_behind(snapshot, start)
        assert {which.mode for which in moved_boards(snapshot, seen) if which.kind == "series"} == {"1v1"}
    pool.dispose()


def test_the_chain_covers_the_events_of_tables(league: League, url: str) -> None:
    """A verification reads them all."""
    season(league, tables=3)
    with connect(url) as conn:
        report = verify_log(encoded_rows.rows(conn))
    assert (report.events, report.faults) == (league.store.head(), [])


def test_what_the_league_follows_is_found_by_its_index(league: League, url: str) -> None:
    """Queries on followed events use their index, whatever statistics the planner has."""
    season(league, tables=50)
    asked = [
        (FOLLOWED_HEAD, ()),
        (f"{SELECT_FOLLOWED} WHERE position > %s AND topic <> ALL(%s) ORDER BY position LIMIT 9", (3, list(UNFOLDED))),
        ("SELECT max(position) FROM followed_events WHERE position <= %s", (40,)),
    ]
    with connect(url) as conn:
        conn.execute("SET enable_seqscan = off")
        for query, parameters in asked:
            plan = "\n".join(row[0] for row in conn.execute(f"EXPLAIN {query}", parameters))
            assert "stored_events_followed_idx" in plan
        assert runs.last_folded(conn, league.store.head()) == league.store.followed_head()
