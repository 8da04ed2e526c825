"""Replays: the league under other rules, beside the official one, and what the two say differently."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from leagues import (
    REVISED,
    adopt,
    announced,
    at,
    at_once,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    everything,
    exported,
    import_cuban,
    league_at,
    official,
    part_of_season,
    played,
    rebuild,
    revised,
    send,
    shared_rows,
    start_anew,
)
from msgspec.structs import replace
from sqlalchemy import func, select
from waiting import wait_until

from league.application.bootstrap import League
from league.domain.league import ChangeSettings, CreateLeague, OpenSeason
from league.domain.match import VoidMatch
from league.domain.refusals import InvalidInput, WrongState
from league.domain.rulebook import parse_rulebook
from league.infra.database import connect, engine
from league.projections import runs
from league.projections import tables as t
from league.projections.projector import Projector
from league.projections.queries.snapshot import chosen_run
from league.projections.replays.replay import ReplayPeriod, edition_to_revise, period_of_season, replay
from league.projections.replays.replay import catch_up as catch_up_with
from league.projections.writers import league_rows
from league.rulebook import shipped_edition

CANDIDATE = "rating.cap = false\nrating.k.provisional = 32\nrating.modifier.capicua = { value = 0.5, count = 'match' }"


def four_matches(league: League) -> None:
    send(
        league,
        played("m1", ("ana", "bea"), 0, domino(0, 0, 90, both=True), domino(0, 0, 80)),
        played("m2", ("bea", "cira"), 10, domino(0, 0, 90), domino(0, 0, 80)),
        played("m3", ("ana", "cira", "bea", "dora"), 20, domino(1, 90, 0, 10, 20), domino(1, 80, 0, 10, 20)),
        played("m4", ("eva", "flor"), 30, domino(1, 90, 0), domino(1, 80, 0)),
    )
    catch_up(league)


def runs_known(url: str) -> list[tuple[int, bool]]:
    with connect(url) as conn:
        return conn.execute("SELECT run, ready FROM runs ORDER BY run").fetchall()


# ---------------------------------------------------------------- the run


@pytest.mark.heavy
def test_a_replay_is_the_league_under_those_rules_from_the_start(database_url: str, tmp_path: Path) -> None:
    """A recorded season replayed under a revision is, in every export, the season of a league that began with it."""
    folder = part_of_season(tmp_path / "season", 80)
    with league_at(database_url) as league:
        league.create("Liga", "UTC", "test")
        import_cuban(league, folder)
        catch_up(league)
        candidate = parse_rulebook(REVISED.read_text(encoding="utf-8"), shipped_edition(1))
        replayed = everything(database_url, replay(database_url, candidate, ReplayPeriod()), but=("position",))
        start_anew(database_url)
        league.create("Liga", "UTC", "test")
        adopt(league, REVISED.read_text(encoding="utf-8"))
        import_cuban(league, folder)
        catch_up(league)
    assert replayed == everything(database_url, but=("position",))


def test_a_replay_is_what_its_adoption_would_be(league: League) -> None:
    """The digest of a replay over a span is the digest of the league once the edition is adopted over that span."""
    url = league.database.url
    four_matches(league)
    replayed = digest(url, replay(url, revised(CANDIDATE), ReplayPeriod(at(5), at(25))))
    assert replayed != digest(url)
    adopt(league, CANDIDATE, at(5), at(25))
    assert caught_up_digest(league) == replayed


@pytest.mark.heavy
def test_a_replay_leaves_the_official_run_alone(league: League) -> None:
    """Nothing that readers see of the official run changes by a replay."""
    url = league.database.url
    four_matches(league)
    before = digest(url), official(url), everything(url, but=()), shared_rows(url)["players"]
    run = replay(url, revised(CANDIDATE), ReplayPeriod())
    assert run != official(url)
    assert (digest(url), official(url), everything(url, but=()), shared_rows(url)["players"]) == before


@pytest.mark.heavy
def test_the_same_replay_is_not_folded_twice(league: League) -> None:
    """A repeated replay of a candidate over a span finds its run again, until the log goes on."""
    url = league.database.url
    four_matches(league)
    first = replay(url, revised(CANDIDATE), ReplayPeriod())
    assert replay(url, revised(CANDIDATE), ReplayPeriod()) == first
    assert replay(url, revised(CANDIDATE), ReplayPeriod(at(5))) != first
    send(league, VoidMatch("m4", "never played"))
    catch_up(league)
    assert replay(url, revised(CANDIDATE), ReplayPeriod()) != first


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rating.cap = { below = 1, above = 1 }",
        "rating.k.provisional_below = 30",
        'series.competitions = ["special", "competitive"]',
    ],
)
def test_a_candidate_that_changes_nothing_is_the_official_run(league: League, text: str) -> None:
    """A candidate equal to the edition in force needs no separate fold."""
    url = league.database.url
    four_matches(league)
    assert replay(url, revised(text), ReplayPeriod()) == official(url)


@pytest.mark.heavy
def test_a_replay_under_added_settings_is_what_its_adoption_would_be(league: League) -> None:
    """A cap by sign, a count of its own for K and casual games that count: replay, adoption and rebuild agree."""
    url = league.database.url
    four_matches(league)
    send(league, announced("m5", ("ana", "bea"), 40, competition="casual"))
    catch_up(league)
    text = "rating.cap = { below = 0.2, above = 0.3 }\nrating.k.provisional_below = 1\n"
    text += 'series.competitions = ["casual", "competitive"]'
    replayed = digest(url, replay(url, revised(text), ReplayPeriod(at(5))))
    assert replayed != digest(url)
    adopt(league, text, at(5))
    assert caught_up_digest(league) == replayed == rebuild(league)
    later = [row for row in exported(url, "changes") if row["match"] not in ("m1", "m5")]
    assert {row["modifier"] for row in later} == {-0.2, 0.3}
    assert {row["k_rule"] for row in later if row["mode"] == "1v1"} == {"provisional", "standard"}


def waits_for_a_lock(url: str) -> bool:
    """Whether anything on the database waits for a lock."""
    waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with psycopg.connect(url) as conn:
        return conn.execute(waiting).rowcount > 0


@pytest.mark.also_on_server
def test_two_replays_of_one_candidate_at_once_both_succeed(league: League) -> None:
    """Somebody else may ask for the same replay at the same moment."""
    url = league.database.url
    four_matches(league)
    under_way, found = threading.Event(), []

    def second() -> None:
        found.append(replay(url, revised(CANDIDATE), ReplayPeriod()))

    thread = threading.Thread(target=second)

    def start_the_second(*_: int) -> None:
        if not under_way.is_set():
            under_way.set()
            thread.start()
            wait_until(lambda: not thread.is_alive() or waits_for_a_lock(url))

    found.append(replay(url, revised(CANDIDATE), ReplayPeriod(), start_the_second))
    thread.join()
    assert len({digest(url, run) for run in found}) == 1
    assert len(found) == 2


def test_a_replay_that_catches_up_folds_again_only_when_months_begin_elsewhere(league: League) -> None:
    """Another name of the league changes no row; another time zone may move every match to another month."""
    url = league.database.url
    four_matches(league)
    run = replay(url, revised(CANDIDATE), ReplayPeriod())

    def ledger() -> set[str]:
        with connect(url) as conn:
            return {version for (version,) in conn.execute("SELECT xmin::text FROM changes WHERE run = %s", (run,))}

    before = ledger()
    send(league, ChangeSettings("Liga 2"))
    catch_up(league)
    catch_up_with(url, run)
    assert ledger() == before
    send(league, ChangeSettings(time_zone="Asia/Tokyo"))
    catch_up(league)
    catch_up_with(url, run)
    assert not ledger() & before
    with connect(url) as conn:
        assert runs.position_of(conn, run) == league.store.head()


@pytest.mark.heavy
def test_only_the_last_replays_are_kept(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new replay displaces the oldest one, but a run is not removed while it is being read."""
    url = league.database.url
    four_matches(league)
    monkeypatch.setattr(runs, "MOST_REPLAYS", 2)
    made = [replay(url, revised(CANDIDATE), ReplayPeriod(at(hour))) for hour in range(3)]
    assert runs_known(url) == [(official(url), True), (made[1], True), (made[2], True)]
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        assert chosen_run(conn, made[1], drafts=True) == made[1]
        made.append(replay(url, revised(CANDIDATE), ReplayPeriod(at(3))))
        assert conn.scalar(select(func.count()).where(t.matches.c.run == made[1])) == 4
    pool.dispose()
    made.append(replay(url, revised(CANDIDATE), ReplayPeriod(at(4))))
    assert runs_known(url) == [(official(url), True), (made[3], True), (made[4], True)]


