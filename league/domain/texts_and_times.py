"""Reads what people write: the texts that the log accepts, and days and local times.

The log accepts texts that readers see as they were typed. Direction marks (U+200E, U+200F, U+061C) and joiners belong
to legitimate names, beside visible letters. Soft hyphens and zero-width spaces belong to no name and are removed from
new names. Control characters and direction overrides are refused: after them a reader sees another text than was typed.

A local time that the clock skips is refused. A local time that the clock shows twice needs its offset.
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
"""Control characters that longer texts such as reasons may have."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, direction overrides and surrogates."""
UNNEEDED = re.compile(r"[\u00ad\u200b\u2060\ufeff]")
"""Invisible characters that no name needs: soft hyphen, zero-width space, word joiner, byte order mark."""
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"})

LONGEST_REASON = 1_000
"""Limit on the characters of a reason."""


class UnreadableText(InvalidInput):
    """A text with a character that the log does not accept, or without any visible character."""

    says: ClassVar[str] = say("the text has the character {character}, which controls a screen or reverses text")
    reason: str = ""
    character: str = ""
    """The first character at fault, such as `U+001B`."""
    is_blank: bool = False
    """Whether the text has only invisible characters."""

    @property
    def sentence(self) -> str:
        """The message, which names the character."""
        if self.is_blank:
            return say("the text has only invisible characters, such as {character}", character=self.character)
        return super().sentence


def check_readable(at: str, text: str, *, with_lines: bool = False) -> None:
    """Raise UnreadableText for a text that the log does not accept; `with_lines`: it may have several lines."""
    for fault in faults_of_text(at, text, with_lines=with_lines):
        raise fault


def faults_of_text(at: str, text: str, *, with_lines: bool = False) -> Iterator[UnreadableText]:
    """The fault of a text that the log does not accept: its first wrong character, or that nothing in it is visible."""
    for character in text:
        if is_control(character) and not (with_lines and character in LINE_CONTROLS):
            yield UnreadableText(at, character=code_point(character))
            return
    if text.strip() and not any(map(_is_seen, text)):
        yield UnreadableText(at, character=code_point(text.strip()[0]), is_blank=True)


def checked_reason(reason: str | None) -> str | None:
    """A reason in its stored form; None if it is missing or blank. Raises InvalidInput."""
    reason = (reason or "").strip()
    if len(reason) > LONGEST_REASON:
        raise InvalidInput("reason", say("a reason has at most {longest} characters", longest=LONGEST_REASON))
    check_readable("reason", reason, with_lines=True)
    return reason or None


def needed_reason(reason: str | None) -> str:
    """A reason in its stored form. Raises InvalidInput, also if it is missing or blank."""
    found = checked_reason(reason)
    if found is None:
        raise InvalidInput("reason", say("say why, in 1 to {longest} characters", longest=LONGEST_REASON))
    return found


def reason_of_command(reason: str) -> str:
    """A reason in its stored form; its characters are checked with the other facts of the command.

    Raises InvalidInput if it is blank or too long.
    """
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        raise InvalidInput("reason", say("say why, in 1 to {longest} characters", longest=LONGEST_REASON))
    return reason.strip()


def is_control(character: str) -> bool:
    """Whether a character controls a terminal, ends a line, overrides the direction, or is a surrogate."""
    return CONTROL.match(character) is not None


def without_controls(text: str) -> str:
    """The text without control characters; empty if nothing in it is visible."""
    rest = CONTROL.sub("", text)
    return rest if any(map(_is_seen, rest)) else ""


def tidied(name: str) -> str:
    """A name as the log stores it: without the invisible characters that no name needs, and without outer spaces."""
    return UNNEEDED.sub("", name).strip()


def escaped(text: str, kept: Collection[str] = LINE_CONTROLS) -> str:
    r"""A text to show to people: control characters other than `kept` are written as `\x1b` or `\u202e`."""
    return CONTROL.sub(lambda found: found[0] if found[0] in kept else found[0].encode("unicode_escape").decode(), text)


def escaped_in_json(document: str) -> str:
    """A JSON document with equal values in which the control characters that JSON allows are escaped too."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def code_point(character: str) -> str:
    """The number of a character as Unicode writes it: `U+001B`."""
    return f"U+{ord(character):04X}"


def _is_seen(character: str) -> bool:
    return character not in BLANK and unicodedata.category(character) not in INVISIBLE_CATEGORIES


# ---------------------------------------------------------------- days and times


DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_day(text: str) -> date:
    """The day in a text such as `2026-11-20`. Raises TypeError, and ValueError for anything else, even ISO 8601."""
    if DAY.fullmatch(text) is None:
        raise ValueError(text)
    return date.fromisoformat(text)


class SkippedTime(InvalidInput):
    """A local time that the clock never shows, since it was put forward."""

    says: ClassVar[str] = say("the clock skips {time}; the next time that it shows is {next}")
    reason: str = ""
    time: str = ""
    next: str = ""
    """The first local time after the gap."""


class AmbiguousTime(InvalidInput):
    """A local time that the clock shows twice, since it was put back."""

    says: ClassVar[str] = say(
        "the clock shows {time} twice; write {first} for the first time or {second} for the second"
    )
    reason: str = ""
    time: str = ""
    first: str = ""
    second: str = ""
    """Both times, with their offsets from UTC."""


def in_utc(local: datetime, zone: ZoneInfo, at: str) -> datetime:
    """Convert a local time of a zone to UTC. Raises SkippedTime, AmbiguousTime, OverflowError."""
    early, late = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    before, after = early.utcoffset() or timedelta(), late.utcoffset() or timedelta()
    if before < after:
        raise SkippedTime(at, time=_written(local), next=_written(_end_of_gap(late, early, zone)))
    if is_shown_twice(local, zone):
        raise AmbiguousTime(at, time=_written(local), first=early.isoformat(), second=late.isoformat())
    return early.astimezone(UTC)


def beginning_of(day: date, zone: ZoneInfo) -> datetime:
    """The first moment of a day in a zone, in UTC, even if the clock skips midnight or shows it twice."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def is_shown_twice(local: datetime, zone: ZoneInfo) -> bool:
    """Whether the clock of a zone shows this local time twice."""
    early, late = (local.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return early > late


def _end_of_gap(late: datetime, early: datetime, zone: ZoneInfo) -> datetime:
    """The first local time after the clock was put forward, to the second. Searches between the two times in UTC."""
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
