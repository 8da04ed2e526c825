"""The controls of a form. Each gives one field of the input, whose type decides how it is shown and read.

| type of the field | control | what is read |
| --- | --- | --- |
| `String` | a line of text | the text; null for an empty one, if the field may be null |
| `Int` | a number, or a choice | a whole number |
| `Boolean` | a box to tick | true or false |
| `DateTime` | a day by the league's clock | its first moment |
| `Date` | a day | the day |
| `ID` | a player's name, or a choice | the id |
| an enum | a choice | the value |
| a list of an enum | boxes to tick | the values |
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct, field
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import as_number
from league.console.asking import Visitor
from league.console.mutations import input_field, input_type, is_list, is_required, type_name, values_of
from league.console.named_players import Suggestion
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import SkippedTime, in_utc, is_shown_twice, read_day
from league.wording.language import spoken


class FieldErrors(Exception):
    """Raised if what a person typed cannot be read: a sentence by the name of each control."""

    def __init__(
        self, errors: Mapping[str, str], suggested: Mapping[str, Sequence[Suggestion]] = MappingProxyType({})
    ) -> None:
        super().__init__(errors)
        self.errors, self.suggested = errors, suggested


PLAYED_AT = "playedAt"
"""The time of play. A person enters it, or a device adds it to a form that it sends later. None stands for now."""


def number_in(form: FormData, name: str) -> int | None:
    """The whole number in a control; None if it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len("1000000")):
        raise FieldErrors({name: say("Write a whole number from 0, such as 35.")})
    return int(text)


def moment_in(form: FormData, name: str) -> str | None:
    """The time that a device put into a hidden control; None if it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise FieldErrors({name: say("{text} is not a time; write it as 2026-11-22T21:30:00Z.", text=text[:40])})
    return moment.isoformat()


def clock_time_in(form: FormData, name: str) -> str | None:
    """A time that a person entered by the league's clock; None if it is empty. Raises FieldErrors.

    A time that the clock shows twice means the first: a browser's control cannot tell them apart.
    """
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        zone, local = _zone_in(form), datetime.strptime(text.replace(" ", "T"), "%Y-%m-%dT%H:%M")  # noqa: DTZ007
        if is_shown_twice(local, zone):
            return local.replace(tzinfo=zone).astimezone(UTC).isoformat()
        return in_utc(local, zone, name).isoformat()
    except SkippedTime as skipped:
        said = spoken(skipped.sentence)
        raise FieldErrors({name: said[:1].upper() + said[1:]}) from None
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        raise FieldErrors({name: say("{text} is not a time; write it as 2026-11-22 21:30.", text=text[:40])}) from None


def _zone_in(form: FormData) -> ZoneInfo:
    """The time zone of the league, from a hidden control. Raises ValueError, ZoneInfoNotFoundError."""
    return ZoneInfo(str(form.get("leagueTimeZone", "UTC")))


def date_in(form: FormData, name: str) -> str | None:
    """The day in a control; None if it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    try:
        return read_day(text).isoformat()
    except ValueError:
        raise FieldErrors({name: say("{day} is not a day; write it as 2026-11-22.", day=text[:40])}) from None


def day_in(form: FormData, name: str) -> str | None:
    """The beginning of the day in a control, by the league's clock; None if it is empty. Raises FieldErrors."""
    day = date_in(form, name)
    if day is None:
        return None
    try:
        zone = _zone_in(form)
    except (ValueError, ZoneInfoNotFoundError):
        raise FieldErrors({name: say("{day} is not a day; write it as 2026-11-22.", day=day)}) from None
    return datetime.combine(date.fromisoformat(day), time(), zone).isoformat()


def needed_day(form: FormData, name: str) -> str:
    """The beginning of the day in a control that must not be empty. Raises FieldErrors."""
    day = day_in(form, name)
    if day is None:
        raise FieldErrors({name: say("Choose a day.")})
    return day


# ---------------------------------------------------------------- declared controls

Data = Mapping[str, Any]
"""The data of the page's document."""
Options = Sequence[tuple[Any, str]]
"""What can be chosen, as (value, label)."""
DAYS = {"DateTime", "Date"}


