"""The one shape that every explanation has."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from league.domain.clauses import Clause
from league.domain.rules import CapBySign, Rules
from league.explanations.message import Message
from league.projections.queries.log import LogEntry
from league.projections.queries.measured import AddedRow

_JSON = msgspec.json.Encoder(decimal_format="number")


class Setting(Struct, frozen=True, gc=False):
    """A setting of the edition: its dotted key, and its value as the edition writes it."""

    key: str
    value: str


class Fact(Struct, frozen=True, gc=False):
    """Something that happened or was so, by name."""

    name: str
    value: str
    of: str | None = None
    """The player or the pair whose fact it is, by id; the value may be just this id."""


class Basis(Struct, frozen=True, gc=False):
    """Something that a term rests on, with an explanation of its own."""

    match: str | None
    hand: int | None
    position: int
    """Of the event that says it."""
    competitor: str | None = None
    """The player or the pair whose rating the match made, or whose standing in the month it is."""
    month: str | None = None
    """Of a month that was closed: which one ..."""
    mode: str | None = None
    """... and in which mode the standing is."""
    adds: int | None = None
    """How much of the term's value it adds, where the term counts."""


class Term(Struct, frozen=True, gc=False):
    """One part of a number."""

    name: str
    value: float
    unit: str
    text: Message
    """What it is."""
    clause: str = ""
    settings: tuple[Setting, ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Basis, ...] = ()
    left_out: int = 0
    """How much of the value rests on earlier matches, which are too many for `because` to name."""
    side: int | None = None
    """Of a hand or a match: the side that gets it ..."""
    of: str | None = None
    """... and who plays on it: a player or a pair, by id."""


class Changed(Struct, frozen=True, gc=False):
    """A fact that was corrected. None: there was no such fact."""

    name: str
    before: str | None
    after: str | None
    of: str | None = None
    """The player at the seat that it is about, by id."""


class Correction(Struct, frozen=True):
    """What was taken back or replaced."""

    entry: LogEntry
    """By whom, and when."""
    text: Message
    """Such as `hand 2 was corrected`."""
    reason: str
    """As it was given; for those who may read who wrote what."""
    changed: tuple[Changed, ...] = ()
    """Of a hand: the facts that became other ones."""


class Explanation(Struct, frozen=True):
    """Why a number is what it is: `formula` says how `terms` make `value`."""

    kind: str
    """`hand`, `match`, `rating_change`, `standing`, `badge` or `place`."""
    statement: Message
    """What is explained. Where there is a subject, the sentence begins with its value `subject`."""
    value: float | None
    """None for a hand and a match, which have a number for each side, and for what a voided match would have made."""
    unit: str
    formula: Message
    edition: str
    """The hash of the edition under which it was computed."""
    terms: tuple[Term, ...]
    conditions: tuple[Term, ...] = ()
    """What does not make the number but is decided by it or beside it: a threshold, a rank, being shown at all."""
    facts: tuple[Fact, ...] = ()
    corrections: tuple[Correction, ...] = ()
    events: tuple[LogEntry, ...] = ()
    subject: str | None = None
    """The player or the pair that the statement is about, by id; None for a hand, and for a match that no side won."""
    rated_in: tuple[str, ...] = ()
    """The modes whose ratings of the subject it rests on."""
    not_judged: tuple[str, ...] = ()
    """Rules that needed a fact that is not known."""


def facts(**values: Any) -> tuple[Fact, ...]:
    """Facts in words; what is not known is said to be so."""
    return tuple(Fact(name, worded(value)) for name, value in values.items())


def facts_of(competitor: str | None, **values: Any) -> tuple[Fact, ...]:
    """The same of a player or a pair."""
    return tuple(Fact(name, worded(value), competitor) for name, value in values.items())


def added_by(matches: Sequence[AddedRow], value: int) -> tuple[tuple[Basis, ...], int]:
    """The latest matches that a number counts, each with what it adds; and what the earlier ones add."""
    because = tuple(Basis(match.match_id, None, match.position, adds=match.added) for match in matches)
    return because, value - sum(match.added for match in matches)


def worded(value: Any) -> str:
    """A fact's or a setting's value as text."""
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case Decimal() | int() | float() | CapBySign():
            return str(value)
    if isinstance(value, tuple) and all(isinstance(part, int | str) for part in value):
        return ", ".join(map(str, value)) or "none"
    return _JSON.encode(value).decode()


def settings_of(rules: Rules, clause: Clause, prefix: tuple[str, ...] = ()) -> tuple[Setting, ...]:
    """The settings of a clause as an edition has them; `prefix`: below which key. What it lacks is left out."""
    found = ((*prefix, *key.split(".")) for key in clause.settings)
    return tuple(Setting(".".join(path), worded(value)) for path in found if (value := _at(rules, path)) is not None)


def setting_at(rules: Rules, key: str) -> str | None:
    """A setting of an edition by its dotted key, as text; None where the edition lacks it."""
    value = _at(rules, key.split("."))
    return None if value is None else worded(value)


def _at(rules: Any, path: Iterable[str]) -> Any:
    value = rules
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part)
        if value is None:
            return None
    return value
