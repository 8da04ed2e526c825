"""Numbers, dates and times as people write them in the language that is spoken, by Babel.

Every rating is written by `rating`, with any number of decimal places; every change by `signed`; the minus is `-`.

For people only: never in JSON, exports and sheets, and not for what is typed back, such as ids, months and options.
`docs/spanish.md` says which locale Spanish has, and why. Babel is slow to import: `league.wording.language`, which
`league --help` needs, imports this module late.
"""

from datetime import date, datetime, tzinfo
from decimal import Decimal

from babel.dates import format_skeleton
from babel.numbers import format_decimal, format_percent

from league.wording.language import day_in, language, locale_of


def number(value: float | Decimal, digits: int = 0) -> str:
    """A number with `digits` decimal places and groups of thousands: `1,234.5`."""
    return format_decimal(_rounded(value, digits), f"#,##0{_places(digits)}", locale=locale_of(language()))


def signed(value: float | Decimal, digits: int = 0) -> str:
    """A change with its sign: `+1,234.5`; zero has none: `0.0`."""
    rounded = _rounded(value, digits)
    return ("+" if rounded > 0 else "") + number(rounded, digits)


def rating(value: float, digits: int = 0) -> str:
    """A rating as players write it, without groups of thousands: `1962`."""
    return format_decimal(_rounded(value, digits), f"0{_places(digits)}", locale=locale_of(language()))


def figure(value: float, most: int | None = None) -> str:
    """A value without trailing zeros, such as `7`, `0.0833` or `1587.32`.

    It has at most `most` decimal places; by default 2 from 100 on, and 4 below.
    """
    if most is None:
        most = 2 if abs(value) >= 100 else 4  # noqa: PLR2004  # the cents of a rating, or a small share
    text = rating(value, most)
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float, digits: int = 0) -> str:
    """A share of 1 in percent: `46%`."""
    return format_percent(_rounded(share, digits + 2), f"#,##0{_places(digits)}%", locale=locale_of(language()))


def date_of(day: date, zone: tzinfo | None = None) -> str:
    """A day, or the day of a time in this zone: `Nov 22, 2026`, `22 nov 2026`."""
    if isinstance(day, datetime) and zone is not None:
        day = day.astimezone(zone)
    return day_in(language(), day)


def day_of_week(moment: datetime, zone: tzinfo | None = None) -> str:
    """The day of a time in this zone, by its place in the week: `Sun, Nov 22`, `dom, 22 nov`."""
    return format_skeleton("MMMEd", moment.astimezone(zone), locale=locale_of(language()))


def time_of(moment: datetime, zone: tzinfo | None = None) -> str:
    """The time of day in this zone on the 24-hour clock, as in sheets and options: `20:05`."""
    return f"{moment.astimezone(zone) if zone is not None else moment:%H:%M}"


def moment_of(moment: datetime, zone: tzinfo | None = None) -> str:
    """Day and time: `Nov 22, 2026, 20:05`, `22 nov 2026, 20:05`."""
    return f"{date_of(moment, zone)}, {time_of(moment, zone)}"


def month_of(month: str) -> str:
    """A month that is written as `2026-11`: `November 2026`, `noviembre de 2026`."""
    return format_skeleton("yMMMM", date.fromisoformat(f"{month}-01"), locale=locale_of(language()))


def _places(digits: int) -> str:
    return "." + "0" * digits if digits else ""


def _rounded(value: float | Decimal, digits: int) -> Decimal:
    """The value rounded as Python's formats round it; never a negative zero."""
    rounded = Decimal(f"{value:.{digits}f}")
    return rounded or abs(rounded)
