"""Reads what a person typed into one control of a form."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.datastructures import FormData

from league.console.forms import FieldErrors
from league.wording.language import _

PLAYED_AT = "playedAt"
"""The time of play, which a device adds to what it sends later (`static/offline/`); without it, now."""


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


def date_in(form: FormData, name: str) -> str | None:
    """A day; None: it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise FieldErrors({name: _("{day} is not a day; write it as 2026-11-22.", day=text[:40])}) from None


def day_in(form: FormData, name: str) -> str | None:
    """The beginning of a day on the league's clock, which the form tells; None: it is empty. Raises FieldErrors."""
    day = date_in(form, name)
    if day is None:
        return None
    try:
        zone = ZoneInfo(str(form.get("leagueTimeZone", "UTC")))
    except (ValueError, ZoneInfoNotFoundError):
        raise FieldErrors({name: _("{day} is not a day; write it as 2026-11-22.", day=day)}) from None
    return datetime.combine(date.fromisoformat(day), time(), zone).isoformat()


def needed_day(form: FormData, name: str) -> str:
    """The day, which must not be empty. Raises FieldErrors."""
    day = day_in(form, name)
    if day is None:
        raise FieldErrors({name: _("Choose a day.")})
    return day
