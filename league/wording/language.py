"""The languages that the league speaks, and the one that this task speaks now.

English stands in the code; a catalogue in `league/wording/catalogues/` has each sentence in another language. A
sentence of the layers below is made with `say` (`league/domain/sentences.py`) and translated here by `spoken`; `cli`,
`api` and `wording` call `_` and `counted` themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any, Literal, get_args

from league.domain.sentences import Sentence

Language = Literal["en", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
CATALOGUES = Path(__file__).with_name("catalogues")

_spoken: ContextVar[Language] = ContextVar("language", default="en")


def language() -> Language:
    """The language that this task speaks."""
    return _spoken.get()


@contextmanager
def speaking(wanted: Language) -> Iterator[None]:
    """Speak this language inside the context."""
    token = _spoken.set(wanted)
    try:
        yield
    finally:
        _spoken.reset(token)


def _(text: str, /, **values: Any) -> str:
    """A text in the language that is spoken, with its values: `_("{name} has won", name=name)`."""
    said = _catalogue(language()).gettext(text)
    return said.format_map(_said(values)) if values else said


def counted(one: str, many: str, count: int, /, **values: Any) -> str:
    """A text that counts something: `counted("{count} match", "{count} matches", 3)`. The values get `count`."""
    return _catalogue(language()).ngettext(one, many, count).format_map({"count": count, **_said(values)})


def spoken(text: str) -> str:
    """A sentence of a lower layer in the language that is spoken; a plain text, such as a name, as it is."""
    if not isinstance(text, Sentence):
        return text
    if text.many is not None and text.counted is not None:
        return counted(text.template, text.many, text.counted, **text.values)
    return _catalogue(language()).gettext(text.template).format_map(_said(text.values))


def _said(values: dict[str, Any]) -> dict[str, Any]:
    return {name: spoken(value) if isinstance(value, Sentence) else value for name, value in values.items()}


@cache
def _catalogue(wanted: Language) -> NullTranslations:
    if wanted == "en":
        return NullTranslations()  # the text itself
    with (CATALOGUES / wanted / "LC_MESSAGES" / "league.mo").open("rb") as file:
        return GNUTranslations(file)
