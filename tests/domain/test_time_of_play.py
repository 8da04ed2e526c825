"""A time of play by a clock that is a little ahead means now; one that is further ahead is refused."""

from __future__ import annotations

from datetime import timedelta

from given import NOW
from hypothesis import given
from hypothesis import strategies as st

from league.domain.match_faults import CLOCKS_DIFFER, faults_of_time, settled_time
from league.domain.refusals import InTheFuture


@given(
    ahead=st.timedeltas(timedelta(), CLOCKS_DIFFER),
    steps=st.lists(st.tuples(st.timedeltas(timedelta(), timedelta(hours=1)), st.booleans()), max_size=20),
)
def test_the_times_of_a_phone_that_is_ahead_do_not_go_back(
    ahead: timedelta, steps: list[tuple[timedelta, bool]]
) -> None:
    """Hands sent at once and hands that waited offline stay in order and never in the future."""
    now, last, waiting = NOW, NOW - timedelta(days=1), []
    for passes, is_connected in steps:
        now += passes
        waiting.append(now + ahead)
        while is_connected and waiting:
            taken = settled_time(waiting.pop(0), now) or now
            assert last <= taken <= now
            last = taken


@given(st.timedeltas(timedelta(days=-2), timedelta(days=2)))
def test_what_is_not_taken_as_now_stays_as_it_is(ahead: timedelta) -> None:
    """A time in the past is kept; one beyond what clocks differ is refused with the time that was sent."""
    taken = settled_time(NOW + ahead, NOW)
    assert taken == (None if timedelta() < ahead <= CLOCKS_DIFFER else NOW + ahead)
    refused = [InTheFuture("played_at", NOW + ahead, NOW)] if ahead > CLOCKS_DIFFER else []
    assert [*faults_of_time(taken, NOW)] == refused
