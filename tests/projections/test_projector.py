"""Given events, the rows of the read tables; and how the projector comes to them."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from leagues import (
    adopt,
    announced,
    at,
    block,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    everything,
    exported,
    forget_projections,
    league_at,
    meeting,
    official,
    played,
    position,
    ratings,
    rebuild,
    revised,
    send,
    shared_rows,
)
from msgspec.structs import replace
from sqlalchemy import event, select
from structlog.typing import EventDict
from waiting import LIMIT, wait_until

from league.application import following
from league.application.bootstrap import League
from league.application.following import follow
from league.domain.league import ChangeSettings, CloseSeason, OpenSeason
from league.domain.match import CorrectHand, OpenMatch, RecordHand, RecordResult, VoidMatch
from league.domain.player import MovePlayer, RenamePlayer
from league.domain.refusals import NotFound
from league.domain.result import AnnouncedResult
from league.infra.database import connect, engine
from league.projections import runs
from league.projections import tables as t
from league.projections.projector import AnotherProjector, Projector, lag
from league.projections.queries.snapshot import chosen_run, take_snapshot
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.writers import league_rows

DAY = 24


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every second match."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 2)


def rows(url: str, query: str) -> list[Any]:
    with connect(url) as conn:
        return conn.execute(query).fetchall()


def three_matches(league: League) -> None:
    send(
        league,
        played("m1", ("ana", "bea"), 0, domino(0, 0, 90), domino(0, 0, 80)),
        played("m2", ("bea", "cira"), 10, domino(0, 0, 90), domino(0, 0, 80)),
        played("m3", ("ana", "cira"), 20, domino(1, 90, 0), block(1, 70, 10)),
    )


# ---------------------------------------------------------------- rows


def test_a_match_of_hands_has_its_rows(league: League) -> None:
    """A match shows its score and winner, each hand with its points and terms, and a change for each player."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90), block(1, 70, 60), domino(0, 0, 20, both=True)))
    catch_up(league)
    url = league.database.url
    (match,) = exported(url, "matches")
    assert (match["score"], match["winner"], match["status"]) == ([110, 70], None, "open")
    send(league, RecordHand("m1", domino(0, 0, 45, both=True), None, at(1)))
    catch_up(league)
    (match,) = exported(url, "matches")
    assert (match["score"], match["winner"], match["status"]) == ([155, 70], 0, "completed")
    assert [hand["points"] for hand in exported(url, "hands")] == [[90, 0], [0, 70], [20, 0], [45, 0]]
    assert exported(url, "hands")[1]["terms"] == [{"side": 1, "rule": "leftover", "points": 70}]
    ana, bea = exported(url, "changes")
    assert ana["modifier_terms"] == [{"rule": "differential", "value": 0.4}, {"rule": "capicua", "value": 0.1}]
    assert bea["modifier_terms"] == [{"rule": "differential", "value": -0.4}]
    assert (ana["before"], ana["k"], ana["k_rule"], ana["expected"]) == (1500.0, 40.0, "provisional", 0.5)
    assert ana["after"] == 1500.0 + 40.0 * ((1.0 + 0.5) - 0.5)
    assert ana["position"] == league.store.head()


