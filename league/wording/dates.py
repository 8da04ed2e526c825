"""Days and times of day in a language, by Babel: slow to import, so that `league.wording.language` imports it late."""

from datetime import date, datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from babel.core import Locale
from babel.dates import format_date

from league.domain.sentences import Language

LOCALES: Final[dict[Language, str]] = {"en": "en_US", "es": "es_DO"}
"""How each language writes numbers and dates. The islands write a decimal point, Spain a decimal comma."""


@cache
def locale_of(spoken: Language) -> Locale:
    """How a language writes numbers and dates."""
    return Locale.parse(LOCALES[spoken])


def day_in(spoken: Language, day: date) -> str:
    """A day: `Nov 22, 2026`, `22 nov 2026`."""
    return format_date(day, "medium", locale=locale_of(spoken))


def time_in_sentence(spoken: Language, moment: datetime) -> str:
    """Day and time, with seconds where there are some; with the offset where the clock is not that of a place."""
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    offset = "" if moment.tzinfo is None or isinstance(moment.tzinfo, ZoneInfo) else f" {moment.tzname()}"
    return f"{day_in(spoken, moment)}, {clock}{offset}"
