"""The controls of the settings of an edition. Each follows from the type of its setting (`setting_kinds.py`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from league.console.admin.typed_rules import NOT_THERE, OFF, RULESETS, as_typed, control_name, read, written
from league.console.controls import FieldErrors
from league.console.forms import FilledForm
from league.domain.bonuses import source_of
from league.domain.rulebook import to_document
from league.domain.sentences import Sentence, say
from league.domain.setting_kinds import (
    ChoiceKind,
    ChoicesKind,
    NumberKind,
    NumbersByRulesetKind,
    NumbersKind,
    RowsKind,
    Setting,
    SettingKind,
    SwitchKind,
    TextKind,
    settings_of,
)
from league.rulebook import shipped_edition
from league.wording.facts import clause_in_words
from league.wording.language import spoken
from league.wording.rulebook import (
    COLUMNS,
    GROUPS,
    NAMES,
    SECTIONS,
    choice_in_words,
    off_in_words,
    setting_in_words,
    value_in_words,
)

KINDS: Mapping[type, str] = {
    TextKind: "text", SwitchKind: "switch", NumberKind: "number", NumbersKind: "numbers", ChoiceKind: "choice",
    ChoicesKind: "choices", NumbersByRulesetKind: "table", RowsKind: "rows", type(None): "",
}  # fmt: skip
"""What `parts_of_rules.html` calls each kind of setting."""

Document = Mapping[str, Any]
"""An edition as the API answers it."""


class RuleField(Struct, frozen=True):
    """The control of a setting, or the controls, as `parts_of_rules.html` shows them."""

    setting: Setting
    name: str
    kind: str
    label: str
    hint: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What its controls show at first, by their names."""
    before: Any = None
    """Its value in the edition to compare with; NOT_THERE if that has no such setting."""
    value: Any = None
    options: Sequence[tuple[str, str]] = ()
    """What can be chosen, each in words."""
    off: str = ""
    """What it means that it is off; empty if it cannot be."""
    fields: "Sequence[RuleField]" = ()
    """Controls within it: those of the table that may stand in its place, or one for each ruleset."""
    rows: "Sequence[Sequence[RuleField]]" = ()
    """Rows of controls. The last one is for a new row."""

    @property
    def at_first(self) -> str:
        """What its own control shows at first."""
        return self.typed.get(self.name, "")

    @property
    def is_off(self) -> bool:
        """Whether it is off at first."""
        return f"{self.name}.{OFF}" in self.typed

    @property
    def compared(self) -> Mapping[str, str]:
        """What its controls would show for the edition to compare with."""
        return {} if self.before is NOT_THERE else as_typed(self.setting, self.before)

    def differs(self, form: FilledForm) -> bool:
        """Whether it differs from the edition to compare with: as typed, or else as the form shows it at first."""
        if self.before is NOT_THERE:
            return False
        try:
            value = read(self.setting, form.typed) if form.typed else self.value
        except FieldErrors:
            return True
        return value is not NOT_THERE and _plain(value) != _plain(self.before)

    def has_error(self, form: FilledForm) -> bool:
        """Whether something that was typed here is refused."""
        return any(name == self.name or name.startswith(f"{self.name}.") for name in form.errors)


class RuleFieldGroup(Struct, frozen=True):
    """A table of an edition, such as K or the bonuses of a ruleset."""

    title: str
    """Empty for the settings that stand in no such table."""
    fields: Sequence[RuleField]


class RuleFieldSection(Struct, frozen=True):
    """A section of an edition such as the rating, or a ruleset."""

    part: str
    """The name that a hidden control tells the reader of the form."""
    title: str
    groups: Sequence[RuleFieldGroup]

    @property
    def fields(self) -> Sequence[RuleField]:
        """All its controls."""
        return [one for group in self.groups for one in group.fields]

    def differing(self, form: FilledForm) -> int:
        """The number of its settings that differ."""
        return sum(one.differs(form) for one in self.fields)

    def has_error(self, form: FilledForm) -> bool:
        """Whether something that was typed here is refused."""
        return any(one.has_error(form) for one in self.fields)


def errors_in(sections: Sequence[RuleFieldSection], form: FilledForm) -> Sequence[str]:
    """The names of the errors that stand beside a control of the sections."""
    names = {one.name for section in sections for one in section.fields} if form.errors else set[str]()
    return [error for error in form.errors if any(error == name or error.startswith(f"{name}.") for name in names)]


