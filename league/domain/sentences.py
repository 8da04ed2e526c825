"""Sentences for people, made in English and said in any language at the edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

Language = Literal["en", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The languages that the league speaks; English is in the code."""


class Sentence(str):
    """An English text that knows how it was made, so that `league.wording.language` can say it in another language."""

    __slots__ = ("counted", "many", "template", "values")

    template: str
    """The text with names in braces where the values stand; catalogues translate it."""
    many: str | None
    """The template for every count but one, where the sentence counts something."""
    counted: int | None
    values: dict[str, Any]
    """The values of the braces, by name; may be sentences themselves. Times are said as people write them."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and sent to other processes whole."""
        return _made, (self.template, self.many, self.counted, self.values)


def say(template: str, /, **values: Any) -> Sentence:
    """A sentence: `say("there is no seat {seat}", seat=4)`. The template is a literal: catalogues are made of these.

    Without values it is not filled in: a table of templates is made of such.
    """
    return _made(template, None, None, values)


def say_each(*texts: str) -> dict[str, Sentence]:
    """Sentences by their names, which have underscores for spaces. The texts are literals, as the one of `say` is."""
    return {text.replace(" ", "_"): say(text) for text in texts}


def say_count(one: str, many: str, count: int, /, **values: Any) -> Sentence:
    """A sentence that counts: `say_count("{count} match", "{count} matches", 3)`. The values get `count`."""
    return _made(one, many, count, {"count": count, **values})


def joined(separator: str, sentences: Iterable[str]) -> Sentence:
    """Sentences side by side as one."""
    values = {f"s{number}": sentence for number, sentence in enumerate(sentences)}
    return _made(separator.join(f"{{{name}}}" for name in values), None, None, values)


def with_others(sentence: Sentence, others: Mapping[str, str]) -> Sentence:
    """The sentence with other texts in place of values, such as names in place of ids."""
    return _changed(sentence, lambda value: others.get(value, value) if isinstance(value, str) else value)


def in_zone(sentence: Sentence, zone: tzinfo) -> Sentence:
    """The sentence with its times by the clock of a zone."""
    return _changed(sentence, lambda value: value.astimezone(zone) if isinstance(value, datetime) else value)


def _changed(sentence: Sentence, change: Callable[[Any], Any]) -> Sentence:
    values = {
        name: _changed(value, change) if isinstance(value, Sentence) else change(value)
        for name, value in sentence.values.items()
    }
    return _made(sentence.template, sentence.many, sentence.counted, values)


def either(options: Iterable[str]) -> str:
    """Options as a choice: `a, b or c`."""
    *others, last = options
    return say("{others} or {last}", others=joined(", ", others), last=last) if others else last


def _made(template: str, many: str | None, count: int | None, values: dict[str, Any]) -> Sentence:
    chosen = many if many is not None and count != 1 else template
    sentence = Sentence(chosen.format_map(values) if values else chosen)
    sentence.template, sentence.many, sentence.counted, sentence.values = template, many, count, values
    return sentence
