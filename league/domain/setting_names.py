"""Names of settings and of their values within sentences about a document. A form says its own words in their place."""

from collections.abc import Callable
from typing import Any

from league.domain.sentences import Sentence, changed


class NamedInDocument(str):
    """A setting, or a value of it, as a document writes it."""

    __slots__ = ("key", "value")

    key: str
    """The dotted key of the setting; empty for `false`, which switches any setting off."""
    value: str | None
    """The value; None for the setting itself."""


def setting_name(key: str) -> NamedInDocument:
    """The name of a setting: `hand_points` for `rulesets.house-club.hand_points`."""
    return _named(key.rpartition(".")[2], key, None)


def setting_value(key: str, value: str) -> NamedInDocument:
    """A value of a setting, such as `by_ending`."""
    return _named(value, key, value)


def in_other_words(sentence: str, words: Callable[[NamedInDocument], str]) -> str:
    """The sentence with words in place of each name of a setting or a value."""

    def change(value: Any) -> Any:
        return words(value) if isinstance(value, NamedInDocument) else value

    return changed(sentence, change) if isinstance(sentence, Sentence) else sentence


def _named(text: str, key: str, value: str | None) -> NamedInDocument:
    found = NamedInDocument(text)
    found.key, found.value = key, value
    return found


FALSE = setting_value("", "false")
"""The value that switches a setting off."""
