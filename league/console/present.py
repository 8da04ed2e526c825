"""The present time for pages, and the edition of the rules that is in force now."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

_is_asked: ContextVar[bool] = ContextVar("present_is_asked", default=False)


def present() -> datetime:
    """The present time. A page that asks for it is not cached."""
    _is_asked.set(True)
    return datetime.now(UTC)


def begin_page() -> None:
    """Begin a page: nothing has asked for the present yet."""
    _is_asked.set(False)


def depends_on_the_present() -> bool:
    """Whether something has asked for the present since the page was begun."""
    return _is_asked.get()


Timeline = Sequence[Mapping[str, Any]]
"""Spans with their `start` and their `edition`, in order."""


def edition_in_force(timeline: Timeline) -> Mapping[str, Any] | None:
    """The edition of the latest span that has begun; None in a league without rules."""
    now = present()
    begun = [span for span in timeline if span["start"] is None or datetime.fromisoformat(span["start"]) <= now]
    return begun[-1]["edition"] if begun else None


def rulesets_in_force(timeline: Timeline) -> Sequence[Mapping[str, Any]]:
    """The rulesets of the edition in force."""
    edition = edition_in_force(timeline)
    return edition["rulesets"] if edition else ()


def titles_in_force(timeline: Timeline) -> Mapping[str, str]:
    """The title of each ruleset in force, by its name."""
    return {ruleset["name"]: ruleset["title"] for ruleset in rulesets_in_force(timeline)}
