"""The timeline of the rules: which edition holds when, and where two timelines differ."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar

from msgspec import Struct

from league.domain.refusals import InvalidInput
from league.domain.sentences import say


class EditionSpan(Struct, frozen=True):
    """Matches that began at or after `start` (None: since the beginning) are played under `edition`."""

    start: datetime | None
    edition: int


Timeline = tuple[EditionSpan, ...]
"""The edition for each time at which a match began. The first span starts at None, the others ascend."""


def check_span(start: datetime | None, end: datetime | None) -> None:
    """Raise InvalidInput unless the span of play time [start, end) has a length; None means without bound."""
    for at, time in (("start", start), ("end", end)):
        if time is not None and time.tzinfo is None:
            raise InvalidInput(at, say("needs an offset from UTC"))
    if start is not None and end is not None and end <= start:
        raise InvalidInput("end", say("is not after the start"))


def edition_at(timeline: Timeline, began_at: datetime) -> int:
    """The number of the edition for a match that began at this time."""
    current = timeline[0].edition
    for span in timeline[1:]:
        if span.start is not None and span.start > began_at:
            break
        current = span.edition
    return current


def overlay(timeline: Timeline, edition: int, start: datetime | None, end: datetime | None) -> Timeline:
    """The timeline with one edition laid over [start, end); None means without bound."""
    before = [s for s in timeline if start is not None and (s.start is None or s.start < start)]
    after = [s for s in timeline if end is not None and s.start is not None and s.start > end]
    middle = [EditionSpan(start, edition)]
    if end is not None:
        middle.append(EditionSpan(end, edition_at(timeline, end)))
    spans: list[EditionSpan] = []
    for span in (*before, *middle, *after):
        if not spans or spans[-1].edition != span.edition:
            spans.append(span)
    return tuple(spans)


# ---------------------------------------------------------------- where two timelines differ

E = TypeVar("E", int, str)
"""An edition: its number, or its hash."""
Spans = Sequence[tuple[datetime | None, E]]
"""A timeline: the edition that holds from a time on; None: from the beginning."""


class OtherRules(Struct, Generic[E], frozen=True):
    """A span of play time for which two timelines have different editions; they apply to matches that began in it."""

    start: datetime | None
    """None: from the beginning."""
    end: datetime | None
    """Exclusive; None: without end."""
    before: E
    """The edition in the first timeline."""
    after: E


def rules_that_differ(first: Spans[E], second: Spans[E]) -> list[OtherRules[E]]:
    """The spans for which two timelines have different editions, in order; neighbours of one kind are one span."""
    later: list[datetime] = sorted({start for start, _ in (*first, *second) if start is not None})
    starts = [None, *later]
    found: list[OtherRules[E]] = []
    for start, end in zip(starts, [*later, None], strict=True):
        before, after = (_edition_at(timeline, start) for timeline in (first, second))
        if before is None or after is None or before == after:
            continue
        last = found[-1] if found else None
        if last is not None and (last.end, last.before, last.after) == (start, before, after):
            found[-1] = OtherRules(last.start, end, before, after)
        else:
            found.append(OtherRules(start, end, before, after))
    return found


def replaced_edition(before: Spans[E], after: Spans[E]) -> tuple[E, E]:
    """The edition that an adoption replaces, and the one in its place, in the first span where they differ.

    Where nothing differs they are the editions of the last spans. `before` may be empty, `after` may not.
    """
    for span in rules_that_differ(before, after):
        return span.before, span.after
    return (before or after)[-1][1], after[-1][1]


def _edition_at(timeline: Spans[E], start: datetime | None) -> E | None:
    """The edition that holds from a moment on; None where the timeline begins later."""
    held = [edition for at, edition in timeline if at is None or (start is not None and at <= start)]
    return held[-1] if held else None
