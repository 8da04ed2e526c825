"""Reads what a person typed into one control of a form."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.datastructures import FormData

from league.console.forms import FieldErrors
from league.domain.texts_and_times import SkippedTime, in_utc, is_shown_twice, read_day
from league.wording.language import _, spoken

PLAYED_AT = "playedAt"
"""The time of play: a person enters it, or a device adds it to what it sends later (`static/offline/`). None: now."""


def number_in(form: FormData, name: str) -> int | None:
    """The whole number in a control; None where it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len("1000000")):
        raise FieldErrors({name: _("Write a whole number, such as 35.")})
    return int(text)


def moment_in(form: FormData, name: str) -> str | None:
    """The time that a device has put into a hidden control; None where it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise FieldErrors({name: _("{text} is not a time; write it as 2026-11-22T21:30:00Z.", text=text[:40])})
    return moment.isoformat()


def clock_time_in(form: FormData, name: str) -> str | None:
    """A time that a person has entered by the league's clock; None where it is empty. Raises FieldErrors.

    A time that the clock shows twice means the first: a browser's control cannot tell them apart.
    """
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        zone, local = _zone_in(form), datetime.strptime(text.replace(" ", "T"), "%Y-%m-%dT%H:%M")  # noqa: DTZ007
        if is_shown_twice(local, zone):
            return local.replace(tzinfo=zone).astimezone(UTC).isoformat()
        return in_utc(local, zone, name).isoformat()
    except SkippedTime as skipped:
        said = spoken(skipped.sentence)
        raise FieldErrors({name: said[:1].upper() + said[1:]}) from None
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        raise FieldErrors({name: _("{text} is not a time; write it as 2026-11-22 21:30.", text=text[:40])}) from None


def _zone_in(form: FormData) -> ZoneInfo:
    """The time zone of the league, which the form tells. Raises ValueError, ZoneInfoNotFoundError."""
    return ZoneInfo(str(form.get("leagueTimeZone", "UTC")))


def date_in(form: FormData, name: str) -> str | None:
    """A day; None: it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        return read_day(text).isoformat()
    except ValueError:
        raise FieldErrors({name: _("{day} is not a day; write it as 2026-11-22.", day=text[:40])}) from None


def day_in(form: FormData, name: str) -> str | None:
    """The beginning of a day on the league's clock, which the form tells; None: it is empty. Raises FieldErrors."""
    day = date_in(form, name)
    if day is None:
        return None
    try:
        zone = _zone_in(form)
    except (ValueError, ZoneInfoNotFoundError):
        raise FieldErrors({name: _("{day} is not a day; write it as 2026-11-22.", day=day)}) from None
    return datetime.combine(date.fromisoformat(day), time(), zone).isoformat()


def needed_day(form: FormData, name: str) -> str:
    """The day, which must not be empty. Raises FieldErrors."""
    day = day_in(form, name)
    if day is None:
        raise FieldErrors({name: _("Choose a day.")})
    return day
