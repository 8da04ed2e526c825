"""What was known at a moment: a run of the log as it was then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leagues import adopt, announced, at, catch_up, caught_up_digest, digest, official, revised, send
from test_random_leagues import begin_anew, happen, happenings, tried

from league.application import replay_requests
from league.application.bootstrap import League
from league.domain.league import ChangeSettings, CloseMonth, ReopenMonth
from league.domain.match import VoidMatch
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.eventlog.records import AppendRequest
from league.projections.replays.replay import ReplayPeriod, replay, run_known_at

pytestmark = pytest.mark.slow

CANDIDATE = revised("rating.k.provisional = 32")
ADMIN = AppendRequest("admin", "manual")


def now(league: League) -> datetime:
    """When the last event was recorded."""
    return league.store.read_after(league.store.head() - 1, 1)[0].recorded_at


def known(league: League, moment: datetime, candidate: Any = None) -> int:
    return replay(league.database.url, candidate, ReplayPeriod(), known_at=moment)


months = st.sampled_from(
    [
        [CloseMonth("2026-03")],
        [CloseMonth("2026-02")],
        [ReopenMonth("2026-03")],
        [ChangeSettings(None, "Asia/Tokyo")],
        [ChangeSettings("Liga 2")],
    ]
)


@pytest.mark.heavy
@settings(tried, max_examples=3)  # each folds its league once for every step
@given(happened=st.lists(st.one_of(happenings, happenings, happenings, months), min_size=4, max_size=16))
def test_what_was_known_is_what_the_league_was_then(league: League, happened: list[Any]) -> None:
    """After every step the digest of the league is noted; from the whole log each can be folded again."""
    begin_anew(league)
    digests = {now(league): caught_up_digest(league)}
    for happening in happened:
        if happening not in ("project", "restart"):
            happen(league, happening)
            digests[now(league)] = caught_up_digest(league)
    for moment, wanted in digests.items():
        assert digest(league.database.url, known(league, moment)) == wanted


def test_a_moment_between_two_events_knows_the_first_only(league: League) -> None:
    """What is recorded exactly then is known."""
    send(league, announced("m1", ("ana", "bea"), 1))
    first, wanted = now(league), caught_up_digest(league)
    send(league, announced("m2", ("ana", "bea"), 0))
    catch_up(league)
    url = league.database.url
    assert digest(url, known(league, first)) == wanted != digest(url)
    assert digest(url, known(league, first - timedelta(microseconds=1))) != wanted


def test_the_rules_that_held_then_may_be_revised(league: League) -> None:
    """A candidate over what was known equals the replay that was folded then."""
    send(league, announced("m1", ("ana", "bea"), 1))
    moment, url = now(league), league.database.url
    catch_up(league)
    wanted = digest(url, replay(url, CANDIDATE, ReplayPeriod()))
    adopt(league, "rating.cap = false")
    send(league, announced("late", ("ana", "cira"), 0), VoidMatch("m1", "mistake"))
    catch_up(league)
    assert digest(url, known(league, moment, CANDIDATE)) == wanted


def test_what_was_folded_is_found(league: League) -> None:
    """A moment that was folded before gives the same run, or the official run if it is at that position."""
    url, store = league.database.url, league.store
    send(league, announced("m1", ("ana", "bea"), 1))
    moment = now(league)
    catch_up(league)
    assert run_known_at(url, store, moment) == official(url)
    run = known(league, moment)
    assert run != official(url)
    send(league, announced("m2", ("ana", "bea"), 2))
    catch_up(league)
    assert known(league, moment) == run == run_known_at(url, store, moment)
    replay_requests.drop(league, run, ADMIN)
    assert run_known_at(url, store, moment) is None


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_run_of_the_past_catches_up_when_it_is_promoted(league: League) -> None:
    """A revision of what was known becomes a revision of everything."""
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("ana", "cira"), 2))
    moment, url = now(league), league.database.url
    send(league, announced("late", ("bea", "cira"), 0), VoidMatch("m1", "mistake"), CloseMonth("2026-03"))
    catch_up(league)
    run = known(league, moment, CANDIDATE)
    wanted = digest(url, replay(url, CANDIDATE, ReplayPeriod()))
    league.promoter.promote(run, ADMIN)
    assert official(url) == run
    assert digest(url) == wanted


def test_before_the_league_nothing_was_known(league: League) -> None:
    """A moment before the league is refused, and so is a time without an offset."""
    with pytest.raises(InvalidInput, match="nothing had been recorded"):
        known(league, datetime(2020, 1, 1, tzinfo=UTC))
    with pytest.raises(InvalidInput, match="offset"):
        known(league, datetime(2026, 1, 1))  # noqa: DTZ001


# ---------------------------------------------------------------- dropping


def test_a_dropped_run_is_gone_at_once(league: League) -> None:
    """A dropped run is gone with its tables; dropping it again is refused."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea"), 1))
    catch_up(league)
    run = replay(url, CANDIDATE, ReplayPeriod())
    assert replay_requests.drop(league, run, ADMIN)
    with pytest.raises(NotFound):
        replay_requests.drop(league, run, ADMIN)


def test_what_is_needed_is_not_dropped(league: League) -> None:
    """The official run, and the run that a rollback needs, cannot be dropped."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea"), 1))
    catch_up(league)
    first, run = official(url), replay(url, CANDIDATE, ReplayPeriod(at(0)))
    league.promoter.promote(run, ADMIN)
    for needed, why in ((run, "official run"), (first, "rollback")):
        with pytest.raises(WrongState, match=why):
            replay_requests.drop(league, needed, ADMIN)
