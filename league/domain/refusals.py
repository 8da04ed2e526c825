"""Every way in which the league refuses a command: types with fields, whose text is for people."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.nearest import there_are
from league.domain.sentences import Sentence, say, say_count


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
        return self.said(str)

    def said(self, by: Callable[[str], str]) -> str:
        """The message as `by` says sentences, such as in another language."""
        return shortened(by(self.sentence))

    def line(self, by: Callable[[str], str]) -> str:
        """The message after the field that it is about, as `by` says sentences."""
        return f"{shortened(self.field)}: {self.said(by)}" if self.field else self.said(by)

    @property
    def sentence(self) -> str:
        """The message, with what was sent as it was sent."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.line(str)


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


def _listed(named: list[str], count: int, by: Callable[[str], str]) -> str:
    """The named ones of so many faults as one message."""
    tail = [by(say("and {count} more", count=count - len(named)))] if len(named) < count else []
    return "; ".join([*map(shortened, named), *tail])


def _any_of(names: Sequence[str]) -> str:
    """Names as a choice: `a, b or c`."""
    *others, last = names
    return say("{others} or {last}", others=", ".join(others), last=last) if others else last


@dataclass(eq=True)
class InvalidInput(Refusal):
    """A value that is impossible by itself or contradicts another one."""

    code: ClassVar[str] = "INVALID"
    at: str
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason


KINDS = {
    "player": say("player"),
    "match": say("match"),
    "match or position": say("match or position"),
    "decided match": say("decided match"),
    "hand": say("hand"),
    "season": say("season"),
    "ruleset": say("ruleset"),
    "edition": say("edition"),
    "run": say("run"),
    "replay": say("replay"),
    "table": say("table"),
    "league": say("league"),
    "file": say("file"),
    "photo": say("photo"),
    "member": say("member"),
}
"""What can be missing or there already, as it is named in sentences."""

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
    listed_by: str = ""
    """The command that lists them."""

    @property
    def sentence(self) -> str:
        named = self.id if self.kind in NUMBERED else repr(self.id)
        kind = KINDS.get(self.kind, self.kind)
        missing = say("there is no {kind} {named}", kind=kind, named=named)
        if self.known and self.kind in NUMBERED:
            missing = say_count(
                "{missing}; the only one is {known}",
                "{missing}; there are {known}",
                len(self.known),
                missing=missing,
                known=", ".join(self.known),
            )
        elif self.known:
            missing = say("{missing}; {there_are}", missing=missing, there_are=there_are(self.id, self.known))
        if self.listed_by:
            return say("{missing}; `{command}` lists them", missing=missing, command=self.listed_by)
        return missing


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
        kind = KINDS.get(self.kind, self.kind)
        if self.difference:
            return say("{kind} {id!r} already exists: {difference}", kind=kind, id=self.id, difference=self.difference)
        return say("{kind} {id!r} already exists", kind=kind, id=self.id)


@dataclass(eq=True)
class InTheFuture(Refusal):
    """A time of play in the future."""

    code: ClassVar[str] = "IN_THE_FUTURE"
    at: str
    time: datetime
    now: datetime

    @property
    def sentence(self) -> str:
        now = self.now.isoformat(timespec="seconds")
        return say("{time} is in the future (now it is {now})", time=self.time.isoformat(), now=now)


