"""Every way in which the league refuses a command: types with fields, whose text is for people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.sentences import say


@dataclass(eq=True)
class Refusal(Exception):
    """A command that cannot be executed. Nothing of it is stored."""

    code: ClassVar[str] = "REFUSED"

    @property
    def field(self) -> str | None:
        """The path of the offending input field, such as `leftover.2.0`; None if no single field is at fault."""
        return getattr(self, "at", None)

    @property
    def message(self) -> str:
        """One sentence for a person, of a bounded length whatever was sent."""
        return shortened(self.sentence)

    @property
    def sentence(self) -> str:
        """The message, with what was sent as it was sent."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{shortened(self.field)}: {self.message}" if self.field else self.message


LONGEST_MESSAGE = 600
"""Characters of one refusal. An id or a path within it may be what a client sent, and of any length."""


def shortened(text: str) -> str:
    """The text, without its middle where it is too long for a message."""
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2
    return f"{text[:half]} … ({len(text) - 2 * half} characters left out) … {text[-half:]}"


MOST_NAMED = 10
"""Faults that one message names; it counts the others."""


def _listed(named: list[str], count: int) -> str:
    """The named ones of so many faults as one message."""
    tail = [f"and {count - len(named)} more"] if len(named) < count else []
    return "; ".join([*map(shortened, named), *tail])


def _any_of(names: Sequence[str]) -> str:
    """Names as a choice: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


@dataclass(eq=True)
class InvalidInput(Refusal):
    """A value that is impossible by itself or contradicts another one."""

    code: ClassVar[str] = "INVALID"
    at: str
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason


NUMBERED = frozenset({"hand", "edition", "run", "replay"})
"""Kinds whose ids are numbers."""


@dataclass(eq=True)
class NotFound(Refusal):
    """A player, match, ruleset, edition or season that the league does not know."""

    code: ClassVar[str] = "NOT_FOUND"
    at: str
    kind: str
    id: str

    known: tuple[str, ...] = ()
    """The ids that there are, where they are few."""

    @property
    def sentence(self) -> str:
        there_are = f"; there are {', '.join(self.known)}" if self.known else ""
        named = self.id if self.kind in NUMBERED else repr(self.id)
        return f"there is no {self.kind} {named}{there_are}"


@dataclass(eq=True)
class UnknownPlayer(NotFound):
    """Neither the id nor the name of a player."""

    kind: str = "player"
    id: str = ""
    closest: tuple[str, ...] = ()
    """Players with a similar name, each with the id."""

    @property
    def sentence(self) -> str:
        if not self.closest:
            return say("there is no player {name}; `league player list` lists them", name=repr(self.id))
        closest = "; ".join(self.closest)
        return say("there is no player {name}; close to it: {closest}", name=repr(self.id), closest=closest)


@dataclass(eq=True)
class AlreadyExists(Refusal):
    """An id or a number that is already in use."""

    code: ClassVar[str] = "ALREADY_EXISTS"
    at: str
    kind: str
    id: str
    difference: str = ""

    @property
    def sentence(self) -> str:
        tail = f": {self.difference}" if self.difference else ""
        return f"{self.kind} {self.id!r} already exists{tail}"


@dataclass(eq=True)
class InTheFuture(Refusal):
    """A time of play in the future."""

    code: ClassVar[str] = "IN_THE_FUTURE"
    at: str
    time: datetime
    now: datetime

    @property
    def sentence(self) -> str:
        return f"{self.time.isoformat()} is in the future (now it is {self.now.isoformat(timespec='seconds')})"


@dataclass(eq=True)
class MatchOver(Refusal):
    """A match that has ended takes no further hands."""

    code: ClassVar[str] = "MATCH_OVER"
    match: str
    ended_at: datetime | None
    hand: int | None

    @property
    def sentence(self) -> str:
        by = f" by hand {self.hand}" if self.hand else ""
        at = f" at {self.ended_at.isoformat()}" if self.ended_at else ""
        return f"match {self.match!r} ended{by}{at}"


@dataclass(eq=True)
class WrongHand(Refusal):
    """A hand that is not the next one: someone has recorded it already, or one before it is missing."""

    code: ClassVar[str] = "WRONG_HAND"
    at: ClassVar[str] = "hand"
    match: str
    hand: int
    next_hand: int

    @property
    def sentence(self) -> str:
        recorded = "is recorded already" if 1 <= self.hand < self.next_hand else "is not the next one"
        return f"hand {self.hand} of match {self.match!r} {recorded}; the next one is hand {self.next_hand}"


@dataclass(eq=True)
class SeriesLocked(Refusal):
    """Two competitors who have played all games of the month that count, or will have if their open matches count."""

    code: ClassVar[str] = "SERIES_LOCKED"
    at: str
    a: str
    b: str
    mode: str
    month: str
    a_wins: int
    b_wins: int
    open_matches: int
    locked: bool
    """Whether all games that count are played; if not, only the open matches prevent another one."""
    free_at: datetime
    """At the latest."""
    casual_counts: bool = False
    """Whether casual matches count too, so that the two cannot meet casually either."""

    @property
    def sentence(self) -> str:
        at_once = "" if self.casual_counts else ", and casually at once"
        open_ones = f" and {self.open_matches} still open" if self.open_matches else ""
        first = "" if self.locked else "an open match has to be decided or voided first; "
        latest = "" if self.locked else " at the latest"
        return (
            f"{self.a!r} and {self.b!r} stand at {self.a_wins}-{self.b_wins}{open_ones} in {self.month}"
            f" ({self.mode}): {first}they can meet competitively again from {self.free_at.isoformat()}{latest}{at_once}"
        )


@dataclass(eq=True)
class WrongState(Refusal):
    """The state of a match, a season or a player does not allow the command."""

    code: ClassVar[str] = "WRONG_STATE"
    subject: str
    state: str
    reason: str
    at: str | None = None

    @property
    def sentence(self) -> str:
        return f"{self.subject} is {self.state}: {self.reason}"


@dataclass(eq=True)
class NoLeague(Refusal):
    """There is no league where the settings say that it is kept."""

    code: ClassVar[str] = "WRONG_STATE"
    place: str

    @property
    def sentence(self) -> str:
        return say(
            "there is no league in {place}. `league init` or `league import` creates one there; LEAGUE_DATA_DIR or "
            "LEAGUE_DATABASE_URL names another place",
            place=self.place,
        )


@dataclass(eq=True)
class DatabaseNotEmpty(Refusal):
    """A backup is restored only into a database without a league."""

    code: ClassVar[str] = "NOT_EMPTY"
    table: str
    """The first table that has rows."""

    @property
    def sentence(self) -> str:
        return f"the table {self.table} has rows: restore the backup into a new database or data folder"


@dataclass(frozen=True)
class Problem:
    """One fault of a document: the dotted path of the key and what is wrong with it."""

    at: str
    reason: str


@dataclass(eq=True)
class InvalidRulebook(Refusal):
    """A rulebook with unknown keys, wrong types or impossible values."""

    code: ClassVar[str] = "INVALID_RULEBOOK"
    problems: tuple[Problem, ...]

    @property
    def field(self) -> str | None:
        return self.problems[0].at

    @property
    def message(self) -> str:
        first, *others = self.problems
        named = [first.reason, *(f"{problem.at}: {problem.reason}" for problem in others[: MOST_NAMED - 1])]
        return _listed(named, len(self.problems))


@dataclass(eq=True)
class Conflict(Refusal):
    """Other writers changed the same stream at each attempt."""

    code: ClassVar[str] = "CONFLICT"
    stream: str

    @property
    def sentence(self) -> str:
        return f"{self.stream} was changed by another writer at the same moment; try again"


@dataclass(eq=True)
class KeyReused(Refusal):
    """An idempotency key that this actor has used before for another input."""

    code: ClassVar[str] = "KEY_REUSED"
    at: ClassVar[str] = "idempotencyKey"
    key: str

    @property
    def sentence(self) -> str:
        return f"the idempotency key {self.key!r} was used before with another input"


@dataclass(eq=True)
class Forbidden(Refusal):
    """An actor whose role does not allow the operation."""

    code: ClassVar[str] = "FORBIDDEN"
    operation: str
    needs: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Of `needs`, the roles that allow it for one's own affairs only."""
    of_others: bool = False
    """Whether the actor has such a role, and this is not about them."""
    at: str | None = None

    @property
    def sentence(self) -> str:
        if self.of_others:
            roles = _any_of([role for role in self.needs if role not in self.own])
            return (
                f"this is about somebody else: a player may use {self.operation} only for themselves and in matches "
                f"that they sit in; the role {roles} may use it for everybody"
            )
        roles = _any_of([f"{role} (for their own affairs only)" if role in self.own else role for role in self.needs])
        return f"{self.operation} needs the role {roles}"


