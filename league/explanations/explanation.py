"""The one shape that every explanation has."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from league.clauses import Clause
from league.domain.rules import Rules
from league.projections.reads.log import LogEntry

_JSON = msgspec.json.Encoder(decimal_format="number")


class Setting(Struct, frozen=True, gc=False):
    """A setting of the edition: its dotted key, and its value as the edition writes it."""

    key: str
    value: str


class Fact(Struct, frozen=True, gc=False):
    """Something that happened or was so, by name."""

    name: str
    value: str


class Basis(Struct, frozen=True, gc=False):
    """Something that a term rests on, which can be explained in its turn."""

    match: str | None
    hand: int | None
    position: int
    """Of the event that says it."""
    rating: str | None = None
    """The player or the pair whose rating the match made what it was, where that is what the term rests on."""


class Term(Struct, frozen=True, gc=False):
    """One part of a number."""

    name: str
    value: float
    unit: str
    text: str
    """What it stands for, as a sentence or a part of one."""
    clause: str = ""
    settings: tuple[Setting, ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Basis, ...] = ()
    side: int | None = None
    """Of a hand: the side that gets it."""


class Explanation(Struct, frozen=True):
    """Why a number is what it is. How `terms` make `value` says `formula`."""

    kind: str
    """`hand`, `rating_change`, `standing`, `badge` or `place`."""
    statement: str
    value: float | None
    """None for a hand, which has a number for each side."""
    unit: str
    formula: str
    edition: str
    """The hash of the edition under which it was computed."""
    terms: tuple[Term, ...]
    facts: tuple[Fact, ...] = ()
    events: tuple[LogEntry, ...] = ()
    subject: str | None = None
    """The player or the pair, by id, with whom the statement begins; None for a hand."""
    not_judged: tuple[str, ...] = ()
    """Rules that needed a fact that is not known."""


def facts(**values: Any) -> tuple[Fact, ...]:
    """Facts in words; what is not known is said to be so."""
    return tuple(Fact(name, worded(value)) for name, value in values.items())


def worded(value: Any) -> str:
    """A fact's or a setting's value as text."""
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case Decimal() | int() | float():
            return str(value)
    if isinstance(value, tuple) and all(isinstance(part, int | str) for part in value):
        return ", ".join(map(str, value)) or "none"
    return _JSON.encode(value).decode()


def settings_of(rules: Rules, clause: Clause, prefix: tuple[str, ...] = ()) -> tuple[Setting, ...]:
    """The settings of a clause as an edition has them; `prefix`: below which key. What it lacks is left out."""
    found = ((*prefix, *key.split(".")) for key in clause.settings)
    return tuple(Setting(".".join(path), worded(value)) for path in found if (value := _at(rules, path)) is not None)


def _at(rules: Any, path: Iterable[str]) -> Any:
    value = rules
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part)
        if value is None:
            return None
    return value
