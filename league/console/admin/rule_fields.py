"""Makes fields of a form from the numbers of an edition, and a rulebook in TOML from the fields."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData

from league.console.controls import FieldErrors
from league.domain.rulebook_check import leaves
from league.domain.sentences import say
from league.wording.language import spoken
from league.wording.rulebook import SECTIONS

NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,12})?")
SETTING = re.compile(r"[a-z_0-9]+(\.[a-z_0-9-]+)+")
"""Matches the dotted key of a setting, to tell its control from other controls of the form."""
LISTS = "lists"
"""The hidden control with the settings that are lists of numbers."""


class RuleField(Struct, frozen=True):
    """A setting of the rules with a field in the form."""

    setting: str
    decides: str
    value: str
    is_list: bool


class RuleFieldGroup(Struct, frozen=True):
    """A part of an edition, such as the rating or a ruleset."""

    title: str
    fields: Sequence[RuleField]


def groups_of(edition: Mapping[str, Any]) -> Sequence[RuleFieldGroup]:
    """The settings of an edition that are numbers or lists of numbers, by part. `edition`: as the API answers it."""
    parts = [(spoken(title), edition[section]) for section, (title, _words) in SECTIONS.items() if section in edition]
    for ruleset in edition.get("rulesets", ()):
        at = f"rulesets.{ruleset['name']}."
        rules = [{**rule, "setting": at + rule["setting"]} for rule in ruleset["inWords"]]
        parts.append((ruleset["title"], rules))
    values = dict(leaves("", edition["document"]))
    groups = [
        RuleFieldGroup(title, [*filter(None, (_field(rule, values) for rule in rules))]) for title, rules in parts
    ]
    return [group for group in groups if group.fields]


def _field(rule: Mapping[str, Any], values: Mapping[str, Any]) -> RuleField | None:
    setting, value = rule["setting"], values.get(rule["setting"])
    numbers = value if isinstance(value, list) else [value]
    if not numbers or not all(type(number) in (int, float) for number in numbers):
        return None
    decides = rule["decides"][:1].upper() + rule["decides"][1:]
    return RuleField(setting, decides, "; ".join(map(str, numbers)), isinstance(value, list))


def document_of(form: FormData) -> str:
    """A rulebook in TOML with the numbers of the fields. Raises FieldErrors."""
    lines, errors = [], {}
    title = str(form.get("title", "")).strip()
    if title:
        lines.append(f"title = {json.dumps(title, ensure_ascii=False)}")
    lists = str(form.get(LISTS, "")).split()
    for name, value in form.multi_items():
        if not SETTING.fullmatch(name):
            continue
        numbers = [number.replace(",", ".") for number in re.split(r"[;\s]+", str(value).strip("; \n"))]
        is_list = name in lists
        if not all(map(NUMBER.fullmatch, numbers)) or (len(numbers) > 1 and not is_list):
            errors[name] = (
                say("Write numbers, such as 3; 5; 10.") if is_list else say("Write a number, such as 20 or 0.15.")
            )
        else:
            lines.append(f"{name} = [{', '.join(numbers)}]" if is_list else f"{name} = {numbers[0]}")
    if errors:
        raise FieldErrors(errors)
    return "\n".join(lines)
