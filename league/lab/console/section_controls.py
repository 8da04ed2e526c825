"""The controls for the series, badges and boards of the tried rules, as the forms of editions have them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.datastructures import QueryParams

from league.console.admin.rule_fields import Document, RuleFields, RuleFieldSection
from league.console.admin.typed_rules import NOT_THERE, PART, as_typed, in_toml, read
from league.console.controls import FieldErrors
from league.console.forms import FilledForm
from league.domain.sentences import Sentence, say
from league.domain.setting_kinds import Setting, settings_of
from league.wording.rulebook import setting_in_words

SECTIONS = ("series", "badges", "boards")
"""The sections in the order of the page. The numbers of `rating` have sliders."""


class TypedSections(Struct, frozen=True):
    """The settings of these sections that an address has."""

    lines: Mapping[str, str]
    """By dotted key, each as a line of TOML."""
    faults: Mapping[str, str]
    """Why values were left out, by control."""

    @property
    def settings(self) -> str:
        """All of them as TOML."""
        return "\n".join(self.lines.values())


def typed_sections(query: QueryParams) -> TypedSections:
    """Read these settings in an address. One that cannot be read is left out and listed in `faults`."""
    lines, faults = dict[str, str](), dict[str, str]()
    for setting in _settings():
        if _is_in(query, setting):
            try:
                value = read(setting, query)
            except FieldErrors as error:
                faults |= error.errors
            else:
                if value is not NOT_THERE:
                    lines[setting.key] = f"{setting.key} = {in_toml(value)}"
    return TypedSections(lines, faults)


class SectionControls(Struct, frozen=True):
    """The controls of these sections."""

    sections: Sequence[RuleFieldSection]
    form: FilledForm
    """What they show, from the address or from the rules in force."""
    changed: Collection[str]
    """The dotted keys of the settings that differ from the rules in force."""


def section_controls(edition: Document, query: QueryParams) -> SectionControls:
    """The controls with the values of an address. `edition`: the one in force."""
    found = RuleFields(edition, edition, _now).sections({})
    sections = sorted((one for one in found if one.part in SECTIONS), key=lambda one: SECTIONS.index(one.part))
    typed: dict[str, Any] = {PART: ""}
    for setting in _settings():
        if _is_in(query, setting):
            below = f"{setting.key}."
            typed |= {name: text for name, text in query.items() if name == setting.key or name.startswith(below)}
        else:
            typed |= as_typed(setting, _value(edition, setting))
    form = FilledForm(typed, typed_sections(query).faults)
    changed = {one.setting.key for section in sections for one in section.fields if one.differs(form)}
    return SectionControls(sections, form, changed)


def _settings() -> Sequence[Setting]:
    return [setting for section in SECTIONS for setting in settings_of(section)]


def _is_in(query: QueryParams, setting: Setting) -> bool:
    """Whether an address has a setting. A box that is not ticked has no value, so the form names its sections."""
    return setting.path[0] in query.getlist(PART) or any(
        name == setting.key or name.startswith(f"{setting.key}.") for name in query
    )


def _value(edition: Document, setting: Setting) -> Any:
    found = edition["document"]
    for part in setting.path:
        if part not in found:
            return setting.default
        found = found[part]
    return found


def _now(value: str) -> Sentence:
    return say("now {value}", value=value)


def named_setting(key: str) -> str:
    """What a setting decides, by its dotted key, in the reader's language; the key itself if no words are known."""
    words = setting_in_words(key.partition("[")[0])
    return words[:1].upper() + words[1:] or key
