"""The numbers of the rules of ratings as controls, and the controls of an address as settings in TOML."""

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from msgspec import Struct
from starlette.datastructures import QueryParams

from league.console.replays.setting_fields import NUMBER, groups_of
from league.domain.clauses import section_of
from league.lab.tuning.ranges import usual_range
from league.wording.language import _

RECOVERY = "rating.modifier.recovery"
"""A list of steps, each with two numbers."""
STEP = re.compile(rf"{re.escape(RECOVERY)}\.(\d)\.(behind|value)")
SETTING = re.compile(r"rating(\.[a-z_0-9-]+)+")


class Control(Struct, frozen=True):
    """A number with its slider."""

    setting: str
    words: str
    source: str | None
    """The section of the source text; None: edition 1 decided it."""
    in_force: str
    value: str
    least: str
    most: str
    step: str
    is_changed: bool


class Typed(Struct, frozen=True):
    """What an address says."""

    settings: str
    """As TOML."""
    faults: Mapping[str, str]
    """By control, why its value was left out."""


def typed_in(query: QueryParams, only: Collection[str] | None = None) -> Typed:
    """The settings in an address, or `only` some of them. What is no number is left out, and named."""
    lines, steps, faults = [], [], {}
    for name, text in query.items():
        if not SETTING.fullmatch(name) or not _is_wanted(name, only):
            continue
        number = text.strip().replace(",", ".")
        if not NUMBER.fullmatch(number):
            faults[name] = _("Write a number, such as 20 or 0.15.")
        elif step := STEP.fullmatch(name):
            steps.append((step[1], f"{step[2]} = {number}"))
        else:
            lines.append(f"{name} = {number}")
    if steps:
        tables = [
            ", ".join(part for _step, part in parts) for _step, parts in groupby(sorted(steps), lambda one: one[0])
        ]
        lines.append(f"{RECOVERY} = [{', '.join(f'{{ {table} }}' for table in tables)}]")
    return Typed("\n".join(lines), faults)


def _is_wanted(name: str, only: Collection[str] | None) -> bool:
    if only is None or name in only:
        return True
    return bool(STEP.fullmatch(name)) and any(map(STEP.fullmatch, only))  # the list is written as a whole


def controls_of(edition: Mapping[str, Any], query: QueryParams) -> Sequence[Control]:
    """A control for each number below `rating` of the edition in force, with what the address says."""
    numbers = [(field.setting, field.decides, field.value) for group in groups_of(edition) for field in group.fields]
    for number, step in enumerate(edition["document"]["rating"]["modifier"].get("recovery", ())):
        named = {"number": number + 1}
        numbers += [
            (
                f"{RECOVERY}.{number}.behind",
                _("Points behind for step {number} of the recovery", **named),
                step["behind"],
            ),
            (f"{RECOVERY}.{number}.value", _("M for step {number} of the recovery", **named), step["value"]),
        ]
    return [_control(setting, words, str(value), query) for setting, words, value in numbers]


def _control(setting: str, words: str, in_force: str, query: QueryParams) -> Control:
    value = query.get(setting, in_force).strip()
    usual = usual_range(setting, Decimal(in_force))
    return Control(
        setting,
        words,
        section_of(setting),
        in_force,
        value,
        least=str(usual.least),
        most=str(usual.most),
        step=str(usual.step),
        is_changed=value.replace(",", ".") != in_force,
    )
