"""The monthly series: what two competitors hold of each other, and where a month begins and ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from given import EDITION
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.refusals import InvalidInput
from league.domain.rules import SeriesRules
from league.domain.series import bounds, game_points, holding, is_locked, month_of, series_points, stake

SHIPPED = EDITION.series
HAVANA, ASUNCION, UTC_ZONE = ZoneInfo("America/Havana"), ZoneInfo("America/Asuncion"), ZoneInfo("UTC")

# ---------------------------------------------------------------- what a pair holds


@pytest.mark.parametrize(
    ("wins", "losses", "series", "games"),
    [
        (0, 0, 0, 0),
        (1, 0, 0, 5),
        (2, 0, 20, 10),
        (1, 1, 0, 0),
        (3, 0, 20, 15),
        (2, 1, 7, 5),
        (4, 0, 20, 20),
        (3, 1, 10, 10),
        (2, 2, 0, 0),
        (4, 1, 12, 15),
        (3, 2, 4, 5),
        (4, 2, 7, 10),
        (3, 3, 0, 0),
        (4, 3, 3, 5),
    ],
)
def test_what_a_pair_holds_as_the_text_lists_it(wins: int, losses: int, series: int, games: int) -> None:
    """Series points and points of the games, for every standing that a pair can come to; the other has the negative."""
    assert (series_points(wins, losses, SHIPPED), game_points(wins, losses, SHIPPED)) == (series, games)
    assert (series_points(losses, wins, SHIPPED), game_points(losses, wins, SHIPPED)) == (-series, -games)
    assert holding(wins, losses, SHIPPED) == series + games


@pytest.mark.parametrize(
    ("changed", "wins", "losses", "expected"),
    [
        ({"pool": 60}, 2, 0, 30),
        ({"pool": 60}, 2, 1, 10),
        ({"pool": 60}, 4, 1, 18),
        ({"pool": 41}, 2, 0, 21),  # 20.5, away from zero
        ({"pool": 41}, 0, 2, -21),
        ({"pool": 41}, 2, 1, 7),  # 6.83
        ({"pool": 20}, 3, 1, 5),
        ({"pool": 10}, 3, 1, 3),  # 2.5
        ({"pool": 10}, 1, 3, -3),
        ({"pool": 0}, 4, 0, 0),
        ({"pool_from_game": 1}, 1, 0, 20),
        ({"pool_from_game": 1}, 0, 1, -20),
        ({"pool_from_game": 3}, 2, 0, 0),
        ({"pool_from_game": 3}, 2, 1, 7),
    ],
)
def test_series_points_under_other_settings(changed: dict[str, int], wins: int, losses: int, expected: int) -> None:
    """The pool, and the game from which on it is given, are settings; halves are rounded away from zero."""
    assert series_points(wins, losses, replace(SHIPPED, **changed)) == expected


def test_game_points_and_the_limit_are_settings() -> None:
    """The points of a game, and the wins that lock two competitors, are settings."""
    rules = replace(SHIPPED, game_points=7, limit=3)
    assert game_points(3, 1, rules) == 14
    assert [is_locked(wins, losses, rules) for wins, losses in ((2, 2), (3, 0), (0, 3), (1, 3))] == [
        False,
        True,
        True,
        True,
    ]
    assert [is_locked(wins, losses, SHIPPED) for wins, losses in ((3, 3), (4, 0), (3, 4))] == [False, True, True]


def test_the_stake_of_the_next_game() -> None:
    """How far winning and losing the next game lie apart; nothing once the pair is locked."""
    # 1-0 against 0-1; 2-0 (30) against 1-1 (0); 4-0 (40) against 3-1 (20); 4-3 (8) against 3-4 (-8).
    standings = ((0, 0), (1, 0), (3, 0), (3, 3), (4, 0), (3, 4))
    assert [stake(wins, losses, SHIPPED) for wins, losses in standings] == [10, 30, 20, 16, 0, 0]


some_rules = st.builds(
    SeriesRules, st.integers(0, 5000), st.integers(0, 50), st.integers(1, 9), st.integers(0, 999), st.integers(1, 9)
)
games = st.integers(0, 9)


@given(games, games, some_rules)
def test_what_one_holds_the_other_lacks(wins: int, losses: int, rules: SeriesRules) -> None:
    """Under any settings the points of two competitors cancel out, and both have the same stake."""
    assert holding(wins, losses, rules) == -holding(losses, wins, rules)
    assert stake(wins, losses, rules) == stake(losses, wins, rules)


@given(games, games, some_rules)
def test_series_points_are_the_nearest_whole_number(wins: int, losses: int, rules: SeriesRules) -> None:
    """The text's formula in exact fractions: at most a half away, and a half is rounded away from zero."""
    points, played = series_points(wins, losses, rules), wins + losses
    if played == 0 or played < rules.pool_from_game:
        assert points == 0
        return
    exact = Fraction(rules.pool * wins, played) - Fraction(rules.pool, 2)
    assert abs(points - exact) <= Fraction(1, 2)
    assert abs(points - exact) < Fraction(1, 2) or abs(points) > abs(exact)


