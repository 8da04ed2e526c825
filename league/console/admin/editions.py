"""The forms that change the rules setting by setting: an edition of all rules, and house rules of a club."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import number_of
from league.console.admin.rule_fields import RuleFields, errors_in
from league.console.admin.tried_hands import hands_to_try, trying
from league.console.admin.typed_rules import RULESETS, document_of, settings_of_ruleset
from league.console.asking import NoPage
from league.console.controls import FieldErrors, needed_day
from league.console.forms import STORED, FormPage, Review, to
from league.console.present import edition_in_force, present
from league.domain.candidates import LONGEST_TITLE
from league.domain.house_rules import LONGEST_TITLE as LONGEST_NAME
from league.domain.sentences import Sentence, say

HERE = Path(__file__).parent
NUMBER = re.compile(r"\d{1,9}")
"""The number of an edition."""


def _edition_fields(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The controls of an edition, compared with that edition."""
    edition = data["edition"]

    def before(value: str) -> Sentence:
        return say("{value} in edition {number}", value=value, number=edition["number"])

    fields = RuleFields(edition, edition, before)
    rulesets = fields.chosen(request.query_params.getlist("ruleset"))
    sections = fields.sections(rulesets)
    return {
        "shown_rulesets": rulesets,
        "sections": sections,
        "errors_in": partial(errors_in, sections),
        "hands": hands_to_try(data),
        "longest_title": LONGEST_TITLE,
    }


def _edition(form: FormData, request: Request) -> Mapping[str, Any]:
    """The input of `publishEdition`. Raises FieldErrors."""
    read = {"title": partial(_needed_title, form), "document": partial(document_of, form)}
    return {"document": _all_read(read)["document"], "baseEdition": number_of(request)}


def _needed_title(form: FormData) -> str:
    """The title of an edition. Raises FieldErrors."""
    title = str(form.get("title", "")).strip()
    if not title:
        raise FieldErrors({"title": say("Say what the new edition is called.")})
    return title


def _all_read(read: Mapping[str, Callable[[], str]]) -> dict[str, str]:
    """What each function reads, by name. Raises FieldErrors with the errors of all of them."""
    found, errors = dict[str, str](), dict[str, str]()
    for name, one in read.items():
        try:
            found[name] = one()
        except FieldErrors as error:
            errors |= error.errors
    if errors:
        raise FieldErrors(errors)
    return found


def _house_fields(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The controls of the ruleset to start from, and the day on which the house rules begin at first. Raises NoPage."""
    in_force = edition_in_force(data["timeline"])
    if in_force is None:
        raise NoPage(404, say("The league has no rules yet."))
    titles = {one["name"]: one["title"] for one in in_force[RULESETS]}
    base = request.query_params.get("from", "")
    if base and base not in titles:
        raise NoPage(404, say("The rules in force have no such ruleset."))
    own = _without_descriptions(in_force)
    fields = RuleFields(own, own, partial(_in_ruleset, titles.get(base, "")), texts=("description",))
    sections = [fields.ruleset(base, titles[base])] if base else []
    tomorrow = present().astimezone(ZoneInfo(data["league"]["timeZone"])).date() + timedelta(days=1)
    return {
        "base": base,
        "base_title": titles.get(base),
        "rulesets": sorted(titles.items(), key=lambda one: one[1]),
        "sections": sections,
        "errors_in": partial(errors_in, sections),
        "seen_edition": in_force["number"],
        "hands": hands_to_try(data, base, _playable(in_force, base) if base else None),
        "tomorrow": tomorrow.isoformat(),
        "longest_name": LONGEST_NAME,
    }


def _playable(edition: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:
    """The set and the modes of a ruleset."""
    [modes] = (one["modes"] for one in edition[RULESETS] if one["name"] == ruleset)
    return {"set": edition["document"][RULESETS][ruleset]["set"], "modes": modes}


def _without_descriptions(edition: Mapping[str, Any]) -> Mapping[str, Any]:
    """The edition with empty descriptions of its rulesets. They would not say what a club plays otherwise."""
    rulesets = {name: {**one, "description": ""} for name, one in edition["document"][RULESETS].items()}
    return {**edition, "document": {**edition["document"], RULESETS: rulesets}}


def _in_ruleset(ruleset: str, value: str) -> Sentence:
    return say("{value} in {ruleset}", value=value, ruleset=ruleset)


def _house_rules(form: FormData, request: Request) -> Mapping[str, Any]:
    """The input of `adoptHouseRules`. Raises FieldErrors."""
    read = {"from": partial(_first_day, form), "settings": partial(settings_of_ruleset, form)}
    title, seen = str(form.get("title", "")).strip(), str(form.get("seenEdition", ""))
    given = {"ruleset": request.query_params.get("from", ""), "title": title, **_all_read(read)}
    return {**given, "seenEdition": int(seen)} if NUMBER.fullmatch(seen) else given


def _first_day(form: FormData) -> str:
    """The beginning of the day from which house rules hold. Raises FieldErrors, also for a past day that is not meant.

    No match that is recorded changes by them. But a mistyped year would allow them in all matches since then.
    """
    start = needed_day(form, "from")
    begin = datetime.fromisoformat(start)
    if form.get("past") != "yes" and begin.date() < present().astimezone(begin.tzinfo).date():
        raise FieldErrors(
            {
                "from": say(
                    "This day is past. Choose today or a later day; or tick the box below, if matches that began since "
                    "then are still to be recorded under these rules."
                )
            }
        )
    return start


PAGES = (
    FormPage(
        mutation="publishEdition",
        path="/admin/editions/{number}/edit",
        name="edit_edition",
        folder=HERE,
        needs="edition",
        adds=_edition_fields,
        input=_edition,
        overwrites=True,
        filled_by=("ruleset",),
        look=trying(lambda request: {"baseEdition": number_of(request)}),
        then=to("edition", STORED, number="edition.number"),
    ),
    FormPage(
        mutation="adoptHouseRules",
        path="/admin/house-rules/new",
        name="house_rules",
        folder=HERE,
        adds=_house_fields,
        input=_house_rules,
        filled_by=("from",),
        look=trying(lambda request: {"ruleset": request.query_params.get("from")}),
        review=Review("preview_house_rules.graphql"),
        settings_at=lambda typed: f"{typed.get('part', '')}.",
        then=to("edition", STORED, number="edition.number"),
    ),
)