def test_an_open_match_counts_for_nothing(league: League) -> None:
    """An open match is listed with its score so far, and gives no rating."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90)))
    catch_up(league)
    (match,) = exported(league.database.url, "matches")
    assert (match["status"], match["score"], match["decided_at"]) == ("open", [90, 0], None)
    assert exported(league.database.url, "changes") == exported(league.database.url, "ratings") == []


def test_a_match_of_pairs_rates_players_and_teams(league: League) -> None:
    """A 2v2 match changes four players and two teams, whose ids are their players sorted."""
    send(league, announced("m1", ("bea", "cira", "ana", "dora"), 0))
    catch_up(league)
    found = {(row["subject"], row["id"]) for row in exported(league.database.url, "changes")}
    players = {("player", player) for player in ("ana", "bea", "cira", "dora")}
    assert found == players | {("team", "ana+bea"), ("team", "cira+dora")}


def test_a_match_of_individuals_is_not_rated(league: League) -> None:
    """A match of three individuals is listed with its winner and changes no rating."""
    send(
        league,
        OpenMatch("m1", "doscientos-100", "individuals", "competitive", ("ana", "bea", "cira"), None, at(0)),
        RecordResult("m1", AnnouncedResult(2, (10, 20, 100)), at(1)),
    )
    catch_up(league)
    assert exported(league.database.url, "matches")[0]["winner"] == 2
    assert exported(league.database.url, "changes") == exported(league.database.url, "ratings") == []


def test_overall_weighs_the_modes_by_their_matches(league: League) -> None:
    """Two 1v1 and one 2v2: the overall rating is six tenths of the first and four of the second."""
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 2),
        announced("m3", ("ana", "bea", "cira", "dora"), 4, (20, 150)),
    )
    catch_up(league)
    found = ratings(league.database.url)
    assert found["ana", "overall"] == pytest.approx(0.6 * found["ana", "1v1"] + 0.4 * found["ana", "2v2"], abs=1e-9)
    assert found["cira", "overall"] == found["cira", "2v2"]


def test_a_late_match_takes_its_place(league: League) -> None:
    """A match that was decided earlier than those known is rated before them, whenever it is written down."""
    url = league.database.url
    send(league, announced("m2", ("ana", "bea"), 10))
    catch_up(league)
    send(league, announced("m1", ("ana", "cira"), 0))
    catch_up(league)
    changes = {(row["match"], row["id"]): row for row in exported(url, "changes")}
    assert changes["m1", "ana"]["before"] == 1500.0
    assert changes["m2", "ana"]["before"] == changes["m1", "ana"]["after"]


def test_matches_decided_at_once_go_by_id(league: League) -> None:
    """If two matches are decided at the same moment, the lower id comes first, compared as bytes."""
    send(
        league, announced("b", ("ana", "bea"), 0), announced("a", ("ana", "bea"), 0), announced("B", ("ana", "bea"), 0)
    )
    catch_up(league)
    before = {row["match"]: row["before"] for row in exported(league.database.url, "changes") if row["id"] == "ana"}
    assert sorted(before, key=lambda match: before[match]) == ["B", "a", "b"]


def test_the_catalogue_follows_the_log(league: League) -> None:
    """Names, regions, the league's settings and seasons are as the last events say."""
    url = league.database.url
    catch_up(league)
    send(
        league,
        RenamePlayer("ana", "Ana María"),
        MovePlayer("bea", "Holguín"),
        MovePlayer("cira", None),
        ChangeSettings(name="Liga Nacional"),
        OpenSeason("s1", "Spring", at(0)),
        CloseSeason("s1", at(100)),
    )
    catch_up(league)
    players = rows(url, "SELECT player_id, name, region FROM players ORDER BY 1 LIMIT 3")
    assert players == [("ana", "Ana María", "Matanzas"), ("bea", "Bea", "Holguín"), ("cira", "Cira", None)]
    assert rows(url, "SELECT name, time_zone FROM league") == [("Liga Nacional", "America/Havana")]
    assert rows(url, "SELECT season_id, name, starts_at, ends_at FROM seasons") == [("s1", "Spring", at(0), at(100))]


# ---------------------------------------------------------------- going back


@pytest.mark.heavy
def test_voiding_the_last_match_takes_it_back(league: League) -> None:
    """Without its last match the league is what it was before it; the match itself stays as voided."""
    url = league.database.url
    three_matches(league)
    catch_up(league)
    before = everything(url)
    send(league, announced("m4", ("ana", "dora"), 30))
    catch_up(league)
    assert everything(url) != before
    send(league, VoidMatch("m4", "played under a wrong name"))
    catch_up(league)
    assert everything(url) == before
    assert exported(url, "matches")[3]["status"] == "voided"