class RuleFields(Struct, frozen=True):
    """Makes the controls that change an edition."""

    edition: Document
    """The edition to start from."""
    compared: Document
    """The edition with which the form compares."""
    before: Callable[[str], Sentence]
    """What a hint says about the value there."""
    texts: Collection[str] = ("title", "description")
    """The texts of rulesets that can be changed, too."""

    def sections(self, rulesets: Mapping[str, str]) -> Sequence[RuleFieldSection]:
        """The controls of the edition, with those of some of its rulesets. `rulesets`: their titles, by name."""
        found = [self._section((name,), spoken(title), settings_of(name)) for name, (title, _) in SECTIONS.items()]
        return [*found, *(self.ruleset(name, title) for name, title in rulesets.items())]

    def chosen(self, asked: Collection[str]) -> Mapping[str, str]:
        """The titles of the rulesets that a form shows, by name: those asked for, and those that differ.

        All of them would make a page of 380 kB.
        """
        before = self.compared["document"][RULESETS]
        return {
            one["name"]: one["title"]
            for one in self.edition[RULESETS]
            if one["name"] in asked or self.edition["document"][RULESETS][one["name"]] != before.get(one["name"])
        }

    def ruleset(self, name: str, title: str) -> RuleFieldSection:
        """The controls of a ruleset."""
        return self._section((RULESETS, name), title, settings_of(RULESETS, name))

    def _section(self, path: Sequence[str], title: str, settings: Sequence[Setting]) -> RuleFieldSection:
        groups: dict[str, list[RuleField]] = {"": []}
        for setting in settings:
            if not isinstance(setting.kind, TextKind) or setting.path[-1] in self.texts:
                table = setting.path[len(path)]
                of_table = table if table in GROUPS and len(setting.path) > len(path) + 1 else ""
                groups.setdefault(of_table, []).append(self._field(setting))
        found = [RuleFieldGroup(spoken(GROUPS.get(table, "")), fields) for table, fields in groups.items() if fields]
        return RuleFieldSection(control_name(path), title, found)

    def _field(self, setting: Setting) -> RuleField:
        """The control of a setting, with its words, where they come from, and its value in the other edition."""
        value, before = _value(setting, self.edition), _value(setting, self.compared)
        made = self._control(setting, value)
        usual = _usual_range(setting, self.edition)
        hints = [usual or _range_in_words(setting.kind), clause_in_words(source_of(setting.key) or "")]
        if before is NOT_THERE:
            hints.insert(0, spoken(say("not in the rules in force")))
        elif not isinstance(setting.kind, TextKind):
            hints.insert(0, spoken(self.before(_in_words(setting, before))))
        typed = {**_when_on(setting, before), **made.typed} if made.is_off else made.typed
        return replace(made, hint=" · ".join(filter(None, hints)), typed=typed, value=value, before=before)

    def _control(self, setting: Setting, value: Any, label: str = "") -> RuleField:
        words = label or setting_in_words(setting.key) or spoken(NAMES.get(setting.path[-1], setting.path[-1]))
        return RuleField(
            setting,
            control_name(setting.path),
            KINDS[type(setting.kind)],
            _begun(words),
            typed=as_typed(setting, value),
            options=[(one, choice_in_words(setting.key, one)) for one in _options(setting.kind, value)],
            off=off_in_words(setting.key) if setting.can_be_off else "",
            fields=[*self._inside(setting, value)],
            rows=[*self._rows(setting, value)],
        )

    def _inside(self, setting: Setting, value: Any) -> Sequence[RuleField]:
        if isinstance(setting.kind, NumbersByRulesetKind):
            rulesets = self.edition["document"][RULESETS]
            kind = setting.kind.item
            return [
                self._control(Setting((*setting.path, name), kind, None), value.get(name), rulesets[name]["title"])
                for name in sorted(rulesets)
            ]
        table = value if isinstance(value, Mapping) else {}
        return [self._control(part, table.get(part.path[-1])) for part in setting.parts]

    def _rows(self, setting: Setting, value: Any) -> Sequence[Sequence[RuleField]]:
        if not isinstance(setting.kind, RowsKind):
            return ()
        return [
            [
                self._control(
                    Setting((*setting.path, str(number), column.path[-1]), column.kind, None),
                    row.get(column.path[-1]),
                    spoken(COLUMNS.get(column.path[-1], column.path[-1])),
                )
                for column in setting.kind.columns
            ]
            for number, row in enumerate([*value, {}])
        ]


