"""Times on a league's clock in the nights when it is changed."""

# ruff: noqa: DTZ001  # times as a clock shows them

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.domain.texts_and_times import AmbiguousTime, SkippedTime, beginning_of, in_utc, read_day

HAVANA = ZoneInfo("America/Havana")


def test_a_skipped_time_is_refused_with_the_next_one() -> None:
    with pytest.raises(SkippedTime) as refused:
        in_utc(datetime(2026, 3, 8, 0, 30), HAVANA, "played_at")
    assert (refused.value.field, refused.value.next) == ("played_at", "2026-03-08T01:00")
    assert "2026-03-08T01:00" in refused.value.message
    assert in_utc(datetime(2026, 3, 8, 1, 0), HAVANA, "x") == datetime(2026, 3, 8, 5, 0, tzinfo=UTC)


def test_a_time_that_comes_twice_is_refused_with_both_offsets() -> None:
    with pytest.raises(AmbiguousTime) as refused:
        in_utc(datetime(2026, 11, 1, 0, 30), HAVANA, "played_at")
    assert refused.value.first == "2026-11-01T00:30:00-04:00"
    assert refused.value.second == "2026-11-01T00:30:00-05:00"
    assert refused.value.first in refused.value.message
    assert refused.value.second in refused.value.message


def test_a_day_begins_with_its_first_moment() -> None:
    assert beginning_of(date(2026, 3, 8), HAVANA) == datetime(2026, 3, 8, 5, 0, tzinfo=UTC)
    assert beginning_of(date(2026, 11, 1), HAVANA) == datetime(2026, 11, 1, 4, 0, tzinfo=UTC)


@given(
    st.datetimes(datetime(1970, 1, 2), datetime(2037, 1, 1)),
    st.sampled_from(["America/Havana", "Australia/Lord_Howe", "Europe/Madrid", "America/Santo_Domingo"]),
)
def test_a_time_is_read_as_it_is_shown_or_refused_for_its_reason(local: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    try:
        read = in_utc(local, zone, "played_at")
    except SkippedTime as refused:
        after = datetime.fromisoformat(refused.next)
        assert after > local
        before = after - timedelta(seconds=1)
        with pytest.raises(SkippedTime):
            in_utc(before, zone, "played_at")
        in_utc(after, zone, "played_at")
    except AmbiguousTime as refused:
        times = [datetime.fromisoformat(one) for one in (refused.first, refused.second)]
        assert times[0] < times[1]
        assert all(one.astimezone(zone).replace(tzinfo=None, fold=0) == local for one in times)
    else:
        assert read.astimezone(zone).replace(tzinfo=None) == local


@pytest.mark.parametrize(
    "text",
    [
        "20261120xx",
        "20261120-1",
        "2026-W47-5",
        "2026W475xx",
        "20261120",
        "\uff12\uff10\uff12\uff16-11-20",
        "2026-02-30",
        "",
    ],
)
def test_other_forms_are_no_day(text: str) -> None:
    """A form of ISO 8601 that people do not write, or something behind it, would be read as another day."""
    with pytest.raises(ValueError):  # noqa: PT011  # Python's own, and ours
        read_day(text)
    assert read_day("2026-11-20") == date(2026, 11, 20)
