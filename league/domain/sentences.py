"""Sentences for people. The code makes them in English; the edge of the program translates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

Language = Literal["en", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The languages of the league. The English texts are in the code."""


class Sentence(str):
    """An English text with its template and values, so that `league.wording.language` can translate it."""

    __slots__ = ("counted", "many", "template", "values")

    template: str
    """The text with the names of values in braces. Catalogues translate it."""
    many: str | None
    """The template for every count except one; None if the sentence counts nothing."""
    counted: int | None
    """The count that chooses between the two templates."""
    values: dict[str, Any]
    """The values by name, which may be sentences themselves. Translations format times for their language."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and pickles for other processes, keep the template and the values."""
        return _made, (self.template, self.many, self.counted, self.values)


def say(template: str, /, **values: Any) -> Sentence:
    """A sentence: `say("there is no seat {seat}", seat=4)`. The template must be a literal, so that catalogues have it.

    Without values the braces stay, as a table of templates needs; `say` fills in a sentence of such a table.
    """
    return _made(template.template if isinstance(template, Sentence) else template, None, None, values)


def say_each(*texts: str) -> dict[str, Sentence]:
    """Sentences by name: the text with underscores in place of spaces. The texts must be literals, as for `say`."""
    return {text.replace(" ", "_"): say(text) for text in texts}


def say_count(one: str, many: str, count: int, /, **values: Any) -> Sentence:
    """A sentence with a count: `say_count("{count} match", "{count} matches", 3)`. Adds `count` to the values."""
    return _made(one, many, count, {"count": count, **values})


def joined(separator: str, sentences: Iterable[str]) -> Sentence:
    """The sentences joined into one, with a separator between them."""
    values = {f"s{number}": sentence for number, sentence in enumerate(sentences)}
    return _made(separator.join(f"{{{name}}}" for name in values), None, None, values)


def with_others(sentence: Sentence, others: Mapping[str, str]) -> Sentence:
    """The sentence with some values replaced, such as ids by names."""
    return changed(sentence, lambda value: others.get(value, value) if isinstance(value, str) else value)


def in_zone(sentence: Sentence, zone: tzinfo) -> Sentence:
    """The sentence with its times in a time zone."""
    return changed(sentence, lambda value: value.astimezone(zone) if isinstance(value, datetime) else value)


def changed(sentence: Sentence, change: Callable[[Any], Any]) -> Sentence:
    """The sentence with each of its values changed, also within the sentences that are its values."""
    values = {
        name: changed(value, change) if isinstance(value, Sentence) else change(value)
        for name, value in sentence.values.items()
    }
    return _made(sentence.template, sentence.many, sentence.counted, values)


def either(options: Iterable[str]) -> str:
    """Options as a choice: `a, b or c`."""
    *others, last = options
    return say("{others} or {last}", others=joined(", ", others), last=last) if others else last


def _made(template: str, many: str | None, count: int | None, values: dict[str, Any]) -> Sentence:
    chosen = many if many is not None and count != 1 else template
    shown = values if count is None else {**values, "count": f"{count:,}"}
    sentence = Sentence(chosen.format_map(shown) if shown else chosen)
    sentence.template, sentence.many, sentence.counted, sentence.values = template, many, count, values
    return sentence
