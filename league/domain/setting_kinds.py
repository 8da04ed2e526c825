"""What each setting of a rulebook may be, read off the types of `rules.py`: a number, a switch, a choice, a table.

Forms make their controls from it, so a new setting has its control by itself.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import NODEFAULT, Struct, inspect

from league.domain.rulebook_check import LARGEST, range_of, rulebook_type


class TextKind(Struct, frozen=True):
    """A text for people."""


class SwitchKind(Struct, frozen=True):
    """True or false."""


class NumberKind(Struct, frozen=True):
    """A number, from `least` to `most`; None means without bound."""

    least: int | None
    most: int | None


class NumbersKind(Struct, frozen=True):
    """A list of numbers."""

    item: NumberKind


class ChoiceKind(Struct, frozen=True):
    """One of the options."""

    options: tuple[str, ...]


class ChoicesKind(Struct, frozen=True):
    """Any of the options."""

    options: tuple[str, ...]


class NumbersByRulesetKind(Struct, frozen=True):
    """A table with a number for some of the rulesets."""

    item: NumberKind


class RowsKind(Struct, frozen=True):
    """A list of tables, all with these columns."""

    columns: "tuple[Setting, ...]"


SettingKind = (
    TextKind | SwitchKind | NumberKind | NumbersKind | ChoiceKind | ChoicesKind | NumbersByRulesetKind | RowsKind
)


class Setting(Struct, frozen=True):
    """A setting of the rulebook."""

    path: tuple[str, ...]
    """The parts of its dotted key. For a column of rows: those of the list, then the name of the column."""
    kind: SettingKind | None
    """None: it is a table or off."""
    default: Any
    """Its value where a document leaves it out; None where no document may."""
    can_be_off: bool = False
    """Whether `false` switches it off."""
    parts: "tuple[Setting, ...]" = ()
    """The settings of the table that may stand in place of its value."""

    @property
    def key(self) -> str:
        """Its dotted key, such as `rating.k.standard`."""
        return ".".join(self.path)


def settings_of(section: str, ruleset: str = "") -> tuple[Setting, ...]:
    """The settings of a section such as `rating`, in the order of its type. For `rulesets`: those of one ruleset."""
    kind = next(field.type for field in _fields(rulebook_type()) if field.name == section)
    if isinstance(kind, inspect.DictType):
        return tuple(_settings(kind.value_type, (section, ruleset)))
    return tuple(_settings(kind, (section,)))


def _fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    assert isinstance(kind, inspect.StructType), "sections are structs"
    return kind.fields


def _settings(kind: inspect.Type, path: tuple[str, ...]) -> Iterator[Setting]:
    for field in _fields(kind):
        below = (*path, field.encode_name)
        if isinstance(field.type, inspect.StructType):
            yield from _settings(field.type, below)
        else:
            default = field.default if field.default_factory is NODEFAULT else field.default_factory()
            yield _setting(field.type, below, None if default is NODEFAULT else default)


def _setting(kind: inspect.Type, path: tuple[str, ...], default: Any) -> Setting:
    if not isinstance(kind, inspect.UnionType):
        return Setting(path, _kind(kind, path), default)
    off = (inspect.BoolType, inspect.NoneType)
    plain = next((one for one in kind.types if not isinstance(one, (*off, inspect.StructType))), None)
    table = next((one for one in kind.types if isinstance(one, inspect.StructType)), None)
    return Setting(
        path,
        None if plain is None else _kind(plain, path),
        default,
        any(isinstance(one, off) for one in kind.types),
        () if table is None else tuple(_settings(table, path)),
    )


def _kind(kind: inspect.Type, path: tuple[str, ...]) -> SettingKind:  # noqa: PLR0911  # one for each
    match kind:
        case inspect.StrType():
            return TextKind()
        case inspect.BoolType():
            return SwitchKind()
        case inspect.LiteralType():
            return ChoiceKind(tuple(map(str, kind.values)))
        case inspect.VarTupleType(item_type=inspect.LiteralType() as item):
            return ChoicesKind(tuple(map(str, item.values)))
        case inspect.VarTupleType(item_type=inspect.StructType() as item):
            return RowsKind(tuple(_settings(item, path)))
        case inspect.VarTupleType():
            return NumbersKind(_number(kind.item_type, path))
        case inspect.DictType():
            return NumbersByRulesetKind(_number(kind.value_type, path))
    return _number(kind, path)


def _number(kind: inspect.Type, path: tuple[str, ...]) -> NumberKind:
    if isinstance(kind, inspect.IntType):
        return NumberKind(kind.ge, kind.le)
    assert isinstance(kind, inspect.DecimalType), f"{kind} has no kind of control yet"
    found = range_of(".".join(path))
    if found is None:
        return NumberKind(None, None)
    return NumberKind(found.least, None if found.most == LARGEST else found.most)