def test_voiding_the_only_match_leaves_nobody_rated(league: League) -> None:
    """Without its only match the league has no ratings, no changes and no boards."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea", "cira", "dora"), 0))
    catch_up(league)
    assert len(exported(url, "ratings")) == 10
    send(league, VoidMatch("m1", "never played"))
    catch_up(league)
    assert exported(url, "ratings") == exported(url, "changes") == exported(url, "boards") == []
    assert rows(url, "SELECT latest_decided_at FROM runs") == [(None,)]


@pytest.mark.heavy
def test_voiding_a_match_of_individuals_takes_the_activity_back(league: League) -> None:
    """A player who was active only because of a match of individuals is inactive without it."""
    url = league.database.url

    def on_the_board() -> set[str]:
        return {row["id"] for row in exported(url, "boards") if (row["board"], row["region"]) == ("global", None)}

    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        OpenMatch("m2", "doscientos-100", "individuals", "competitive", ("ana", "eva", "flor"), None, at(80 * DAY)),
        RecordResult("m2", AnnouncedResult(0, (100, 0, 0)), at(80 * DAY)),
        announced("m3", ("cira", "dora"), 100 * DAY),
    )
    catch_up(league)
    assert on_the_board() == {"ana", "cira", "dora"}
    send(league, VoidMatch("m2", "played for fun"))
    catch_up(league)
    assert on_the_board() == {"cira", "dora"}


@pytest.mark.heavy
@pytest.mark.also_on_server
@pytest.mark.usefixtures("often")
def test_a_correction_ripples_through_later_matches(league: League) -> None:
    """A corrected hand changes the winner, and every rating after it, as if it had been written so at once."""
    url = league.database.url
    three_matches(league)
    catch_up(league)
    before = ratings(url)
    send(
        league,
        CorrectHand("m1", 1, domino(1, 90, 0), "the other one went out"),
        CorrectHand("m1", 2, domino(1, 80, 0), "the other one went out"),
    )
    catch_up(league)
    after = ratings(url)
    assert after["ana", "1v1"] < before["ana", "1v1"]
    assert after["cira", "1v1"] != before["cira", "1v1"]
    assert exported(url, "matches")[0]["winner"] == 1
    corrected = digest(url)
    assert rebuild(league) == corrected


@pytest.mark.usefixtures("often")
def test_going_back_keeps_the_checkpoints_before(league: League) -> None:
    """Only checkpoints from the corrected match on are written again."""
    url = league.database.url
    send(league, *(announced(f"m{n}", meeting(n), n) for n in range(8)))
    catch_up(league)
    query = "SELECT match_id, xmin::text FROM checkpoints ORDER BY decided_at"
    before = rows(url, query)
    assert [match for match, _ in before] == ["m1", "m3", "m5", "m7"]
    send(league, VoidMatch("m4", "never played"))
    as_corrected = caught_up_digest(league)
    after = rows(url, query)
    assert after[:2] == before[:2]
    assert not set(after[2:]) & set(before)
    assert [match for match, _ in after[2:]] == ["m6"]
    forget_projections(url)
    assert caught_up_digest(league) == as_corrected


@pytest.mark.heavy
@pytest.mark.usefixtures("often")
def test_the_state_in_memory_is_the_state_of_the_log(league: League) -> None:
    """A projector that lives through corrections goes on as one that starts after them."""
    url = league.database.url
    with Projector(url, league.store) as projector:
        for number in range(9):
            send(league, announced(f"m{number}", meeting(number), number))
            projector.catch_up()
            if number % 3 == 2:
                send(league, VoidMatch(f"m{number - 1}", "never played"))
                projector.catch_up()
    as_it_happened = digest(url)
    assert rebuild(league) == as_it_happened


# ---------------------------------------------------------------- other rules


@pytest.mark.also_on_server
def test_an_adoption_scores_exactly_the_matches_of_its_span_again(league: League) -> None:
    """Matches that began within the span get the new edition; the rows of the others are not even written."""
    url = league.database.url
    send(league, *(announced(f"m{n}", meeting(n), n) for n in range(5)))
    catch_up(league)
    query = "SELECT match_id, edition, xmin::text FROM matches ORDER BY 1"
    before = {match: (edition, version) for match, edition, version in rows(url, query)}
    adopt(league, "rating.k.provisional = 10", at(1), at(3))
    catch_up(league)
    after = {match: (edition, version) for match, edition, version in rows(url, query)}
    assert {match for match in before if before[match] != after[match]} == {"m1", "m2"}
    ks = {row["match"]: (row["k"], row["edition"]) for row in exported(url, "changes")}
    assert [ks[f"m{n}"][0] for n in range(5)] == [40.0, 10.0, 10.0, 40.0, 40.0]
    assert {match: edition for match, (_, edition) in ks.items()} == {match: e for match, (e, _) in after.items()}


def test_a_match_and_the_adoption_of_its_edition_may_share_a_page(league: League) -> None:
    """A match that is new in the page that adopts another edition for it has its rows once."""
    catch_up(league)
    send(league, announced("m1", ("ana", "bea"), 0))
    adopt(league, "rating.k.provisional = 10")
    catch_up(league)
    assert [row["k"] for row in exported(league.database.url, "changes")] == [10.0, 10.0]


def test_another_target_ends_matches_elsewhere(league: League) -> None:
    """Under a lower target a match ends earlier: the hand after that end stays listed and counts for nothing."""
    url = league.database.url
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 99), domino(1, 90, 0), domino(1, 80, 0)))
    adopt(league, "rulesets.cuban-150.target = 80")
    catch_up(league)
    (match,) = exported(url, "matches")
    assert (match["winner"], match["score"], match["status"]) == (0, [99, 0], "completed")
    assert [(hand["counted"], hand["points"]) for hand in exported(url, "hands")] == [
        (True, [99, 0]),
        (False, [0, 0]),
        (False, [0, 0]),
    ]


def test_who_is_provisional_shows_for_everybody(league: League) -> None:
    """The edition of the latest match defines who is provisional, including players who did not play in it."""
    url = league.database.url
    adopt(league, "rating.provisional_below = 1", at(10))
    send(league, announced("m1", ("ana", "bea"), 0))
    catch_up(league)
    assert {row["provisional"] for row in exported(url, "ratings")} == {True}
    send(league, announced("m2", ("cira", "dora"), 10))
    catch_up(league)
    assert {row["provisional"] for row in exported(url, "ratings")} == {False}
    send(league, VoidMatch("m2", "never played"))
    catch_up(league)
    assert {row["provisional"] for row in exported(url, "ratings")} == {True}


def test_other_weights_show_for_everybody(league: League) -> None:
    """Overall ratings follow the latest match's edition, including those of players who did not play in it."""
    url = league.database.url
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 1),
        announced("m3", ("ana", "bea", "cira", "dora"), 2, (30, 150)),
    )
    adopt(league, "rating.overall.main_weight = 0.9", at(10))
    catch_up(league)
    send(league, announced("m4", ("eva", "flor"), 10))
    catch_up(league)
    found = ratings(url)
    assert found["ana", "overall"] == pytest.approx(0.9 * found["ana", "1v1"] + 0.1 * found["ana", "2v2"], abs=1e-9)


