"""Every way in which the league says no: types with fields, turned into text only at the edge."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(eq=True)
class Refusal(Exception):
    """A command that cannot be carried out. Nothing of it is stored."""

    code: ClassVar[str] = "REFUSED"

    @property
    def field(self) -> str | None:
        """The path of the offending input field, such as `leftover.2.0`; None where no one field is to blame."""
        return getattr(self, "at", None)

    @property
    def message(self) -> str:
        """One sentence for a person."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


@dataclass(eq=True)
class InvalidInput(Refusal):
    """A value that is impossible by itself or contradicts another one."""

    code: ClassVar[str] = "INVALID"
    at: str
    reason: str

    @property
    def message(self) -> str:
        return self.reason


@dataclass(eq=True)
class NotFound(Refusal):
    """A player, match, ruleset, edition or season that the league does not know."""

    code: ClassVar[str] = "NOT_FOUND"
    at: str
    kind: str
    id: str

    @property
    def message(self) -> str:
        return f"there is no {self.kind} {self.id!r}"


@dataclass(eq=True)
class AlreadyExists(Refusal):
    """An id or a number that is already taken by something else."""

    code: ClassVar[str] = "ALREADY_EXISTS"
    at: str
    kind: str
    id: str
    difference: str = ""

    @property
    def message(self) -> str:
        tail = f": {self.difference}" if self.difference else ""
        return f"{self.kind} {self.id!r} already exists{tail}"


@dataclass(eq=True)
class InTheFuture(Refusal):
    """A time of play that has not come yet."""

    code: ClassVar[str] = "IN_THE_FUTURE"
    at: str
    time: datetime
    now: datetime

    @property
    def message(self) -> str:
        return f"{self.time.isoformat()} lies in the future (it is {self.now.isoformat(timespec='seconds')})"


@dataclass(eq=True)
class MatchOver(Refusal):
    """A match that has ended takes no further hands."""

    code: ClassVar[str] = "MATCH_OVER"
    match: str
    ended_at: datetime | None
    hand: int | None

    @property
    def message(self) -> str:
        by = f" by hand {self.hand}" if self.hand else ""
        at = f" at {self.ended_at.isoformat()}" if self.ended_at else ""
        return f"match {self.match!r} ended{by}{at}"


@dataclass(eq=True)
class SeriesLocked(Refusal):
    """Two competitors who have played all games of the month that count, or may have once their open ones end."""

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
    """Whether all games that count are played; if not, only the open matches are in the way."""
    free_at: datetime
    """At the latest."""
    casual_counts: bool = False
    """Whether casual matches count too, so that the two cannot meet casually either."""

    @property
    def message(self) -> str:
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
    """A match, a season or a player that is not in a state in which this can be done."""

    code: ClassVar[str] = "WRONG_STATE"
    subject: str
    state: str
    reason: str

    @property
    def message(self) -> str:
        return f"{self.subject} is {self.state}: {self.reason}"


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
        rest = "".join(f"; {p.at}: {p.reason}" for p in others)
        return first.reason + rest


@dataclass(eq=True)
class Conflict(Refusal):
    """Somebody else changed the same stream at the same moment, again and again."""

    code: ClassVar[str] = "CONFLICT"
    stream: str

    @property
    def message(self) -> str:
        return f"{self.stream} was changed by somebody else at the same moment; try again"


@dataclass(eq=True)
class KeyReused(Refusal):
    """An idempotency key that this actor has used before for another input."""

    code: ClassVar[str] = "KEY_REUSED"
    at: ClassVar[str] = "idempotencyKey"
    key: str

    @property
    def message(self) -> str:
        return f"the idempotency key {self.key!r} was used before with another input"


@dataclass(eq=True)
class Forbidden(Refusal):
    """An actor whose role does not allow the operation."""

    code: ClassVar[str] = "FORBIDDEN"
    operation: str
    needs: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Of `needs`, the roles that allow it for one's own affairs only."""

    @property
    def message(self) -> str:
        roles = [f"{role} (for their own affairs only)" if role in self.own else role for role in self.needs]
        return f"{self.operation} needs the role {' or '.join(roles)}"


@dataclass(eq=True)
class BadLine:
    """A line of a recorded season that cannot be taken in."""

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

    @property
    def message(self) -> str:
        first, *others = self.lines
        return str(first) + (f" (and {len(others)} more bad lines)" if others else "")
