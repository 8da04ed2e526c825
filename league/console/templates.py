"""Templates: Jinja, with the sentences, numbers and dates of the visitor's language."""

import uuid
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from league.console.present import present
from league.console.qr_codes import qr_code
from league.console.rule_changes import changed_setting, folded
from league.domain.bonuses import HAND_TERMS
from league.domain.texts_and_times import escaped
from league.wording.facts import SCORING_RULES, clause_in_words, rule_in_words
from league.wording.language import form_of, language, one_stop, spoken, text_of
from league.wording.matches import status_in_words
from league.wording.numbers import date_of, moment_of, month_of, number, percent, rating, signed, time_of

CONSOLE = Path(__file__).parent
LEAGUE = CONSOLE.parent
"""Templates of features are named from here."""


def template_of(folder: Path, name: str) -> str:
    """The name of a template in a folder of the core's pages or of a feature's."""
    root = CONSOLE if folder.is_relative_to(CONSOLE) else LEAGUE
    return f"{folder.relative_to(root)}/{name}"


def new_key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex


def _readable(value: Any) -> Any:
    """A value as it is printed: translated, without characters that reverse text or control a screen."""
    if isinstance(value, Markup):
        return Markup(escaped(value))  # noqa: S704  # it was safe, and only escapes are added
    return escaped(spoken(value)) if isinstance(value, str) else value


def environment(static: Callable[[str], str]) -> Environment:
    """The environment of all templates. `static` gives the address of a static file."""
    made = Environment(
        loader=FileSystemLoader([CONSOLE, LEAGUE]),
        autoescape=True,
        auto_reload=False,
        finalize=_readable,  # for texts of the log, wherever a page shows them
        undefined=StrictUndefined,  # a page that uses what its document does not ask for must fail
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update({"say": sentence, "say_count": counted_sentence, "static": static, "language": language})
    made.globals["new_key"] = new_key  # for small forms on pages that are no form
    made.globals["qr_code"] = qr_code
    made.filters.update(
        {"number": number, "signed": signed, "rating": rating, "percent": percent, "month": month_of, "spoken": spoken}
    )
    made.filters["rule_setting"] = lambda rule: HAND_TERMS[rule.lower()].keys[0]
    made.filters["scoring_rule"] = lambda rule: spoken(SCORING_RULES[rule.lower()])
    made.filters["judged_rule"] = lambda rule: rule_in_words(rule.lower())
    made.filters["clause"] = clause_in_words
    made.filters["folded"] = folded
    made.filters["setting_in_words"] = changed_setting
    made.filters["of_catalogue"] = text_of  # for a reason that the league itself gave, such as `walkover`
    made.filters["match_status"] = lambda status: status_in_words(status.lower())
    for name, written in (("date", date_of), ("time", time_of), ("moment", moment_of)):
        made.filters[name] = _in_the_leagues_zone(written)
    made.filters["day"] = lambda day: date_of(date.fromisoformat(day))
    made.tests["past"] = lambda moment: datetime.fromisoformat(moment) <= present()
    return made


def _in_the_leagues_zone(written: Callable[[datetime, ZoneInfo], str]) -> Callable[[Context, str], str]:
    """A filter that writes a time of the API in the league's time zone, for which each document asks."""

    @pass_context
    def written_there(context: Context, moment: str) -> str:
        return written(datetime.fromisoformat(moment), ZoneInfo(context["league"]["timeZone"]))

    return written_there


def sentence(text: str, /, **values: Any) -> Markup:
    """A sentence in the visitor's language. Values are escaped, except markup such as links."""
    said = escape(text_of(text))
    return _with_one_stop(said.format(**_spoken(values))) if values else said


def counted_sentence(one: str, many: str, count: int, /, **values: Any) -> Markup:
    """A sentence that counts: `say_count("{count} match", "{count} matches", 3)`."""
    return _with_one_stop(escape(form_of(one, many, count)).format(**{"count": count, **_spoken(values)}))


def _spoken(values: dict[str, Any]) -> dict[str, Any]:
    return {name: spoken(value) if isinstance(value, str) else value for name, value in values.items()}


def _with_one_stop(said: Markup) -> Markup:
    return Markup(one_stop(str(said)))  # noqa: S704  # it was markup already; `re` would escape the parts of a Markup
