"""Which edition of the rules applies when, by the time at which a match began."""

from datetime import datetime

from msgspec import Struct

from league.domain.refusals import InvalidInput
from league.domain.sentences import say


class Span(Struct, frozen=True):
    """From `start` on (None: from the beginning) matches that began then are played under `edition`."""

    start: datetime | None
    edition: int


Timeline = tuple[Span, ...]
"""Which edition holds when, by the time a match began; the first span starts at None, the others ascend."""


def check_span(start: datetime | None, end: datetime | None) -> None:
    """Raise InvalidInput for a span of play time, [start, end), that has no length; None means without bound."""
    for at, time in (("start", start), ("end", end)):
        if time is not None and time.tzinfo is None:
            raise InvalidInput(at, say("needs an offset from UTC"))
    if start is not None and end is not None and end <= start:
        raise InvalidInput("end", say("is not after the start"))


def edition_at(timeline: Timeline, began_at: datetime) -> int:
    """The number of the edition under which a match that began then is played."""
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
    middle = [Span(start, edition)]
    if end is not None:
        middle.append(Span(end, edition_at(timeline, end)))
    spans: list[Span] = []
    for span in (*before, *middle, *after):
        if not spans or spans[-1].edition != span.edition:
            spans.append(span)
    return tuple(spans)
