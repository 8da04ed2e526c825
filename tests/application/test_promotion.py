"""Promotion: a replay becomes the official league in one step, and rolling back is the same with the rules before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from databases import copy_of
from leagues import (
    SIX_MATCHES,
    UNGUARDED,
    announced,
    at,
    at_once,
    catch_up,
    caught_up_digest,
    digest,
    exported,
    league_at,
    official,
    rebuild,
    revised,
    send,
    shared_rows,
)
from msgspec.structs import replace

from league.application import promotion
from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare, official_digest
from league.domain.league import CloseMonth
from league.domain.match import AnnouncedResult, OpenMatch, RecordResult, VoidMatch
from league.domain.refusals import Conflict, NotFound, WrongState
from league.domain.rulebook import AdoptEdition, EditionPublished, content_hash
from league.domain.wrong_states import RulesetIsInUse
from league.eventlog.recorder import OutOfSpace
from league.eventlog.records import Append, AppendRequest
from league.infra.database import connect
from league.projections import runs
from league.projections.replays import replay as replay_module
from league.projections.replays.replay import ReplayPeriod, replay, retire_run
from league.rulebook import shipped_edition

ADMIN = AppendRequest("admin", "manual")
CANDIDATE = revised("rating.cap = false\nrating.k.provisional = 32\n[series]\nlimit = 1")


@pytest.fixture
def league(postgres: str) -> Iterator[League]:
    """Six matches, projected."""
    with copy_of(postgres, SIX_MATCHES) as url, league_at(url) as made:
        yield made


def replayed(league: League, candidate: Any = CANDIDATE) -> int:
    return replay(league.database.url, candidate, ReplayPeriod())


@pytest.mark.also_on_server
def test_a_promoted_run_is_what_everybody_reads(league: League) -> None:
    """The pointer moves, the edition is published and adopted, and nothing is folded again."""
    url, run = league.database.url, replayed(league)
    before, wanted = digest(url), digest(url, run)
    position = league.promoter.promote(run, ADMIN)
    assert official(url) == run
    assert position == league.store.head()
    assert digest(url) == wanted != before
    names = [stored.name for stored in league.store.load("rulebook")]
    assert names[-2:] == ["edition-published/1", "edition-adopted/1"]


@pytest.mark.heavy
def test_a_rebuild_gives_the_digest_of_the_promoted_run(league: League) -> None:
    """Rolling back gives the first digest, rebuilt or not."""
    url = league.database.url
    first, run = digest(url), replayed(league)
    league.promoter.promote(run, ADMIN)
    promoted = digest(url)
    rebuild(league)
    assert digest(url) == promoted
    league.promoter.roll_back(ADMIN)
    assert digest(url) == first
    rebuild(league)
    assert digest(url) == first


@pytest.mark.heavy
def test_what_came_meanwhile_is_in_the_promoted_run_once(league: League) -> None:
    """A late match, a void and an ordinary match after the fold: the projector folds them into the promoted run."""
    url, run = league.database.url, replayed(league)
    send(league, announced("late", ("eva", "flor"), 0.5), announced("new", ("ana", "eva"), 9))
    send(league, VoidMatch("m1", "wrong table"))
    league.promoter.promote(run, ADMIN)
    promoted = caught_up_digest(league)
    known = {row["match"]: row["status"] for row in exported(url, "matches")}
    assert (known["late"], known["new"], known["m1"]) == ("announced", "announced", "voided")
    rebuild(league)
    assert digest(url) == promoted


@pytest.mark.heavy
def test_published_editions_go_by_the_hash_that_was_stored(league: League) -> None:
    """An edition that another program published under a hash of its own is promoted over and rolled back to."""
    url, held = league.database.url, revised("rating.k.standard = 21")
    published = EditionPublished(2, "2" * 64, held)
    league.store.append([Append("rulebook", len(league.store.load("rulebook")), (published,))], ADMIN)
    send(league, AdoptEdition(2))
    before = caught_up_digest(league)
    with connect(url) as conn:
        assert conn.execute("SELECT DISTINCT edition FROM matches").fetchall() == [("2" * 64,)]
    league.promoter.promote(replayed(league), ADMIN)
    league.promoter.roll_back(ADMIN)
    assert digest(url) == before == rebuild(league)
    hashes = [stored.event.hash for stored in league.store.load("rulebook") if stored.name == "edition-published/1"]
    assert hashes == [content_hash(shipped_edition(1)), "2" * 64, content_hash(CANDIDATE)]


@pytest.mark.heavy
def test_matches_after_the_promotion_are_rated_by_its_rules(league: League) -> None:
    """The projector goes on with the run that was promoted."""
    url, run = league.database.url, replayed(league)
    league.promoter.promote(run, ADMIN)
    send(league, announced("after", ("ana", "eva"), 20))
    catch_up(league)
    incremental = digest(url)
    rebuild(league)
    assert digest(url) == incremental


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_of_two_promotions_at_once_one_wins(league: League) -> None:
    """The other one revises rules that are no longer in force."""
    runs = [replayed(league), replayed(league, revised("rating.k.provisional = 36"))]
    outcomes = at_once(*(lambda run=run: league.promoter.promote(run, ADMIN) for run in runs))
    refused = [outcome for outcome in outcomes if isinstance(outcome, WrongState)]
    assert len(refused) == 1
    assert official(league.database.url) in runs


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_promotion_amid_writers_counts_every_match_once(league: League) -> None:
    """Writers go on while it is promoted; the projector too."""
    url, run, stop = league.database.url, replayed(league), threading.Event()

    def write(player: str) -> None:
        for number in range(15):
            send(league, announced(f"{player}-{number}", (player, "flor"), 30 + number, competition="casual"))

    def project() -> None:
        while not stop.is_set():
            league.project()

    projecting = threading.Thread(target=project)
    writers = [threading.Thread(target=write, args=(player,)) for player in ("dora", "eva")]
    for thread in (projecting, *writers):
        thread.start()
    league.promoter.promote(run, ADMIN)
    for thread in writers:
        thread.join()
    stop.set()
    projecting.join()
    catch_up(league)
    (flor,) = [row for row in exported(url, "ratings") if (row["id"], row["mode"]) == ("flor", "1v1")]
    assert flor["matches"] == 30
    incremental = digest(url)
    rebuild(league)
    assert digest(url) == incremental


def test_what_cannot_be_promoted_is_refused(league: League) -> None:
    """A run that is not there, the official one, and one whose base holds no more; nothing to roll back to."""
    with pytest.raises(NotFound):
        league.promoter.promote(99, ADMIN)
    with pytest.raises(WrongState, match="official"):
        league.promoter.promote(official(league.database.url), ADMIN)
    with pytest.raises(WrongState, match="none can come back"):
        league.promoter.roll_back(ADMIN)
    stale = replayed(league, revised("rating.k.provisional = 36"))
    league.promoter.promote(replayed(league), ADMIN)
    with pytest.raises(WrongState, match="compute it again"):
        league.promoter.promote(stale, ADMIN)


def test_the_same_request_is_carried_out_once(league: League) -> None:
    """A repeated key gives the first position again."""
    run, request = replayed(league), AppendRequest("admin", "manual", "key", "hash")
    position = league.promoter.promote(run, request)
    assert league.promoter.promote(run, request) == position


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_run_that_is_due_to_go_is_not_retired_while_it_is_promoted(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pruning and dropping wait for no promotion, and take neither the official run nor what rolling back needs."""
    url = league.database.url
    oldest, _ = replayed(league), replayed(league, revised("rating.k.standard = 1"))
    monkeypatch.setattr(runs, "MOST_REPLAYS", 1)
    with connect(url) as promoting, connect(url, autocommit=True) as pruning:
        runs.lock_official(promoting)
        runs.prune(pruning)
        with pytest.raises(Conflict), pruning.transaction():
            retire_run(pruning, oldest)
        assert pruning.execute("SELECT ready FROM runs WHERE run = %s", (oldest,)).fetchone() == (True,)
    before = official(url)
    league.promoter.promote(oldest, ADMIN)
    with connect(url, autocommit=True) as pruning:
        replayed(league, revised("rating.k.standard = 99"))
        runs.prune(pruning)
        kept = pruning.execute("SELECT run FROM runs WHERE ready AND run = ANY(%s)", ([before, oldest],)).fetchall()
    assert len(kept) == 2