# ---------------------------------------------------------------- months


@pytest.mark.parametrize(
    ("zone", "time", "month"),
    [
        (UTC_ZONE, "2026-01-31T23:59:59.999999+00:00", "2026-01"),
        (UTC_ZONE, "2026-02-01T00:00:00+00:00", "2026-02"),
        # Winter and summer time: five and four hours behind UTC.
        (HAVANA, "2026-02-01T04:59:59+00:00", "2026-01"),
        (HAVANA, "2026-02-01T05:00:00+00:00", "2026-02"),
        (HAVANA, "2026-06-01T03:59:59+00:00", "2026-05"),
        (HAVANA, "2026-06-01T04:00:00+00:00", "2026-06"),
        # 2026-11-01: at one o'clock it is midnight again, and November all the same.
        (HAVANA, "2026-11-01T03:59:59+00:00", "2026-10"),
        (HAVANA, "2026-11-01T04:00:00+00:00", "2026-11"),
        (HAVANA, "2026-11-01T05:30:00+00:00", "2026-11"),
        # 2017-10-01: the clock goes from 23:59:59 to one o'clock, there is no midnight.
        (ASUNCION, "2017-10-01T03:59:59+00:00", "2017-09"),
        (ASUNCION, "2017-10-01T04:00:00+00:00", "2017-10"),
        # A time says its own offset; where the league is counts.
        (HAVANA, "2026-03-01T01:00:00+02:00", "2026-02"),
    ],
)
def test_the_month_of_a_time_goes_by_where_the_league_is(zone: ZoneInfo, time: str, month: str) -> None:
    """Around midnight of the first, also when the clock changes in that night."""
    assert month_of(datetime.fromisoformat(time), zone) == month


@pytest.mark.parametrize(
    ("month", "zone", "begins", "ends"),
    [
        ("2026-02", UTC_ZONE, "2026-02-01T00:00Z", "2026-03-01T00:00Z"),
        ("2026-12", UTC_ZONE, "2026-12-01T00:00Z", "2027-01-01T00:00Z"),
        ("2026-03", HAVANA, "2026-03-01T05:00Z", "2026-04-01T04:00Z"),
        ("2026-10", HAVANA, "2026-10-01T04:00Z", "2026-11-01T04:00Z"),
        ("2026-11", HAVANA, "2026-11-01T04:00Z", "2026-12-01T05:00Z"),
        ("2017-09", ASUNCION, "2017-09-01T04:00Z", "2017-10-01T04:00Z"),
    ],
)
def test_when_a_month_begins_and_ends(month: str, zone: ZoneInfo, begins: str, ends: str) -> None:
    """Bounds are in UTC and move with daylight saving."""
    assert bounds(month, zone) == (datetime.fromisoformat(begins), datetime.fromisoformat(ends))


zones = st.sampled_from([UTC_ZONE, HAVANA, ASUNCION, ZoneInfo("Asia/Tokyo"), ZoneInfo("Pacific/Apia")])


times = st.integers(-600_000_000, 3_800_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@given(times, zones)
def test_every_time_lies_within_its_month(time: datetime, zone: ZoneInfo) -> None:
    """Every time lies within the bounds of the month it is of."""
    begins, ends = bounds(month_of(time, zone), zone)
    assert begins <= time < ends


@given(st.integers(1950, 2089), st.integers(1, 12), zones)
def test_months_follow_each_other_without_a_gap(year: int, number: int, zone: ZoneInfo) -> None:
    """The end of a month is the beginning of the next; its first moment is of it, the one before is not."""
    month = f"{year:04}-{number:02}"
    begins, ends = bounds(month, zone)
    assert bounds(month_of(ends, zone), zone)[0] == ends
    assert month_of(begins, zone) == month
    assert month_of(begins - timedelta(microseconds=1), zone) < month


@pytest.mark.parametrize(
    "bad",
    ["", "2026", "2026-00", "2026-13", "2026-3", "26-03", "2026-03-01", "2026-03\n", "٢٠٢٦-03", "0000-01", "9999-12"],
)
def test_what_is_no_month_is_refused(bad: str) -> None:
    """A refusal that names the field and says what a month looks like."""
    with pytest.raises(InvalidInput) as refused:
        bounds(bad, HAVANA)
    assert refused.value.field == "month"
    assert "2026-03" in refused.value.message
