"""House rules in words: what they change in the ruleset from which they were made, and whose title they repeat."""

from collections.abc import Iterator, Mapping
from typing import Any

from league.domain.player_names import name_key
from league.domain.rulebook import to_document
from league.domain.rulebook_check import leaves
from league.domain.rulebook_defaults import written_out
from league.domain.rules import Rulebook, Ruleset
from league.domain.sentences import LANGUAGES, Sentence, joined, say, say_count
from league.wording.language import speaking, spoken
from league.wording.rulebook import setting_in_words, value_in_words

MOST_TOLD = 6
"""Limit on the changes that a description tells; it counts the others."""
NO_RULES = ("title", "description", "made_from")
"""The settings of a ruleset that decide nothing."""


def ruleset_changes(name: str, base: Ruleset, ruleset: Ruleset) -> list[tuple[str, Any, Any]]:
    """The settings that a ruleset has otherwise than its base: dotted key, value there and value here.

    None where a setting is absent, as a bonus is that nobody gives.
    """
    before, after = (dict(_settings(one)) for one in (base, ruleset))
    return [
        (f"rulesets.{name}.{key}", before.get(key), after.get(key))
        for key in dict.fromkeys([*after, *before])
        if before.get(key) != after.get(key)
    ]


def _settings(ruleset: Ruleset) -> Iterator[tuple[str, Any]]:
    document = written_out({"rulesets": {"": to_document(ruleset)}})["rulesets"][""]
    return ((key, value) for key, value in leaves("", document) if key not in NO_RULES and value != {})


def base_of(ruleset: Ruleset, rulebook: Rulebook | None) -> Ruleset | None:
    """The ruleset from which house rules were made, as the same edition has it; None if it has none such."""
    return None if ruleset.made_from is None or rulebook is None else rulebook.ruleset(ruleset.made_from)


def description_of(name: str, ruleset: Ruleset, rulebook: Rulebook | None) -> str:
    """The description of a ruleset; of house rules without one, what they change in their base."""
    base = base_of(ruleset, rulebook)
    if ruleset.description or base is None:
        return say(ruleset.description)
    return as_base_but(base, ruleset_changes(name, base, ruleset))


def as_base_but(base: Ruleset, changes: list[tuple[str, Any, Any]]) -> Sentence:
    """One sentence with what house rules change."""
    title = say(base.title)
    if not changes:
        return say("As {ruleset}.", ruleset=title)
    told = joined("; ", [_change(*change) for change in changes[:MOST_TOLD]])
    if (others := len(changes) - MOST_TOLD) > 0:
        return say_count(
            "As {ruleset}, but: {changes}; and {count} more.",
            "As {ruleset}, but: {changes}; and {count} more.",
            others, ruleset=title, changes=told,
        )  # fmt: skip
    return say("As {ruleset}, but: {changes}.", ruleset=title, changes=told)


def _change(key: str, before: Any, after: Any) -> Sentence:
    words = {"before": value_in_words(key, before), "after": value_in_words(key, after)}
    return say("{decides}: {before} → {after}", decides=setting_in_words(key), **words)


def called(title: str, rulesets: Mapping[str, Ruleset], but: str) -> str | None:
    """The title in some language that another ruleset than `but` shares with this one; None if none does.

    Case, accents and spaces do not count.
    """
    wanted = name_key(title)
    for name, ruleset in rulesets.items():
        for language in LANGUAGES:
            with speaking(language):
                known = spoken(say(ruleset.title))
            if name != but and name_key(known) == wanted:
                return known
    return None