@pytest.mark.heavy
def test_a_refused_promotion_leaves_the_run_as_it_was(league: League) -> None:
    """It keeps its position, so it still shows what was known then."""
    stale = replayed(league, revised("rating.k.provisional = 36"))
    league.promoter.promote(replayed(league), ADMIN)
    with connect(league.database.url) as conn:
        before = runs.position_of(conn, stale)
        with pytest.raises(WrongState):
            league.promoter.promote(stale, ADMIN)
        assert runs.position_of(conn, stale) == before


@pytest.mark.heavy
def test_rolling_back_undoes_no_promotion_that_came_meanwhile(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ana rolls back what she saw; Berta was faster, and what she promoted stays."""
    url = league.database.url
    league.promoter.promote(replayed(league), ADMIN)
    late = replayed(league, revised("rating.k.provisional = 36"))

    def catch_up_slowly(url: str, run: int) -> None:
        monkeypatch.undo()
        league.promoter.promote(late, ADMIN)
        replay_module.catch_up(url, run)

    monkeypatch.setattr(promotion, "catch_up", catch_up_slowly)
    with pytest.raises(WrongState, match="meanwhile"):
        league.promoter.roll_back(ADMIN)
    assert official(url) == late


HOUSE = """[rulesets.house-100]
extends = "cuban-150"
title = "House rules to 100"
target = 100"""


@pytest.mark.heavy
def test_rolling_back_past_a_ruleset_in_use_adds_it_to_the_earlier_rules(league: League) -> None:
    """The match that was played under the new ruleset keeps its result; all other rules are the earlier ones."""
    url, first = league.database.url, digest(league.database.url)
    league.promoter.promote(replayed(league, revised(HOUSE + "\n[rating]\ncap = false")), ADMIN)
    send(league, [OpenMatch("h1", "house-100", "1v1", "competitive", ("ana", "bea"), None, at(20))])
    send(league, [RecordResult("h1", AnnouncedResult(0, (100, 40)), at(21))])
    catch_up(league)
    league.promoter.roll_back(ADMIN)
    (adopted,) = [stored.event for stored in league.store.load("rulebook")][-2:-1]
    assert isinstance(adopted, EditionPublished)
    assert adopted.document.title == f"{shipped_edition(1).title} + house-100"
    assert adopted.document.rating == shipped_edition(1).rating
    assert {row["match"]: row["winner"] for row in exported(url, "matches")}["h1"] == 0
    incremental = digest(url)
    assert rebuild(league) == incremental != first


@pytest.mark.heavy
def test_rolling_back_past_a_ruleset_that_nobody_played_leaves_it_out(league: League) -> None:
    """Nothing has to be added."""
    first = digest(league.database.url)
    league.promoter.promote(replayed(league, revised(HOUSE)), ADMIN)
    league.promoter.roll_back(ADMIN)
    assert digest(league.database.url) == first


@pytest.mark.heavy
@pytest.mark.parametrize("folded", [True, False])
def test_a_match_that_is_opened_under_the_ruleset_meanwhile_stops_the_rollback(
    league: League, monkeypatch: pytest.MonkeyPatch, *, folded: bool
) -> None:
    """It comes after the earlier rules were chosen, and may not be folded yet. Nothing is adopted."""
    league.promoter.promote(replayed(league, revised(HOUSE)), ADMIN)
    run = official(league.database.url)

    def catch_up_slowly(url: str, run: int) -> None:
        monkeypatch.undo()
        send(league, [OpenMatch("h1", "house-100", "1v1", "competitive", ("ana", "bea"), None, at(20))])
        if folded:
            catch_up(league)
        replay_module.catch_up(url, run)

    monkeypatch.setattr(promotion, "catch_up", catch_up_slowly)
    with pytest.raises(RulesetIsInUse):
        league.promoter.roll_back(ADMIN)
    assert official(league.database.url) == run


class Interrupted:
    """The store of somebody who is a moment too late: another writer comes just before the log is locked."""

    def __init__(self, league: League, *writes: Any) -> None:
        self._league, self._writes = league, list(writes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._league.store, name)

    def lock(self, conn: Any) -> None:
        if self._writes:
            send(self._league, self._writes.pop(0))
        self._league.store.lock(conn)


@pytest.mark.heavy
def test_what_comes_at_the_last_moment_is_folded_after_the_promotion(league: League) -> None:
    """A void comes between catching up and the lock: the promotion does not begin again, and nothing is lost."""
    url, run = league.database.url, replayed(league)
    store = Interrupted(league, VoidMatch("m1", "wrong table"))
    position = replace(league.promoter, store=store).promote(run, ADMIN)
    assert position == league.store.head()
    promoted = caught_up_digest(league)
    assert {row["status"] for row in exported(url, "matches") if row["match"] == "m1"} == {"voided"}
    assert rebuild(league) == promoted


@pytest.mark.heavy
@pytest.mark.parametrize("moment", ["while the run catches up", "before the log is locked"])
def test_a_month_that_is_closed_meanwhile_is_published_by_the_rules_before(
    league: League, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The run that is official until then folds the closing; else a rebuild would publish another list."""
    run, caught_up = replayed(league), list[int]()
    promoter = league.promoter
    if moment == "before the log is locked":
        promoter = replace(promoter, store=Interrupted(league, CloseMonth("2026-03")))

    def catch_up_slowly(url: str, run: int) -> None:
        caught_up.append(run)
        if len(caught_up) == 2:  # the second time with the projector waiting
            send(league, CloseMonth("2026-03"))
        replay_module.catch_up(url, run)

    if moment == "while the run catches up":
        monkeypatch.setattr(promotion, "catch_up", catch_up_slowly)
    promoter.promote(run, ADMIN)
    league.project()
    published = shared_rows(league.database.url)
    rebuild(league)
    assert shared_rows(league.database.url) == published
    assert len(published["published_standings"]) > 0


@pytest.mark.heavy
def test_between_a_promotion_and_its_fold_nothing_is_reported_as_a_fault(league: League) -> None:
    """Comparing the run with the log, and its digest, first folds it up to the adoption."""
    url = league.database.url
    league.promoter.promote(replayed(league), ADMIN)
    folded = compare(url, league.store, league.project)
    assert (folded.position, folded.faults) == (league.store.head(), [])
    league.promoter.roll_back(ADMIN)
    known = official_digest(url, league.project)
    assert known.digest == rebuild(league)


FULL_DISK = """
    CREATE FUNCTION league.full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE UPDATE ON league.official_run EXECUTE FUNCTION league.full_disk();
"""
STILL_FULL = "CREATE TRIGGER full_disk BEFORE INSERT ON league.stored_events EXECUTE FUNCTION league.full_disk()"


@pytest.mark.also_on_server
def test_a_promotion_that_finds_the_disk_full_is_undone_and_reported(league: League) -> None:
    """The store then tries the disk before it answers that it can write."""
    head, run, before = league.store.head(), replayed(league), official(league.database.url)
    with psycopg.connect(league.database.url, autocommit=True) as superuser:
        superuser.execute(FULL_DISK)
        with pytest.raises(OutOfSpace):
            league.promoter.promote(run, ADMIN)
        superuser.execute(STILL_FULL)
        assert not league.store.can_write()
        superuser.execute("DROP FUNCTION league.full_disk CASCADE")
    assert league.store.can_write()
    assert (league.store.head(), official(league.database.url)) == (head, before)


def lose_adoption(league: League) -> None:
    """Promote a run, and lose the events of the promotion before they are projected, as a restored disk may."""
    kept = league.store.head()
    league.promoter.promote(replayed(league), ADMIN)
    with psycopg.connect(league.database.url) as superuser:
        superuser.execute(UNGUARDED)
        superuser.execute("DELETE FROM league.requests WHERE position > %s", (kept,))
        superuser.execute("DELETE FROM league.stored_events WHERE position > %s", (kept,))


@pytest.mark.heavy
def test_a_rebuild_after_an_adoption_was_lost_has_a_digest(league: League) -> None:
    """The rebuilt run has the rules of the log, so there is no adoption to wait for."""
    lose_adoption(league)
    rebuilt = rebuild(league)

    def project() -> None:
        pytest.fail("the run is folded up to the end of the log")

    assert official_digest(league.database.url, project).digest == rebuilt


@pytest.mark.heavy
def test_a_run_whose_adoption_was_lost_has_no_digest(league: League) -> None:
    """However often the log is projected, it does not reach the adoption."""
    lose_adoption(league)
    with pytest.raises(WrongState, match="--rebuild"):
        official_digest(league.database.url, league.project)


@pytest.mark.heavy
def test_a_single_event_after_the_fold_is_caught_up_with(league: League) -> None:
    """The very next event of the log is the first one that the run lacks."""
    run = replayed(league)
    send(league, VoidMatch("m3", "wrong table"))
    catch_up(league)
    league.promoter.promote(run, ADMIN)
    promoted = digest(league.database.url)
    rebuild(league)
    assert digest(league.database.url) == promoted
