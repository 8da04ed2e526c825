"""The edition of the rules that holds now, found in the `timeline` of a document."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from league.console.present import present

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
