"""The settings of an edition as a form has them: what its controls show, and a rulebook in TOML from what was typed.

The name of a control is the dotted key of its setting. Some settings have further controls:

| setting | further controls |
| --- | --- |
| one that may be off | `KEY.off`, a box |
| any of some choices | `KEY.CHOICE`, a box for each |
| a table in place of its value | `KEY.PART` for each part |
| numbers by ruleset | `KEY.RULESET`, empty for none |
| rows | `KEY.NUMBER.COLUMN`; a row without a value is left out |
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import count
from typing import Any

from starlette.datastructures import FormData

from league.console.controls import FieldErrors
from league.domain.sentences import say
from league.domain.setting_kinds import (
    ChoicesKind,
    NumberKind,
    NumbersByRulesetKind,
    NumbersKind,
    RowsKind,
    Setting,
    SwitchKind,
    TextKind,
    settings_of,
)
from league.wording.rulebook import SECTIONS

NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,12})?")
PART = "part"
"""The hidden controls with the parts of the edition that a form shows, such as `rating` or `rulesets.cuban-150`."""
OFF = "off"
"""The last part of the name of the box that switches a setting off."""
RULESETS = "rulesets"

Typed = Mapping[str, str]
"""The contents of controls, by name."""


def control_name(path: Sequence[str]) -> str:
    """The name of a control; a dot within the name of a ruleset is escaped."""
    return ".".join(part.replace("%", "%25").replace(".", "%2E") for part in path)


def part_of(name: str) -> str:
    """The part of a dotted key that `control_name` escaped."""
    return name.replace("%2E", ".").replace("%25", "%")


# ---------------------------------------------------------------- from values to controls


def as_typed(setting: Setting, value: Any) -> dict[str, str]:  # noqa: PLR0911  # one for each kind
    """The contents of the controls of a setting that has this value. A box that is not ticked is left out."""
    name = control_name(setting.path)
    if setting.can_be_off and (value is None or value is False):
        return {f"{name}.{OFF}": "yes"}
    if isinstance(value, Mapping) and setting.parts:
        return {key: text for part in setting.parts for key, text in as_typed(part, value.get(part.path[-1])).items()}
    match setting.kind:
        case SwitchKind():
            return {name: "yes"} if value else {}
        case ChoicesKind():
            return {f"{name}.{choice}": "yes" for choice in value or ()}
        case NumbersKind():
            return {name: "; ".join(map(written, value or ()))}
        case NumbersByRulesetKind():
            return {
                control_name((*setting.path, ruleset)): written(number) for ruleset, number in (value or {}).items()
            }
        case RowsKind(columns=columns):
            rows = enumerate(value or ())
            return {
                f"{name}.{number}.{column.path[-1]}": text
                for number, row in rows
                for column in columns
                for text in as_typed(column, row.get(column.path[-1])).values()
            }
    return {name: written(value)}


def written(value: Any) -> str:
    """A number or a text as a control shows it."""
    if isinstance(value, int | float | Decimal):
        return f"{Decimal(str(value)).normalize():f}"
    return "" if value is None else str(value)


# ---------------------------------------------------------------- from controls to values

NOT_THERE = object()
"""In place of the value of a setting whose controls the form does not have."""


def document_of(form: FormData) -> str:
    """A rulebook in TOML with the title and the settings that a form has. Raises FieldErrors."""
    title = str(form.get("title", "")).strip()
    return "\n".join([*([f"title = {in_toml(title)}"] if title else ()), *_lines(form, 0)])


def settings_of_ruleset(form: FormData) -> str:
    """The settings of the only ruleset that a form has, in TOML as in its table. Raises FieldErrors."""
    return "\n".join(_lines(form, len((RULESETS, "its name"))))


def _lines(form: FormData, depth: int) -> Sequence[str]:
    """The settings that a form has, without the first parts of their keys. Raises FieldErrors."""
    typed = {name: value for name, value in form.items() if isinstance(value, str)}
    lines, errors = list[str](), dict[str, str]()
    for setting in (setting for part in form.getlist(PART) for setting in _settings_of(str(part))):
        try:
            value = read(setting, typed)
        except FieldErrors as error:
            errors |= error.errors
        else:
            if value is not NOT_THERE:
                lines.append(f"{'.'.join(map(in_toml, setting.path[depth:]))} = {in_toml(value)}")
    if errors:
        raise FieldErrors(errors)
    return lines


def _settings_of(part: str) -> Sequence[Setting]:
    section, _, ruleset = part.partition(".")
    return settings_of(section, part_of(ruleset)) if section in SECTIONS or section == RULESETS else ()


def read(setting: Setting, typed: Typed) -> Any:  # noqa: PLR0911  # one for each kind
    """The value that was typed for a setting; NOT_THERE if the form does not have it. Raises FieldErrors."""
    name = control_name(setting.path)
    if setting.can_be_off and typed.get(f"{name}.{OFF}") == "yes":
        return False
    below = {key: text for key, text in typed.items() if key.startswith(f"{name}.")}
    match setting.kind:
        case SwitchKind():
            return typed.get(name) == "yes"
        case ChoicesKind(options=options):
            ticked = (key.removeprefix(f"{name}.") for key, text in below.items() if text == "yes")
            return [choice for choice in ticked if choice in options]
        case NumbersByRulesetKind():
            return _read_table({part_of(key.removeprefix(f"{name}.")): (key, text) for key, text in below.items()})
        case RowsKind(columns=columns):
            return [*_read_rows(name, columns, below)]
    parts = {part: below.get(control_name(part.path), "").strip() for part in setting.parts}
    plain = None if setting.kind is None else typed.get(name)
    if any(parts.values()):
        if plain is not None and plain.strip():
            raise FieldErrors({name: say("Write this number, or one for each side, not both.")})
        return {part.path[-1]: _read_number(control_name(part.path), text) for part, text in parts.items()}
    if plain is None:
        return NOT_THERE
    if setting.can_be_off and not plain.strip():
        raise FieldErrors({name: say("Write a number, or switch it off.")})
    return _read_plain(setting, name, plain)


def _read_plain(setting: Setting, name: str, text: str) -> Any:
    """The value in a single control. Raises FieldErrors."""
    match setting.kind:
        case NumberKind():
            return _read_number(name, text)
        case NumbersKind():
            numbers = [number.replace(",", ".") for number in re.split(r"[;\s]+", text.strip("; \r\n\t")) if number]
            if not all(map(NUMBER.fullmatch, numbers)):
                raise FieldErrors({name: say("Write numbers, such as 3; 5; 10.")})
            return [_number(number) for number in numbers]
        case TextKind():
            return text.replace("\r\n", "\n")
    return text


def _read_number(name: str, text: str) -> int | Decimal:
    """The number in a control. Raises FieldErrors."""
    number = text.strip().replace(",", ".")
    if not NUMBER.fullmatch(number):
        raise FieldErrors({name: say("Write a number, such as 20 or 0.15.")})
    return _number(number)


def _number(text: str) -> int | Decimal:
    return Decimal(text) if "." in text else int(text)


def _read_table(cells: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """The number for each name; False where the control is empty. Raises FieldErrors."""
    return {name: _read_number(key, text) if text.strip() else False for name, (key, text) in cells.items()}


def _read_rows(name: str, columns: Sequence[Setting], typed: Typed) -> Iterator[dict[str, Any]]:
    """The rows that have a value. Raises FieldErrors."""
    for number in count():
        row = {column: f"{name}.{number}.{column.path[-1]}" for column in columns}
        if not any(key in typed for key in row.values()):
            return
        if any(typed.get(key, "").strip() for key in row.values()):
            yield {column.path[-1]: _read_plain(column, key, typed.get(key, "")) for column, key in row.items()}


def in_toml(value: Any) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | Decimal():
            return f"{value:f}" if isinstance(value, Decimal) else str(value)
        case list():
            return f"[{', '.join(map(in_toml, value))}]"
        case dict():
            return f"{{{', '.join(f'{in_toml(key)} = {in_toml(item)}' for key, item in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