@dataclass(eq=True)
class MatchOver(Refusal):
    """A match that has ended takes no further hands."""

    code: ClassVar[str] = "MATCH_OVER"
    match: str
    ended_at: datetime | None
    hand: int | None

    @property
    def sentence(self) -> str:
        if self.hand and self.ended_at:
            at = self.ended_at.isoformat()
            return say("match {match!r} ended by hand {hand} at {at}", match=self.match, hand=self.hand, at=at)
        if self.hand:
            return say("match {match!r} ended by hand {hand}", match=self.match, hand=self.hand)
        if self.ended_at:
            return say("match {match!r} ended at {at}", match=self.match, at=self.ended_at.isoformat())
        return say("match {match!r} ended", match=self.match)


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
        of = {"hand": self.hand, "match": self.match, "next_hand": self.next_hand}
        if 1 <= self.hand < self.next_hand:
            return say("hand {hand} of match {match!r} is recorded already; the next one is hand {next_hand}", **of)
        return say("hand {hand} of match {match!r} is not the next one; the next one is hand {next_hand}", **of)


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
        score = f"{self.a_wins}-{self.b_wins}"
        of = {"a": self.a, "b": self.b, "score": score, "month": self.month, "mode": self.mode}
        standing: Sentence = say("{a!r} and {b!r} stand at {score} in {month} ({mode})", **of)
        if self.open_matches:
            template = "{a!r} and {b!r} stand at {score} and {open} still open in {month} ({mode})"
            standing = say(template, open=self.open_matches, **of)
        at = {"standing": standing, "free_at": self.free_at.isoformat()}
        if self.locked and self.casual_counts:
            return say("{standing}: they can meet competitively again from {free_at}", **at)
        if self.locked:
            return say("{standing}: they can meet competitively again from {free_at}, and casually at once", **at)
        if self.casual_counts:
            return say(
                "{standing}: an open match has to be decided or voided first; they can meet competitively again from "
                "{free_at} at the latest",
                **at,
            )
        return say(
            "{standing}: an open match has to be decided or voided first; they can meet competitively again from "
            "{free_at} at the latest, and casually at once",
            **at,
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
        return say("{subject} is {state}: {reason}", subject=self.subject, state=self.state, reason=self.reason)


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
        return say(
            "the table {table} has rows: restore the backup into a new database or data folder", table=self.table
        )


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

    def said(self, by: Callable[[str], str]) -> str:
        """The first problems, and how many more there are."""
        first, *others = self.problems
        named = [by(first.reason), *(f"{problem.at}: {by(problem.reason)}" for problem in others[: MOST_NAMED - 1])]
        return _listed(named, len(self.problems), by)


@dataclass(eq=True)
class Conflict(Refusal):
    """Other writers changed the same stream at each attempt."""

    code: ClassVar[str] = "CONFLICT"
    stream: str

    @property
    def sentence(self) -> str:
        return say("{stream} was changed by another writer at the same moment; try again", stream=self.stream)


@dataclass(eq=True)
class KeyReused(Refusal):
    """An idempotency key that this actor has used before for another input."""

    code: ClassVar[str] = "KEY_REUSED"
    at: ClassVar[str] = "idempotencyKey"
    key: str

    @property
    def sentence(self) -> str:
        return say("the idempotency key {key!r} was used before with another input", key=self.key)


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
            return say(
                "this is about somebody else: a player may use {operation} only for themselves and in matches that "
                "they sit in; the role {roles} may use it for everybody",
                operation=self.operation,
                roles=roles,
            )
        others = [role for role in self.needs if role not in self.own]
        if not others:
            own = _any_of(self.own)
            return say(
                "{operation} needs the role {own} (for their own affairs only)", operation=self.operation, own=own
            )
        roles = _any_of(others)
        if not self.own:
            return say("{operation} needs the role {roles}", operation=self.operation, roles=roles)
        return say(
            "{operation} needs the role {own} (for their own affairs only) or {roles}",
            operation=self.operation,
            own=_any_of(self.own),
            roles=roles,
        )


@dataclass(eq=True)
class NotSignedIn(Forbidden):
    """An operation that needs a role, without a token."""

    code: ClassVar[str] = "UNAUTHENTICATED"

    @property
    def sentence(self) -> str:
        roles = _any_of(self.needs)
        return say(
            "sign in first: {operation} needs a token with the role {roles}", operation=self.operation, roles=roles
        )


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

    def said(self, by: Callable[[str], str]) -> str:
        """The first refusals, and how many more there are."""
        first, *others = self.refusals
        named = [first.said(by), *(other.line(by) for other in others[: MOST_NAMED - 1])]
        return _listed(named, len(self.refusals), by)


@dataclass(eq=True)
class BadLine:
    """A fault of a line of a recorded season. A line with several faults is several of these."""

    file: str
    line: int
    refusal: Refusal

    def said(self, by: Callable[[str], str]) -> str:
        """The place and the fault, as `by` says sentences."""
        return by(say("{file} line {line}: {fault}", file=self.file, line=self.line, fault=self.refusal.line(by)))

    def __str__(self) -> str:
        return self.said(str)


@dataclass(eq=True)
class SeasonRefused(Refusal):
    """A recorded season with bad lines. Nothing of it was stored."""

    code: ClassVar[str] = "SEASON_REFUSED"
    lines: tuple[BadLine, ...]
    """Every fault of every line."""

    def said(self, by: Callable[[str], str]) -> str:
        """The first fault, and how many more there are."""
        first, *others = self.lines
        if not others:
            return first.said(by)
        return by(
            say_count(
                "{first} (and {count} more fault)",
                "{first} (and {count} more faults)",
                len(others),
                first=first.said(by),
            )
        )


@dataclass(eq=True)
class BadCell:
    """A fault of a club's sheet: of a cell, of a row, or of a sheet as a whole."""

    sheet: str
    row: int | None
    """As a spreadsheet numbers it, from 1."""
    column: str | None
    """Its letters, such as `C`."""
    heading: str | None
    """Of the column."""
    refusal: Refusal

    @property
    def place(self) -> str:
        """The place in the sheet, such as `C7`, or only the row or the column that is known."""
        return f"{self.column or ''}{self.row or ''}"

    def said(self, by: Callable[[str], str]) -> str:
        """The place and the reason, in the language of `by`."""
        reason = self.refusal.said(by)
        place = f"{self.sheet} {self.place}".strip()
        if self.heading is None:
            return f"{place}: {reason}"
        return f"{place} ({self.heading}): {reason}"

    def __str__(self) -> str:
        return self.said(str)


@dataclass(eq=True)
class SheetRefused(Refusal):
    """A club's sheet with faults. Nothing of it was stored."""

    code: ClassVar[str] = "SHEET_REFUSED"
    cells: tuple[BadCell, ...]
    """The first faults, in the order of the sheet."""
    count: int = 1
    """All faults."""

    def said(self, by: Callable[[str], str]) -> str:
        """The first fault, and how many more there are."""
        first, more = self.cells[0].said(by), self.count - 1
        if not more:
            return first
        return by(say_count("{first} (and {count} more fault)", "{first} (and {count} more faults)", more, first=first))
