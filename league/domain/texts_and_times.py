"""What people write: which texts the log takes, and days and times as a league's clock shows them.

The log takes texts that a reader sees, in the order in which they are written. Marks that only tell a direction
(U+200E, U+200F, U+061C) and joiners are part of legitimate names, between letters that are seen. Soft hyphens and
spaces without width are part of none, and are removed from new names. What follows a control character or an override
is another text than the one that was typed.

A time that the clock skips is none, and one that it shows twice names its offset.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import ClassVar
from zoneinfo import ZoneInfo

from league.domain.player_names import BLANK
from league.domain.refusals import InvalidInput
from league.domain.sentences import say

LINE_CONTROLS = frozenset("\t\n\r")
"""Controls that longer texts such as reasons may have."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls of terminals, separators of lines, characters that reverse the letters after them, halves of characters."""
UNNEEDED = re.compile(r"[\u00ad\u200b\u2060\ufeff]")
"""Invisible characters that no name needs: soft hyphen, space without width, joiner of words, mark of byte order."""
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"})


class UnreadableText(InvalidInput):
    """A text with a character that no text of people has, or without one that is seen."""

    says: ClassVar[str] = say("the text has the character {character}, which controls a screen or reverses text")
    reason: str = ""
    character: str = ""
    """The first one at fault, such as `U+001B`."""
    is_blank: bool = False
    """Whether the text has only characters that are not seen."""

    @property
    def sentence(self) -> str:
        """Names the character."""
        if self.is_blank:
            return say("the text has only invisible characters, such as {character}", character=self.character)
        return super().sentence


def check_readable(at: str, text: str, *, with_lines: bool = False) -> None:
    """Raise UnreadableText for a text that people cannot read as it is; `with_lines`: it may have several lines."""
    for fault in faults_of_text(at, text, with_lines=with_lines):
        raise fault


def faults_of_text(at: str, text: str, *, with_lines: bool = False) -> Iterator[UnreadableText]:
    """Why the log does not take a text: its first character at fault, or that it shows nothing."""
    for character in text:
        if is_control(character) and not (with_lines and character in LINE_CONTROLS):
            yield UnreadableText(at, character=code_point(character))
            return
    if text.strip() and not any(map(_is_seen, text)):
        yield UnreadableText(at, character=code_point(text.strip()[0]), is_blank=True)


def is_control(character: str) -> bool:
    """Whether it controls a screen, ends a line, reverses text, or is half of a character."""
    return CONTROL.match(character) is not None


def without_controls(text: str) -> str:
    """The text without characters that the log does not take; empty if nothing of it is seen."""
    kept = CONTROL.sub("", text)
    return kept if any(map(_is_seen, kept)) else ""


def tidied(name: str) -> str:
    """A name as the log keeps it: without the invisible characters that no name needs, and without space around it."""
    return UNNEEDED.sub("", name).strip()


def escaped(text: str, kept: Collection[str] = LINE_CONTROLS) -> str:
    r"""A text as people are shown it: controls other than `kept` are written as `\x1b` or `\u202e`."""
    return CONTROL.sub(lambda found: found[0] if found[0] in kept else found[0].encode("unicode_escape").decode(), text)


def escaped_in_json(document: str) -> str:
    """A line of JSON with the same values, whose texts have no control that JSON itself leaves as it is."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def code_point(character: str) -> str:
    """The number of a character as Unicode writes it: `U+001B`."""
    return f"U+{ord(character):04X}"


def _is_seen(character: str) -> bool:
    return character not in BLANK and unicodedata.category(character) not in INVISIBLE_CATEGORIES


# ---------------------------------------------------------------- days and times


DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_day(text: str) -> date:
    """The day of a text such as `2026-11-20`. Raises ValueError for other forms of ISO 8601, too, and TypeError."""
    if DAY.fullmatch(text) is None:
        raise ValueError(text)
    return date.fromisoformat(text)


class SkippedTime(InvalidInput):
    """A time that the clock of the zone never shows: it was put forward."""

    says: ClassVar[str] = say("the clock skips {time}; the next time that it shows is {next}")
    reason: str = ""
    time: str = ""
    next: str = ""
    """The first time that the clock shows after it."""


class AmbiguousTime(InvalidInput):
    """A time that the clock of the zone shows twice: it was put back."""

    says: ClassVar[str] = say(
        "the clock shows {time} twice; write {first} for the first time or {second} for the second"
    )
    reason: str = ""
    time: str = ""
    first: str = ""
    second: str = ""
    """Both with their offsets from UTC."""


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