def _options(kind: SettingKind | None, value: Any) -> Sequence[str]:
    """What can be chosen. Where that is several, the chosen ones come first: they keep their order in the edition."""
    if isinstance(kind, ChoicesKind):
        return [*dict.fromkeys((*(value or ()), *kind.options))]
    return kind.options if isinstance(kind, ChoiceKind) else ()


def numbers_of(edition: Document, section: str) -> Sequence[tuple[str, str, str]]:
    """The numbers in a section of an edition: for each its dotted key, what it decides, and its value."""
    settings = [one for setting in settings_of(section) for one in (setting, *setting.parts)]
    values = {one.key: value for one in settings if (value := _value(one, edition)) is not None}
    numbers = {key: written(value) for key, value in values.items() if type(value) in (int, float)}
    return [(key, _begun(setting_in_words(key)), number) for key, number in numbers.items()]


def _begun(words: str) -> str:
    """Words as they begin a line."""
    return words[:1].upper() + words[1:]


def _value(setting: Setting, edition: Document) -> Any:
    """The value of a setting in an edition, or its default; NOT_THERE if the edition lacks its ruleset."""
    found = edition["document"]
    if setting.path[0] == RULESETS and setting.path[1] not in found[RULESETS]:
        return NOT_THERE
    for part in setting.path:
        if not isinstance(found, Mapping) or part not in found:
            return setting.default
        found = found[part]
    return found


def _when_on(setting: Setting, before: Any) -> Mapping[str, str]:
    """What the controls of a setting that is off suggest for switching it on: its value elsewhere."""
    for value in (before, _value(setting, _shipped())):
        if value is not NOT_THERE and value not in (None, False):
            return as_typed(setting, value)
    return {}


@cache
def _shipped() -> Document:
    return {"document": to_document(shipped_edition())}


def _plain(value: Any) -> Any:
    """A value in one form, to compare it: numbers as Decimal, off as False, without empty cells of a table."""
    match value:
        case None | bool():
            return bool(value)
        case int() | float():
            return Decimal(str(value))
        case list() | tuple():
            items = [_plain(item) for item in value]
            return sorted(items) if all(isinstance(item, str) for item in items) else items
        case Mapping():
            return {key: _plain(item) for key, item in value.items() if item is not False}
    return value


def _in_words(setting: Setting, value: Any) -> str:
    if setting.can_be_off and (value is None or value is False):
        return off_in_words(setting.key)
    if isinstance(setting.kind, SwitchKind):
        return spoken(say("yes") if value else say("no"))
    return spoken(value_in_words(setting.key, value))


def _usual_range(setting: Setting, edition: Document) -> str:
    """The range of a number of a ruleset among the shipped rulesets that score alike; empty if all have one number."""
    section, name, *rest = (*setting.path, "")
    if section != RULESETS or not isinstance(setting.kind, NumberKind):
        return ""
    shipped: Mapping[str, Any] = _shipped()["document"][RULESETS]
    scoring = edition["document"][RULESETS].get(name, {}).get("scoring")
    alike = (one for one in shipped if shipped[one]["scoring"] == scoring)
    found = [
        value
        for one in alike
        if type(value := _value(Setting((RULESETS, one, *rest[:-1]), setting.kind, setting.default), _shipped())) is int
    ]
    if len(set(found)) < 2:  # noqa: PLR2004  # one number is no range
        return ""
    return spoken(say("usually from {least} to {most}", least=min(found), most=max(found)))


def _range_in_words(kind: SettingKind | None) -> str:
    """The values that numbers may have; empty without such a limit."""
    numbers = kind.item if isinstance(kind, NumbersKind | NumbersByRulesetKind) else kind
    if not isinstance(numbers, NumberKind) or numbers.least is None:
        return ""
    if numbers.most is None:
        return spoken(say("from {least}", least=numbers.least))
    return spoken(say("from {least} to {most}", least=numbers.least, most=numbers.most))
