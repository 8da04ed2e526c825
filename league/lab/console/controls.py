"""The controls of the laboratory: sliders for rules, settings read from the address, and the points of the charts."""

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from msgspec import Struct
from starlette.datastructures import QueryParams

from league.console.admin.rule_fields import numbers_of
from league.console.admin.typed_rules import NUMBER
from league.domain.bonuses import section_of
from league.domain.sentences import say
from league.lab.ranges import usual_range

RECOVERY = "rating.modifier.recovery"
"""A setting that is a list of steps, each with two numbers."""
STEP = re.compile(rf"{re.escape(RECOVERY)}\.(\d)\.(behind|value)")
SETTING = re.compile(r"rating(\.[a-z_0-9-]+)+")


class RuleControl(Struct, frozen=True):
    """A number of the rules with its slider."""

    setting: str
    words: str
    source: str | None
    """The section of the source text; None if edition 1 decided the number."""
    in_force: str
    value: str
    least: str
    most: str
    step: str
    is_changed: bool


class TypedSettings(Struct, frozen=True):
    """The settings that the query of an address names."""

    settings: str
    """The settings as TOML."""
    faults: Mapping[str, str]
    """Why values were left out, by control."""


def typed_in(query: QueryParams, only: Collection[str] | None = None) -> TypedSettings:
    """Read the settings in an address. `only`: the settings to read; None reads all.

    Values that are not numbers are left out and listed in `faults`.
    """
    lines, steps, faults = [], [], {}
    for name, text in query.items():
        if not SETTING.fullmatch(name) or not _is_wanted(name, only):
            continue
        number = text.strip().replace(",", ".")
        if not NUMBER.fullmatch(number):
            faults[name] = say("Write a number, such as 20 or 0.15.")
        elif step := STEP.fullmatch(name):
            steps.append((step[1], f"{step[2]} = {number}"))
        else:
            lines.append(f"{name} = {number}")
    if steps:
        tables = [
            ", ".join(part for _step, part in parts) for _step, parts in groupby(sorted(steps), lambda one: one[0])
        ]
        lines.append(f"{RECOVERY} = [{', '.join(f'{{ {table} }}' for table in tables)}]")
    return TypedSettings("\n".join(lines), faults)


def _is_wanted(name: str, only: Collection[str] | None) -> bool:
    if only is None or name in only:
        return True
    return bool(STEP.fullmatch(name)) and any(map(STEP.fullmatch, only))  # the list of steps is written as a whole


def controls_of(edition: Mapping[str, Any], query: QueryParams) -> Sequence[RuleControl]:
    """A control for each number below `rating` in the edition in force, with the value from the address."""
    numbers = [*numbers_of(edition, "rating")]
    for number, step in enumerate(edition["document"]["rating"]["modifier"].get("recovery", ())):
        named = {"number": number + 1}
        numbers += [
            (
                f"{RECOVERY}.{number}.behind",
                say("Points behind for step {number} of the recovery", **named),
                step["behind"],
            ),
            (f"{RECOVERY}.{number}.value", say("M for step {number} of the recovery", **named), step["value"]),
        ]
    return [_control(setting, words, str(value), query) for setting, words, value in numbers]


def _control(setting: str, words: str, in_force: str, query: QueryParams) -> RuleControl:
    value = query.get(setting, in_force).strip()
    usual = usual_range(setting, Decimal(in_force))
    return RuleControl(
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


WIDE, HIGH, LEFT = 360, 160, 44
"""Width, height and left margin of a chart over months. The lines begin at the left margin."""
SQUARE = 200
"""Side of the square calibration chart."""


class MonthCurve(Struct, frozen=True):
    """A value month by month under both sets of rules, as two lines.

    `before` and `after` are the points of the lines in SVG; `first` and `last` are months.
    """

    before: str
    after: str
    least: float
    most: float
    first: str
    last: str


class CalibrationDot(Struct, frozen=True):
    """A class of expected scores as a dot in the calibration chart."""

    x: float
    y: float
    r: float


def curve(months: Sequence[Mapping[str, Any]], value: str) -> MonthCurve | None:
    """The curve of a value over the months; None if no month has the value."""
    shown = [month for month in months if month["before"][value] is not None and month["after"][value] is not None]
    if not shown:
        return None
    values = [month[when][value] for month in shown for when in ("before", "after")]
    least, most = min(values), max(values)
    span = (most - least) or 1.0
    step = (WIDE - LEFT) / max(1, len(shown) - 1)

    def points(when: str) -> str:
        heights = [HIGH - HIGH * (month[when][value] - least) / span for month in shown]
        if len(heights) == 1:  # one month is drawn as a level line
            return " ".join(f"{x:.1f},{10 + heights[0]:.1f}" for x in (LEFT, WIDE))
        return " ".join(f"{LEFT + step * n:.1f},{10 + high:.1f}" for n, high in enumerate(heights))

    return MonthCurve(points("before"), points("after"), least, most, shown[0]["month"], shown[-1]["month"])


def calibration(judged: Mapping[str, Any]) -> list[CalibrationDot]:
    """A dot for each class that has sides: x is the expected score, y the share won, the area the number of sides."""
    classes = [one for one in judged["classes"] if one["sides"]]
    largest = max((one["sides"] for one in classes), default=1)
    return [
        CalibrationDot(SQUARE * one["expected"], SQUARE * (1 - one["won"]), 2 + 8 * (one["sides"] / largest) ** 0.5)
        for one in classes
    ]