# ---------------------------------------------------------------- the projector's life


def test_an_empty_log_is_projected(database_url: str) -> None:
    """Before anything is in the log there is a run at position 0 without rows."""
    with league_at(database_url) as league:
        catch_up(league)
        assert position(database_url) == 0
        assert everything(database_url) == {what: [] for what in everything(database_url)}


@pytest.mark.also_on_server
def test_only_one_projector_at_a_time(league: League) -> None:
    """A second projector is turned away until the first has ended."""
    url = league.database.url
    with Projector(url, league.store), pytest.raises(AnotherProjector):
        Projector(url, league.store)
    for _ in range(50):  # the lock is back when the first has ended, not a moment later
        Projector(url, league.store).close()


@pytest.mark.parametrize(("embedded", "command"), [(True, "league serve"), (False, "league project")])
def test_a_rebuild_that_another_projector_prevents_says_what_to_stop(
    league: League, embedded: bool, command: str
) -> None:
    """The error says what to stop: with the embedded database the server, otherwise the projector's process."""
    here, says = replace(league, database=replace(league.database, embedded=embedded)), f"stop .*`{command}` first"
    with Projector(league.database.url, league.store), pytest.raises(AnotherProjector, match=says):
        here.project(rebuild=True)


def test_a_projector_that_fails_between_pages_is_taken_up(league: League) -> None:
    """What was committed stays, with the position up to which it is folded, and the next projector goes on there."""
    url = league.database.url
    three_matches(league)
    whole = caught_up_digest(league)
    forget_projections(url)

    def fail_at_ten(reached: int, _head: int) -> None:
        if reached >= 10:
            raise KeyboardInterrupt

    projector = Projector(url, league.store, page=1)
    with pytest.raises(KeyboardInterrupt):
        projector.catch_up(fail_at_ten)
    assert position(url) == 10
    assert rows(url, "SELECT count(*) FROM match_facts") == [(1,)]
    projector.catch_up()
    projector.close()
    assert (digest(url), position(url)) == (whole, league.store.head())


