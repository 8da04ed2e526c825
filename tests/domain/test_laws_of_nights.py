"""Nights by the clock of a league, and the seats of rematches."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.nights.events import PlayerCame, PlayerLeft
from league.nights.night import bounds_of, competition_of_rematch, moment_in, night_of, said_last, turned

HAVANA = ZoneInfo("America/Havana")
ZONES = st.sampled_from([HAVANA, ZoneInfo("UTC"), ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/St_Johns")])
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # in UTC


@given(MOMENTS, ZONES)
def test_each_moment_belongs_to_the_one_night_that_holds_it(moment: datetime, zone: ZoneInfo) -> None:
    """Nights follow one another without a gap, on days when the clock is changed too."""
    night = night_of(moment, zone)
    begins, ends = bounds_of(night, zone)
    assert begins <= moment < ends
    assert bounds_of(night + timedelta(days=1), zone)[0] == ends
    assert night_of(begins, zone) == night


@given(MOMENTS, ZONES, st.times())
def test_each_time_of_the_clock_is_in_the_night(moment: datetime, zone: ZoneInfo, shown: time) -> None:
    """From noon on it is on the first day, before on the second; also if the clock skips it or shows it twice."""
    night = night_of(moment, zone)
    begins, ends = bounds_of(night, zone)
    assert begins <= moment_in(night, shown, zone) < ends


@pytest.mark.parametrize(
    ("local", "night"),
    [
        ("2026-11-28T11:59:59", date(2026, 11, 27)),
        ("2026-11-28T12:00:00", date(2026, 11, 28)),
        ("2026-11-29T00:30:00", date(2026, 11, 28)),
        ("2026-11-01T00:30:00", date(2026, 10, 31)),  # an hour that comes twice in Havana
    ],
)
def test_a_night_goes_on_over_midnight(local: str, night: date) -> None:
    """What begins at half past midnight belongs to the evening before."""
    assert night_of(datetime.fromisoformat(local).replace(tzinfo=HAVANA), HAVANA) == night


def test_what_was_said_last_of_a_player_holds() -> None:
    """Two ids of one person are one: who came as the one and left as the other is gone."""
    said = [PlayerCame("ana"), PlayerCame("ana-2"), PlayerCame("bea"), PlayerLeft("ana-2")]
    assert said_last(said, {"ana-2": "ana"}) == {"ana": False, "bea": True}


def partners(seats: tuple[str, ...]) -> set[frozenset[str]]:
    """The two pairs of a match."""
    return {frozenset((seats[0], seats[2])), frozenset((seats[1], seats[3]))}


@given(st.permutations(["ana", "bea", "cira", "dora"]))
def test_each_is_partner_of_each_other_once_in_three_matches(seats: list[str]) -> None:
    """Partners sit across from each other; a fourth match has the partners of the first."""
    first = tuple(seats)
    second = turned("2v2", first)
    third = turned("2v2", second)
    met = [*partners(first), *partners(second), *partners(third)]
    assert len(set(met)) == 6
    assert partners(turned("2v2", third)) == partners(first)


def test_the_order_of_play_turns_by_one_without_partners() -> None:
    """Whoever began plays last."""
    assert turned("1v1", ("ana", "bea")) == ("bea", "ana")
    assert turned("individuals", ("ana", "bea", "cira")) == ("bea", "cira", "ana")


def test_a_rematch_belongs_to_no_special_tournament() -> None:
    """It counts as what it was otherwise."""
    assert [competition_of_rematch(one) for one in ("casual", "competitive", "special")] == [
        "casual", "competitive", "competitive",
    ]  # fmt: skip
