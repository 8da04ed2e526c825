"""The languages that the league speaks, and the one that this task speaks now.

English is in the code; a catalogue in `league/wording/catalogues/` has each sentence in another language. `say` and
`say_count` (`league/domain/sentences.py`) make a sentence, and `spoken` translates it where it leaves the program: into
a page, an answer, a picture or a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from league.domain.refusals import Refusal
from league.domain.sentences import LANGUAGES, Language, Sentence

CATALOGUES = Path(__file__).with_name("catalogues")

_LOCALES: dict[Language, str] = {"en": "en_US", "es": "es_DO"}
"""How each language writes numbers and dates. The islands write a decimal point, Spain a decimal comma."""

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


def speak(wanted: Language) -> None:
    """Speak this language from now on, in this task and those that it starts."""
    _spoken.set(wanted)


LONGEST_HEADER = 200
"""Characters of an `Accept-Language` that are read."""


def preferred(accepted: str, default: Language) -> Language:
    """The language that an `Accept-Language` header prefers among ours; `default` if it names none of them."""
    return _preferred(accepted[:LONGEST_HEADER], default)


@lru_cache(1024)
def _preferred(accepted: str, default: Language) -> Language:
    best, chosen = 0.0, default
    for part in accepted.split(","):
        named, *parameters = part.split(";")
        tag = named.strip().lower().partition("-")[0]
        offered = next((language for language in (default, *LANGUAGES) if tag in (language, "*")), None)
        weight = min(map(_weight, parameters), default=1.0)
        if offered is not None and weight > best:
            best, chosen = weight, offered
    return chosen


def _weight(parameter: str) -> float:
    """The weight that a parameter `q` gives a language, at most 1; 0 if it is not a number."""
    try:
        return min(float(parameter.lower().replace(" ", "").removeprefix("q=")), 1.0)
    except ValueError:
        return 0.0


def text_of(text: str) -> str:
    """The template of a text in the language that is spoken. Its values are not filled in."""
    return _catalogue(language()).gettext(text) if text else ""  # the empty text is the head of a catalogue


def form_of(one: str, many: str, count: int) -> str:
    """The template of a text that counts, in the form that the language has for this count."""
    return _catalogue(language()).ngettext(one, many, count)


SECOND_STOP = re.compile(r"(?<=\w)\.((?:</\w+>)*)\.(?=\s|<|$)")
"""The stop of a sentence after a name that ends in one, which may be a link of a page."""


def one_stop(text: str) -> str:
    """A sentence that ends with a name such as `Luis M.` has one full stop."""
    return SECOND_STOP.sub(r".\1", text) if ".." in text or ".</" in text else text


def spoken(text: str) -> str:
    """A sentence in the language that is spoken; a plain text, such as a name, as it is."""
    if not isinstance(text, Sentence):
        return text
    if text.many is None or text.counted is None:
        said = text_of(text.template)
        return one_stop(said.format_map(_said(text.values))) if text.values else said
    said = form_of(text.template, text.many, text.counted)
    # Both languages write a count like this, as `number` does.
    return one_stop(said.format_map({**_said(text.values), "count": f"{text.counted:,}"}))


def error_in_words(error: BaseException) -> str:
    """The message of an error, translated if it is a sentence."""
    if isinstance(error, Refusal):
        return error.line(spoken)
    return spoken(error.args[0]) if error.args and isinstance(error.args[0], Sentence) else str(error)


def _said(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _said_value(value) for name, value in values.items()}


def _said_value(value: Any) -> Any:
    if isinstance(value, Sentence):
        return spoken(value)
    if isinstance(value, datetime):
        return _Time(value)
    return error_in_words(value) if isinstance(value, Exception) else value


class _Time:
    """A time in a sentence: as people write it, unless the sentence gives a format."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def __format__(self, form: str) -> str:
        if form:
            return format(self._moment, form)
        return _time_in_sentence(self._moment)


def _time_in_sentence(moment: datetime) -> str:
    """Day and time: with seconds unless they are 0, and with the offset unless the time zone is that of a place."""
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    offset = "" if moment.tzinfo is None or isinstance(moment.tzinfo, ZoneInfo) else f" {moment.tzname()}"
    return f"{day_in(language(), moment)}, {clock}{offset}"


def day_in(wanted: Language, day: date) -> str:
    """A day in a language: `Nov 22, 2026`, `22 nov 2026`."""
    from babel.dates import format_date  # noqa: PLC0415  # Babel is slow to import, and `league --help` needs none of it

    return format_date(day, "medium", locale=locale_of(wanted))


@cache
def locale_of(wanted: Language) -> Any:
    """How a language writes numbers and dates: a `Locale` of Babel."""
    from babel.core import Locale  # noqa: PLC0415  # as above

    return Locale.parse(_LOCALES[wanted])


@cache
def _catalogue(wanted: Language) -> NullTranslations:
    if wanted == "en":
        return NullTranslations()  # the text itself
    with (CATALOGUES / wanted / "LC_MESSAGES" / "league.mo").open("rb") as file:
        return GNUTranslations(file)