def test_a_rebuild_that_fails_changes_nothing(league: League) -> None:
    """A rebuild that does not come to its end leaves the run, its rows and the players as they were."""
    url = league.database.url
    three_matches(league)
    before = caught_up_digest(league), official(url), shared_rows(url)

    def fail(*_: int) -> None:
        raise KeyboardInterrupt

    with Projector(url, league.store, page=5) as projector:
        with pytest.raises(KeyboardInterrupt):
            projector.rebuild(fail)
        assert (digest(url), official(url), shared_rows(url)) == before
        send(league, announced("m4", ("ana", "bea"), 30))
        projector.catch_up()
    as_it_happened = digest(url)
    assert rebuild(league) == as_it_happened


def test_a_rebuild_takes_the_place_of_the_run(league: League) -> None:
    """After a rebuild there is one run, with another number and the same digest."""
    url = league.database.url
    three_matches(league)
    before, run = caught_up_digest(league), official(url)
    assert rebuild(league) == before
    assert official(url) != run
    assert rows(url, "SELECT run FROM runs") == [(official(url),)]


@pytest.mark.heavy
def test_the_planner_knows_a_run_before_anybody_reads_it(league: League) -> None:
    """A run is analyzed after the first projection, when it has doubled, after a rebuild and after a replay."""
    url = league.database.url

    def known_rows(run: int) -> tuple[Any, ...] | None:
        with connect(url) as conn:
            name = f"changes_{run}"
            query = (
                "SELECT reltuples, EXISTS (SELECT FROM pg_stats WHERE tablename = %s) FROM pg_class WHERE relname = %s"
            )
            return conn.execute(query, (name, name)).fetchone()

    send(league, *(announced(f"m{n}", meeting(n), n) for n in range(4)))
    catch_up(league)
    assert known_rows(official(url)) == (8, True)
    with Projector(url, league.store) as projector:
        send(league, announced("m4", meeting(4), 4))
        projector.catch_up()
        assert known_rows(official(url)) == (8, True)
        send(league, *(announced(f"m{n}", meeting(n), n) for n in range(5, 20)))
        projector.catch_up()
        assert known_rows(official(url)) == (40, True)
    rebuild(league)
    assert known_rows(official(url)) == (40, True)
    run = replay(url, revised("rating.k.provisional = 32"), ReplayPeriod())
    assert known_rows(run) == (40, True)


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_readers_see_the_old_league_during_a_rebuild(league: League) -> None:
    """Until a rebuild ends, readers go on reading the rows that were there, and are not kept waiting."""
    url = league.database.url
    three_matches(league)
    catch_up(league)
    before, seen = everything(url), []
    with Projector(url, league.store, page=5) as projector:
        projector.rebuild(lambda *_: seen.append(everything(url)))
    assert len(seen) > 1
    assert all(found == before for found in seen)


@pytest.mark.heavy
def test_a_reader_keeps_the_run_that_it_began_with(league: League) -> None:
    """A rebuild ends between a reader's beginning and its first look at a table: the old rows are still there."""
    url = league.database.url
    three_matches(league)
    catch_up(league)
    pool, known = engine(url), official(url)
    snapshot = take_snapshot(pool)
    rebuild(league)
    assert (snapshot.run, len(snapshot.conn.execute(select(t.matches.c.match_id)).all())) == (known, 3)
    snapshot.conn.close()
    pool.dispose()
    with connect(url, autocommit=True) as conn:
        assert runs.sweep(conn)
    assert rows(url, "SELECT run FROM runs") == [(official(url),)]


