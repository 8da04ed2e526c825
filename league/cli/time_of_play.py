"""Times of play as people write them, in the league's time zone."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from league.application.bootstrap import clock
from league.cli.asking import at_terminal, choose, nothing_stored
from league.domain import local_times
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.wording.language import _

FORMS = ("%d/%m/%Y %H:%M", "%d/%m/%Y", "%d-%m-%Y %H:%M", "%d-%m-%Y")
"""Day first, beside those of ISO 8601."""
FROM_PAPER = timedelta(hours=12)
"""What is entered so long after a match began is entered from paper, and was played when the match began."""

PlayedAt = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help=_("When it was played, in the league's time zone, such as 2026-03-01T20:30 or 01/03/2026 20:30."),
    ),
]


def time_of_play(text: str, zone: ZoneInfo, at: str = "played_at") -> datetime:
    """A time in UTC; one without an offset is in `zone`, a date alone is its first moment. Raises InvalidInput."""
    read = _read(text.strip())
    if read is None:
        reason = say("{text} is not a time; write it as 2026-03-01T20:30 or 01/03/2026 20:30", text=repr(text))
        raise InvalidInput(at, reason)
    try:
        if not isinstance(read, datetime):
            return local_times.beginning_of(read, zone)
        return local_times.in_utc(read, zone, at) if read.tzinfo is None else read.astimezone(UTC)
    except local_times.AmbiguousTime as ambiguous:
        return _one_of(ambiguous)
    except OverflowError:
        raise InvalidInput(at, say("{text} is out of range", text=repr(text))) from None


def _one_of(ambiguous: local_times.AmbiguousTime) -> datetime:
    """The time that the person means. Raises AmbiguousTime where there is no person, or they mean neither."""
    if at_terminal():
        both = (ambiguous.first, ambiguous.second)
        with nothing_stored():
            chosen = choose(_("The clock shows {time} twice. Which time is it?", time=ambiguous.time), both)
        if chosen is not None:
            return datetime.fromisoformat(both[chosen]).astimezone(UTC)
    raise ambiguous


def played_since(given: str | None, began_at: datetime, zone: ZoneInfo) -> datetime | None:
    """When something of a match was played: as given, else now (None), or at `began_at` if that is long ago.

    `began_at`: when the match began, or what was played of it last.
    """
    if given is not None:
        return time_of_play(given, zone)
    return began_at if clock() - began_at > FROM_PAPER else None


def _read(text: str) -> date | datetime | None:
    with suppress(ValueError):
        return date.fromisoformat(text)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    for form in FORMS:
        with suppress(ValueError):
            read = datetime.strptime(text, form)  # noqa: DTZ007  # the zone is added by the caller
            return read if "%H" in form else read.date()
    return None