class Control(Struct, frozen=True):
    """A control of a form. It gives a field of the mutation's input."""

    name: str
    """The name of the field."""
    label: Sentence | str = ""
    hint: Sentence | None = None
    value: Callable[[Data], Any] | None = None
    """The content of the control at first."""
    options: Callable[[Data, Visitor], Options] | None = None
    """The options of a choice. If there are none, the control is not shown."""
    is_hidden: bool = False
    """Whether the page fills it in and nobody types it, such as the number of the dispute that the page shows."""
    when_empty: Any = None
    """The value to send if nothing was typed."""
    missing: Sentence | None = None
    """The error if it is empty and must not be. The error of a hidden control is shown above the form."""
    suggestions: Callable[[Data], Sequence[str]] | None = None
    """Texts offered while a person types."""
    is_fresh: bool = False
    """Whether it is left out of drafts, because it gives rights."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """More attributes, such as `maxlength`."""


class ShownControl(Struct, frozen=True):
    """A control as the macro `controls` of `parts.html` writes it."""

    name: str
    kind: str
    """`text`, `day`, `box`, `boxes`, `choice`, `player` or `hidden`."""
    label: str
    hint: str | None
    value: Any
    options: Options
    suggestions: Sequence[str]
    attributes: Mapping[str, Any]


def kind_of(mutation: str, control: Control) -> str:
    """The kind of a control, by the type of its field. Raises NotInSchema."""
    of = input_field(mutation, control.name)
    if control.is_hidden:
        return "hidden"
    if is_list(of) and values_of(of):
        return "boxes"
    if control.options is not None:
        return "choice"
    by_type = {"ID": "player", "Boolean": "box", **dict.fromkeys(DAYS, "day")}
    return by_type.get(type_name(of), "text")


def shown_controls(mutation: str, controls: Sequence[Control], data: Data, visitor: Visitor) -> list[ShownControl]:
    """The controls that a visitor gets."""
    shown = [_shown(mutation, one, data, visitor) for one in controls]
    return [one for one in shown if one is not None]


def _shown(mutation: str, control: Control, data: Data, visitor: Visitor) -> ShownControl | None:
    kind = kind_of(mutation, control)
    options = () if control.options is None else control.options(data, visitor)
    value = None if control.value is None else control.value(data)
    if (control.options is not None and not options) or (kind == "hidden" and value is None):
        return None
    attributes = dict(control.attributes)
    if is_required(input_field(mutation, control.name)) and kind in ("text", "day", "player"):
        attributes["required"] = True
    if control.is_fresh:
        attributes["data-fresh"] = ""
    return ShownControl(
        control.name,
        kind,
        spoken(control.label),
        None if control.hint is None else spoken(control.hint),
        "" if value is None else value,
        options,
        () if control.suggestions is None else control.suggestions(data),
        attributes,
    )


def read_control(mutation: str, control: Control, form: FormData) -> Any:
    """What was typed into a control, as its field takes it. Raises FieldErrors."""
    of, name = input_field(mutation, control.name), control.name
    if is_list(of) and (values := values_of(of)):
        return [value for value in values if form.get(f"{name}.{value}") == "yes"]
    if type_name(of) == "Boolean":
        return form.get(name) == "yes"
    try:
        found = _read(type_name(of), name, form)
    except FieldErrors:
        if not control.is_hidden or control.missing is None:
            raise
        found = None  # nobody typed it, so it counts as empty
    if found is None and is_required(of):
        if control.missing is not None:
            raise FieldErrors({"" if control.is_hidden else name: spoken(control.missing)})
        if type_name(of) == "String":
            return str(form.get(name, ""))  # the API says what is wrong with it
        raise FieldErrors({name: _missing(type_name(of))})
    return control.when_empty if found is None else found


def _missing(kind: str) -> str:
    """The error beside an empty control whose field must have a value."""
    if kind in DAYS:
        return say("Choose a day.")
    return say("Name a player.") if kind == "ID" else say("Write a whole number from 0, such as 35.")


def _read(kind: str, name: str, form: FormData) -> Any:
    """The content of a control by the type of its field; None if it is empty. Raises FieldErrors."""
    if kind == "Int":
        return number_in(form, name)
    if kind == "DateTime":
        return day_in(form, name)
    if kind == "Date":
        return date_in(form, name)
    return str(form.get(name, "")).strip() or None


def read_input(
    mutation: str, controls: Sequence[Control], address: Mapping[str, str], form: FormData, request: Request
) -> dict[str, Any]:
    """The `input` of a mutation, from the address and from what was typed. Raises FieldErrors, NoPage.

    `address`: the parameter of the address for each field of the input that the address gives.
    """
    given, errors = dict[str, Any](), dict[str, str]()
    for name, parameter in address.items():
        value = request.path_params[parameter]
        given[name] = as_number(value) if type_name(input_field(mutation, name)) == "Int" else value
    for control in controls:
        try:
            given[control.name] = read_control(mutation, control, form)
        except FieldErrors as error:
            errors |= error.errors
    if errors:
        raise FieldErrors(errors)
    if PLAYED_AT in input_type(mutation).fields:
        given[PLAYED_AT] = moment_in(form, PLAYED_AT)  # from a device that sends the form later
    return given
