"""Numbers, dates and times as people write them in each language."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from league.domain.sentences import say_count
from league.wording.language import speaking, spoken
from league.wording.numbers import date_of, moment_of, month_of, number, percent, rating, signed, time_of

LATE = datetime(2026, 11, 23, 2, 5, tzinfo=UTC)
ISLAND = ZoneInfo("America/Santo_Domingo")


@pytest.mark.parametrize("spoken", ["en", "es"])
def test_numbers_have_the_decimal_point_and_the_groups_of_the_islands(spoken: str) -> None:
    """This holds in both languages. Ratings have no groups, and zero has no sign."""
    with speaking(spoken):  # type: ignore[arg-type]  # one of ours
        assert [number(1234567), number(1234.56, 1), number(-1234), number(-0.04, 1)] == [
            "1,234,567",
            "1,234.6",
            "-1,234",
            "0.0",
        ]
        assert [signed(1234.56, 1), signed(-2), signed(-0.04, 1), signed(0)] == ["+1,234.6", "-2", "0.0", "0"]
        assert [rating(1962.4), rating(1102.371, 2), percent(0.4567), percent(0.4567, 1)] == [
            "1962",
            "1102.37",
            "46%",
            "45.7%",
        ]


@pytest.mark.parametrize(
    ("spoken", "day", "month"),
    [("en", "Nov 22, 2026", "November 2026"), ("es", "22 nov 2026", "noviembre de 2026")],
)
def test_dates_name_their_month_in_the_language(spoken: str, day: str, month: str) -> None:
    """A time is of the day that it is in its zone; clocks have 24 hours."""
    with speaking(spoken):  # type: ignore[arg-type]  # one of ours
        assert [date_of(date(2026, 11, 22)), date_of(LATE, ISLAND), month_of("2026-11")] == [day, day, month]
        assert [time_of(LATE, ISLAND), moment_of(LATE, ISLAND)] == ["22:05", f"{day}, 22:05"]


@pytest.mark.parametrize("wanted", ["en", "es"])
def test_what_is_counted_is_written_as_numbers_are(wanted: str) -> None:
    """Counts have groups of thousands."""
    with speaking(wanted):  # type: ignore[arg-type]  # one of ours
        for count in (0, 999, 3298, 1234567):
            assert spoken(say_count("{count} match", "{count} matches", count)).split()[0] == number(count)
