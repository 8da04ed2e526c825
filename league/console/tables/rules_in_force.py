"""The rulesets of the edition in force now, of which tables are opened."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any


def rulesets_in_force(timeline: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rulesets of the span that holds now."""
    now = datetime.now(UTC)
    begun = [span for span in timeline if span["start"] is None or datetime.fromisoformat(span["start"]) <= now]
    rulesets: Sequence[Mapping[str, Any]] = begun[-1]["edition"]["rulesets"] if begun else ()
    return rulesets


def titles_in_force(data: Mapping[str, Any]) -> Mapping[str, str]:
    """The title of each ruleset in force, by its name."""
    return {ruleset["name"]: ruleset["title"] for ruleset in rulesets_in_force(data["timeline"])}
