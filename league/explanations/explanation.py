"""The common shape of all explanations."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from league.domain.bonuses import Clause
from league.domain.rules import CapBySign, Mode, RulebookSection
from league.domain.seating import CompetitorId, competitor_of, players_of, sides_of
from league.projections.queries.badges import AddedRow
from league.projections.queries.log import LogEntry


class RatingFormula(Struct, frozen=True):
    """The formula of a rating change with its numbers."""

    before: float
    k: float
    outcome: float
    modifier: float
    expected: float
    after: float


Value = str | int | float | bool | tuple[int, ...] | tuple[str, ...] | RatingFormula | None

PEOPLE = ("subject", "opponents", "sides")
"""The values that are ids of players and pairs; a sentence has their names."""


class Message(Struct, frozen=True):
    """A sentence with its values, which `league.wording.explanations` writes out in the reader's language."""

    template: str
    """The sentence, with the names of values in braces."""
    values: dict[str, Value] = {}

    @property
    def people(self) -> tuple[str, ...]:
        """The ids of the players and pairs that it names."""
        found = (self.values.get(name) for name in PEOPLE)
        ids = [id_ for value in found for id_ in (value if isinstance(value, tuple) else (value,)) if id_ is not None]
        return tuple(dict.fromkeys(map(str, ids)))

    @property
    def match(self) -> str | None:
        """The id of the match that it is about, if it is about one."""
        match = self.values.get("match")
        return None if match is None else str(match)


def message(template: str, /, **values: Value) -> Message:
    """A message: `message(say("hand {hand}"), hand=3)`. `say` marks the template for the catalogues."""
    return Message(template, values)


_JSON = msgspec.json.Encoder(decimal_format="number")


class Setting(Struct, frozen=True, gc=False):
    """A setting of the edition: its dotted key, and its value as the edition writes it."""

    key: str
    value: str


class Fact(Struct, frozen=True, gc=False):
    """A fact by name."""

    name: str
    value: str
    of: str | None = None
    """The id of the player or the pair that the fact is about; the value may be just this id."""


class Basis(Struct, frozen=True, gc=False):
    """Something that a term is based on, with an explanation of its own."""

    match: str | None
    hand: int | None
    position: int
    """The position of the event that records it."""
    competitor: str | None = None
    """The player or the pair whose rating the match changed, or whose standing in the month counts."""
    month: str | None = None
    """The closed month whose standing counts; None for a match."""
    mode: str | None = None
    """The mode of that standing; None for a match."""
    adds: int | None = None
    """How much it adds to the term's value, if the term counts."""


class Term(Struct, frozen=True, gc=False):
    """One part of a number."""

    name: str
    value: float
    unit: str
    text: Message
    """What the number means."""
    clause: str = ""
    settings: tuple[Setting, ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Basis, ...] = ()
    left_out: int = 0
    """How much of the value comes from earlier matches, which `because` does not list."""
    side: int | None = None
    """In a hand or a match, the side that gets the value."""
    of: str | None = None
    """In a hand or a match, the id of the player or the pair on that side."""


class ChangedFact(Struct, frozen=True, gc=False):
    """A fact that a correction changed. `before` or `after` is None if that version lacks the fact."""

    name: str
    before: str | None
    after: str | None
    of: str | None = None
    """The player at the seat concerned, by id."""


class Correction(Struct, frozen=True):
    """What was corrected, reopened or voided."""

    entry: LogEntry
    """Who did it, and when."""
    text: Message
    """Such as `hand 2 was corrected`."""
    reason: str
    """The reason as given; for readers with permission to see the authors of events."""
    changed: tuple[ChangedFact, ...] = ()
    """The facts of the hand that changed."""


class Explanation(Struct, frozen=True):
    """Why a number is what it is: `formula` says how `terms` make `value`."""

    kind: str
    """`hand`, `match`, `rating_change`, `standing`, `badge` or `place`."""
    statement: Message
    """What is explained. If there is a subject, the sentence begins with its value `subject`."""
    value: float | None
    """None for a hand and a match, which have a number for each side, and for the effects of a voided match."""
    unit: str
    formula: Message
    edition: str
    """The hash of the edition under which it was computed."""
    terms: tuple[Term, ...]
    conditions: tuple[Term, ...] = ()
    """What is not part of the number but related to it: a threshold, a rank, whether it is listed at all."""
    facts: tuple[Fact, ...] = ()
    corrections: tuple[Correction, ...] = ()
    events: tuple[LogEntry, ...] = ()
    subject: str | None = None
    """The id of the player or the pair in the statement; None for a hand, and for a match without a winning side."""
    rated_in: tuple[str, ...] = ()
    """The modes of the subject's ratings that it is based on."""
    not_judged: tuple[str, ...] = ()
    """Rules that needed a fact that is not known."""


def facts(**values: Any) -> tuple[Fact, ...]:
    """Facts by name, their values in words. None becomes `not known`."""
    return tuple(Fact(name, worded(value)) for name, value in values.items())


def facts_of(competitor: str | None, **values: Any) -> tuple[Fact, ...]:
    """Facts about a player or a pair, by its id."""
    return tuple(Fact(name, worded(value), competitor) for name, value in values.items())


def added_by(matches: Sequence[AddedRow], value: int) -> tuple[tuple[Basis, ...], int]:
    """The latest matches that a number counts, with what each adds, and how much the earlier matches add."""
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


def settings_of(rules: RulebookSection, clause: Clause, prefix: tuple[str, ...] = ()) -> tuple[Setting, ...]:
    """The settings of a clause in an edition; `prefix`: the key above them. Missing settings are left out."""
    found = ((*prefix, *key.split(".")) for key in clause.settings)
    return tuple(Setting(".".join(path), worded(value)) for path in found if (value := _at(rules, path)) is not None)


def setting_at(rules: RulebookSection, key: str) -> str | None:
    """A setting of an edition by its dotted key, as text; None if the edition lacks it."""
    value = _at(rules, key.split("."))
    return None if value is None else worded(value)


def _at(rules: Any, path: Iterable[str]) -> Any:
    value = rules
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part)
        if value is None:
            return None
    return value


def sides(mode: Mode, seats: Sequence[str]) -> tuple[str, ...]:
    """The sides of a match, players or pairs."""
    return tuple(map(competitor_of, sides_of(mode, tuple(seats))))


def opponents(mode: Mode, seats: Sequence[str], of: str) -> tuple[str, ...]:
    """The sides against which a player or a pair played."""
    own = set(players_of(CompetitorId(of)))
    return tuple(side for side in sides(mode, seats) if own.isdisjoint(players_of(CompetitorId(side))))
