"""Times as a league's clock shows them: a time that it skips is none, and one that it shows twice names its offset."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from league.domain.refusals import InvalidInput
from league.domain.sentences import say

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_day(text: str) -> date:
    """The day of a text such as `2026-11-20`. Raises ValueError for other forms of ISO 8601, too, and TypeError."""
    if DAY.fullmatch(text) is None:
        raise ValueError(text)
    return date.fromisoformat(text)


@dataclass(eq=True)
class SkippedTime(InvalidInput):
    """A time that the clock of the zone never shows: it was put forward."""

    reason: str = ""
    time: str = ""
    next: str = ""
    """The first time that the clock shows after it."""

    @property
    def sentence(self) -> str:
        """Names the next time."""
        return say("the clock skips {time}; the next time that it shows is {next}", time=self.time, next=self.next)


@dataclass(eq=True)
class AmbiguousTime(InvalidInput):
    """A time that the clock of the zone shows twice: it was put back."""

    reason: str = ""
    time: str = ""
    first: str = ""
    second: str = ""
    """Both with their offsets from UTC."""

    @property
    def sentence(self) -> str:
        """Names both offsets."""
        return say(
            "the clock shows {time} twice; write {first} for the first time or {second} for the second",
            time=self.time,
            first=self.first,
            second=self.second,
        )


def in_utc(local: datetime, zone: ZoneInfo, at: str) -> datetime:
    """A time without an offset, as the clock of the zone shows it. Raises SkippedTime, AmbiguousTime, OverflowError."""
    early, late = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    before, after = early.utcoffset() or timedelta(), late.utcoffset() or timedelta()
    if before < after:
        raise SkippedTime(at, time=_written(local), next=_written(_end_of_gap(late, early, zone)))
    if is_shown_twice(local, zone):
        raise AmbiguousTime(at, time=_written(local), first=early.isoformat(), second=late.isoformat())
    return early.astimezone(UTC)


def beginning_of(day: date, zone: ZoneInfo) -> datetime:
    """The first moment of a day, in UTC, also where the clock skips midnight or shows it twice."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def is_shown_twice(local: datetime, zone: ZoneInfo) -> bool:
    """Whether the clock of the zone shows this time twice."""
    early, late = (local.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return early > late


def _end_of_gap(late: datetime, early: datetime, zone: ZoneInfo) -> datetime:
    """What the clock shows when it has been put forward: between these times in UTC, to the second."""
    low, high = late.astimezone(UTC).replace(microsecond=0), early.astimezone(UTC).replace(microsecond=0)
    high += timedelta(seconds=1)
    offset = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high.astimezone(zone).replace(tzinfo=None)


def _written(local: datetime) -> str:
    return local.isoformat(timespec="minutes" if local == local.replace(second=0, microsecond=0) else "auto")