@dataclass(eq=True)
class NotSignedIn(Forbidden):
    """An operation that needs a role, without a token."""

    code: ClassVar[str] = "UNAUTHENTICATED"

    @property
    def sentence(self) -> str:
        return f"sign in first: {self.operation} needs a token with the role {_any_of(self.needs)}"


@dataclass(eq=True)
class Faults(Refusal):
    """Several refusals of one input, in its order."""

    code: ClassVar[str] = "INVALID"
    refusals: tuple[Refusal, ...]

    @staticmethod
    def check(refusals: Iterable[Refusal]) -> None:
        """Raise the refusals found, several as one; return if there are none."""
        found = tuple(refusals)
        if len(found) > 1:
            raise Faults(found)
        for refusal in found:
            raise refusal

    @staticmethod
    def of(refusal: Refusal) -> "tuple[Refusal, ...]":
        """The refusals that a refusal consists of, usually one."""
        return refusal.refusals if isinstance(refusal, Faults) else (refusal,)

    @property
    def field(self) -> str | None:
        return self.refusals[0].field

    @property
    def message(self) -> str:
        first, *others = self.refusals
        return _listed([first.message, *map(str, others[: MOST_NAMED - 1])], len(self.refusals))


@dataclass(eq=True)
class BadLine:
    """A fault of a line of a recorded season. A line with several faults is several of these."""

    file: str
    line: int
    refusal: Refusal

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.refusal}"


@dataclass(eq=True)
class SeasonRefused(Refusal):
    """A recorded season with bad lines. Nothing of it was stored."""

    code: ClassVar[str] = "SEASON_REFUSED"
    lines: tuple[BadLine, ...]
    """Every fault of every line."""

    @property
    def message(self) -> str:
        first, *others = self.lines
        return str(first) + (f" (and {len(others)} more faults)" if others else "")