@pytest.mark.also_on_server
@pytest.mark.parametrize("reader", ["snapshot", "connection"])
def test_a_reader_that_comes_too_late_reads_the_next_run(league: League, reader: str) -> None:
    """The run that a reader was about to take is removed under its hands: it takes the one that came after."""
    url = league.database.url
    three_matches(league)
    catch_up(league)
    pool, known = engine(url), official(url)

    @event.listens_for(pool, "before_cursor_execute")
    def rebuild_meanwhile(_: object, cursor: Any, statement: str, *_more: object) -> None:
        if "hold_run" in statement and official(url) == known:
            cursor.execute("SELECT 1")  # what the transaction sees is settled by its first statement
            rebuild(league)

    with take_snapshot(pool).conn if reader == "snapshot" else pool.connect() as conn:
        run = chosen_run(conn, None)
        assert run == official(url) != known
        assert len(conn.execute(select(t.matches.c.match_id).where(t.matches.c.run == run)).all()) == 3
        conn.rollback()
        with pytest.raises(NotFound):
            chosen_run(conn, known)
    pool.dispose()


def test_rows_of_older_folds_are_folded_again(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with another version of the folds rebuilds the league at its start."""
    url = league.database.url
    three_matches(league)
    before, run = caught_up_digest(league), official(url)
    monkeypatch.setattr(runs, "FOLDS", "of tomorrow")
    assert caught_up_digest(league) == before
    assert official(url) != run
    assert rows(url, "SELECT code FROM runs") == [("of tomorrow",)]


def test_the_lag_says_how_far_the_rows_are_behind(league: League) -> None:
    """The lag is the positions and the age of the oldest event that is not projected, 0 when there is none."""
    forget_projections(league.database.url)
    with connect(league.database.url, autocommit=True) as conn:
        found = lag(conn)
        assert (found.position, found.head) == (0, league.store.head())
        age = (
            "SELECT extract(epoch FROM clock_timestamp() - recorded_at)::float8 FROM stored_events WHERE position = %s"
        )
        assert 0 < found.seconds < conn.execute(age, (1,)).fetchone()[0]
        catch_up(league)
        found = lag(conn)
        assert (found.position, found.head, found.seconds) == (league.store.head(), league.store.head(), 0.0)
        send(league, announced("m1", ("ana", "bea"), 0))
        found = lag(conn)
        assert found.head - found.position == 3
        assert lag(conn).seconds > found.seconds


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_followers_project_events_as_they_arrive(league: League) -> None:
    """A projector that follows brings each event into the read tables, and ends when it is asked to."""
    url, ended = league.database.url, threading.Event()
    catch_up(league)
    thread = threading.Thread(target=follow, args=(league, ended.is_set))
    thread.start()
    try:
        for number in range(3):
            head = send(league, announced(f"m{number}", ("ana", "bea"), number))
            wait_until(lambda: position(url) >= head)  # noqa: B023  # called before the next round
    finally:
        ended.set()
        thread.join(LIMIT)
    assert not thread.is_alive()


@pytest.mark.heavy
def test_a_follower_outlives_a_failure(league: League, logs: list[EventDict], monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold that fails is logged with its position and tried again after ever longer pauses, until it succeeds."""
    url, ended = league.database.url, threading.Event()
    monkeypatch.setattr(following, "SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr(following, "LONGEST_PAUSE", 0.04)
    catch_up(league)
    before, head = position(url), send(league, announced("m1", ("ana", "bea"), 0))
    with psycopg.connect(url) as conn:
        conn.execute("ALTER TABLE match_facts RENAME TO lost")
    thread = threading.Thread(target=follow, args=(league, ended.is_set))
    thread.start()
    try:
        wait_until(lambda: len(logs) >= 4)
        with psycopg.connect(url) as conn:
            conn.execute("ALTER TABLE lost RENAME TO match_facts")
        wait_until(lambda: position(url) == head)
    finally:
        ended.set()
        thread.join(LIMIT)
    assert not thread.is_alive()
    assert {(line["event"], line["position"]) for line in logs} == {("projector_failed", before)}
    assert [line["pause"] for line in logs[:4]] == [0.01, 0.02, 0.04, 0.04]


def test_a_match_may_take_as_long_as_it_likes(league: League) -> None:
    """A match that began before an adoption and ended after it is played under the edition of its beginning."""
    url = league.database.url
    adopt(league, "rating.k.provisional = 10", at(5))
    send(
        league,
        OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, at(0)),
        RecordResult("m1", AnnouncedResult(0, (150, 0)), at(0) + timedelta(hours=9)),
    )
    catch_up(league)
    assert [row["k"] for row in exported(url, "changes")] == [40.0, 40.0]