@pytest.mark.also_on_server
def test_a_replay_goes_on_while_the_projector_does(league: League) -> None:
    """A replay keeps the position at which it began, whatever is projected meanwhile."""
    url = league.database.url
    four_matches(league)
    undisturbed = digest(url, replay(url, revised(CANDIDATE), ReplayPeriod(at(-1))))

    def meanwhile(done: int, total: int) -> None:
        if 2 * done == total:
            send(league, announced("m5", ("ana", "bea"), 1))
            catch_up(league)

    assert digest(url, replay(url, revised(CANDIDATE), ReplayPeriod(at(-2)), meanwhile)) == undisturbed
    assert len(exported(url, "matches")) == 5


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_rebuild_and_a_replay_do_not_hinder_each_other(league: League) -> None:
    """A rebuild finishes during a replay without waiting for it, and both runs exist afterwards."""
    url = league.database.url
    four_matches(league)
    known, read = official(url), list[Any]()

    def meanwhile(done: int, total: int) -> None:
        if 2 * done != total:
            return
        with Projector(url, league.store) as projector:
            projector.rebuild()
        read.extend(at_once(lambda: everything(url)))
        # The run that the rebuild retired cannot be removed under the replay's eyes.
        assert (known, False) in runs_known(url)

    run = replay(url, revised(CANDIDATE), ReplayPeriod(), meanwhile)
    assert len(read) == 1
    assert official(url) != known
    assert digest(url) != digest(url, run)
    assert runs_known(url) == sorted([(official(url), True), (run, True)])


@pytest.mark.heavy
def test_a_replay_is_seen_whole_or_not_at_all(league: League) -> None:
    """While a replay is being folded no reader sees a row of it, and a killed one leaves nothing."""
    url = league.database.url
    four_matches(league)
    known = runs_known(url)
    code = (
        "import sys, time; from league.projections.replays.replay import *\n"
        "from league.domain.rulebook import parse_rulebook\n"
        "def hold(*_): print('folding', flush=True); time.sleep(60)\n"
        f"candidate = parse_rulebook({CANDIDATE!r}, edition_to_revise(sys.argv[1]))\n"
        "replay(sys.argv[1], candidate, ReplayPeriod(), hold)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"folding\n"
        assert runs_known(url) == known
        process.send_signal(signal.SIGKILL)
    assert runs_known(url) == known
    run = replay(url, revised(CANDIDATE), ReplayPeriod())
    assert runs_known(url) == [*known, (run, True)]


@pytest.mark.also_on_server
def test_a_broken_off_replay_leaves_no_tables(league: League) -> None:
    """A replay that fails half way takes its partitions with it."""
    url = league.database.url
    four_matches(league)

    def tables() -> set[str]:
        with connect(url) as conn:
            return {name for (name,) in conn.execute("SELECT relname FROM pg_class WHERE relkind = 'r'")}

    def fail(*_: int) -> None:
        raise KeyboardInterrupt

    before = tables()
    with pytest.raises(KeyboardInterrupt):
        replay(url, revised(CANDIDATE), ReplayPeriod(), fail)
    assert tables() == before


# ---------------------------------------------------------------- spans, and what is refused


def test_only_matches_that_began_within_the_span_are_replayed(league: League) -> None:
    """From a span's start on, and before its end, matches go by the candidate; the others by the editions in force."""
    url = league.database.url
    four_matches(league)
    run = replay(url, revised("rating.k.provisional = 10"), ReplayPeriod(at(10), at(20)))
    ks = {row["match"]: row["k"] for row in exported(url, "changes", run)}
    assert ks == {"m1": 40.0, "m2": 10.0, "m3": 40.0, "m4": 40.0}


def test_a_season_is_a_span(league: League) -> None:
    """It is named by id or by name. Its span is its start and its end; one that goes on has no end."""
    url = league.database.url
    with pytest.raises(InvalidInput, match="none was opened yet"):
        period_of_season(url, "s1")
    send(league, OpenSeason("s1", "First", at(0), at(10)), OpenSeason("s2", "Second", at(10), at(20)))
    send(league, OpenSeason("s4", "second", at(20)))
    catch_up(league)
    assert period_of_season(url, "s1") == ReplayPeriod(at(0), at(10))
    assert period_of_season(url, "FIRST") == ReplayPeriod(at(0), at(10))
    assert period_of_season(url, "s4") == ReplayPeriod(at(20), None)
    with pytest.raises(InvalidInput, match="there is no season 's3'; there are 'First' \\(s1\\), 'Second' \\(s2\\)"):
        period_of_season(url, "s3")
    with pytest.raises(InvalidInput, match="the name of several: name one of s2, s4"):
        period_of_season(url, "Second")


def test_the_edition_that_holds_last_is_revised(league: League) -> None:
    """A candidate that names only what it changes changes the edition of matches that begin from now on."""
    url = league.database.url
    catch_up(league)
    assert edition_to_revise(url) == shipped_edition(1)
    adopt(league, "rating.k.standard = 25", at(10))
    catch_up(league)
    assert edition_to_revise(url) == revised("rating.k.standard = 25")


def test_a_candidate_without_a_ruleset_in_use_is_refused(league: League) -> None:
    """A candidate needs every ruleset of the editions in force: their matches could not be scored."""
    url = league.database.url
    four_matches(league)
    edition = shipped_edition(1)
    candidate = replace(edition, rulesets={name: r for name, r in edition.rulesets.items() if name != "cuban-150"})
    with pytest.raises(InvalidInput) as refused:
        replay(url, candidate, ReplayPeriod())
    assert refused.value.at == "rulesets.cuban-150"
    assert len(runs_known(url)) == 1


@pytest.mark.parametrize(("start", "end"), [(at(10), at(10)), (at(10), at(5))])
def test_a_span_that_ends_before_it_starts_is_refused(league: League, start: datetime, end: datetime) -> None:
    """A span of zero or negative length is refused as invalid input."""
    four_matches(league)
    with pytest.raises(InvalidInput) as refused:
        replay(league.database.url, revised(CANDIDATE), ReplayPeriod(start, end))
    assert refused.value.at == "end"


def test_there_is_nothing_to_replay_without_a_league(database_url: str) -> None:
    """Before the league exists a replay is refused."""
    with pytest.raises(WrongState):
        replay(database_url, shipped_edition(1), ReplayPeriod())


def test_there_is_nothing_to_replay_before_rules_are_projected(database_url: str) -> None:
    """The projector may have folded the league's first event, and not yet the one that adopts the rules."""
    with league_at(database_url) as league:
        league.dispatcher.send(CreateLeague("Liga", "UTC"), "test")
        catch_up(league)
    with pytest.raises(WrongState):
        replay(database_url, shipped_edition(1), ReplayPeriod())


def test_progress_goes_on_to_the_last_rating(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every match counts twice: when it is scored, and when it is rated; nothing goes back."""
    monkeypatch.setattr(league_rows, "PAGE", 1)
    four_matches(league)
    steps: list[tuple[int, int]] = []
    replay(
        league.database.url,
        revised("[rating]\nstart = 1000"),
        ReplayPeriod(),
        lambda done, total: steps.append((done, total)),
    )
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert {total for _, total in steps} == {8}
    assert [done for done, _ in steps if done > 4] == [5, 6, 7, 8, 8]
    assert (4, 8) in steps
    assert steps[-1] == (8, 8)
