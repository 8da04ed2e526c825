"""The base of all refusals, and the refusals that any command can meet. Their text is for people.

Refusals about one subject are in its module, or in `match_refusals`, `wrong_states` and `collected_refusals`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import ClassVar, Literal, dataclass_transform, get_args

from league.domain.player_names import there_are
from league.domain.sentences import Sentence, either, in_zone, say, say_count, say_each


@dataclass_transform()
class Refusal(Exception):
    """A command that cannot be executed. Nothing of it is stored. Each subclass is a dataclass and may have a code."""

    code: ClassVar[str] = "REFUSED"
    zone: ClassVar[tzinfo] = UTC
    """The time zone of times in the message; `tell_times` sets it for one refusal."""
    says: ClassVar[str] = ""
    """The sentence, with the names of fields in braces. A subclass whose sentence varies overrides `sentence`."""

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        """Define a kind of refusal. Without a code it has the code of its parent."""
        dataclass(cls)
        if code is not None:
            cls.code = code

    @property
    def field(self) -> str | None:
        """The path of the offending input field, such as `leftover.2.0`; None if no single field is at fault."""
        return getattr(self, "at", None)

    @property
    def message(self) -> str:
        """One sentence for people, of bounded length whatever a client sent."""
        return self.said(str)

    def said(self, by: Callable[[str], str]) -> str:
        """The message, translated by `by`."""
        sentence = self.sentence
        return shortened(by(in_zone(sentence, self.zone) if isinstance(sentence, Sentence) else sentence))

    def tell_times(self, zone: tzinfo) -> None:
        """Say the times of the message in a time zone."""
        vars(self)["zone"] = zone

    def line(self, by: Callable[[str], str]) -> str:
        """The field that is at fault and the message, translated by `by`."""
        return f"{shortened(self.field)}: {self.said(by)}" if self.field else self.said(by)

    @property
    def sentence(self) -> str:
        """The message in English, unshortened."""
        return say(self.says, **vars(self))

    def __str__(self) -> str:
        return self.line(str)


LONGEST_MESSAGE = 600
"""Limit in characters. A message may contain an id or a path that a client sent, of any length."""


def shortened(text: str) -> str:
    """The text; if it is too long for a message, without its middle."""
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2
    return f"{text[:half]} … ({len(text) - 2 * half} characters left out) … {text[-half:]}"


class InvalidInput(Refusal, code="INVALID"):
    """A value that is impossible by itself or contradicts another value."""

    at: str
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason or super().sentence


class UnknownName(InvalidInput):
    """A name in a club's sheet that no player has."""

    name: str
    closest: tuple[tuple[str, str], ...] = ()
    """The id and the name of each player with a close name, the closest first."""


ResourceKind = Literal[
    "player", "match", "hand", "season", "ruleset", "edition", "run", "replay", "badge", "table", "league", "file",
    "photo", "picture", "member", "tournament", "round", "drawing", "competitor", "adoption",
]  # fmt: skip

KINDS: Mapping[str, str] = say_each(
    "player", "match", "hand", "season", "ruleset", "edition", "run", "replay", "badge", "table", "league", "file",
    "photo", "picture", "member", "tournament", "round", "drawing", "competitor", "adoption",
)  # fmt: skip
"""The word for each kind of thing that can be missing or exist already. The API makes an enum of the kinds."""

assert set(KINDS) == set(get_args(ResourceKind))

NUMBERED: frozenset[ResourceKind] = frozenset({"hand", "edition", "run", "replay", "round", "adoption"})
"""Kinds whose ids are numbers."""


class NotFound(Refusal, code="NOT_FOUND"):
    """A player, match, ruleset or other thing that the league does not have."""

    at: str
    kind: ResourceKind
    id: str

    known: tuple[str, ...] = ()
    """The existing ids, if they are few."""
    listed_by: str = ""
    """The command that lists them."""
    called: str = ""
    """The word for it in the sentence, if it is more specific than the kind."""

    @property
    def sentence(self) -> str:
        named = self.id if self.kind in NUMBERED else repr(self.id)
        kind = self.called or KINDS[self.kind]
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


class UnknownPlayer(NotFound):
    """A text that is neither the id nor the name of a player."""

    kind: ResourceKind = "player"
    id: str = ""
    closest: tuple[str, ...] = ()
    """Players with a similar name, each with the id."""

    @property
    def sentence(self) -> str:
        if not self.closest:
            return say("there is no player {name!r}", name=self.id)
        closest = "; ".join(self.closest)
        return say("there is no player {name}; close to it: {closest}", name=repr(self.id), closest=closest)


class AlreadyExists(Refusal, code="ALREADY_EXISTS"):
    """An id or a number that is already in use."""

    at: str
    kind: ResourceKind
    id: str
    difference: str = ""

    @property
    def sentence(self) -> str:
        kind = KINDS[self.kind]
        if self.difference:
            return say("{kind} {id!r} already exists: {difference}", kind=kind, id=self.id, difference=self.difference)
        return say("{kind} {id!r} already exists", kind=kind, id=self.id)


class InTheFuture(Refusal, code="IN_THE_FUTURE"):
    """A time of play in the future."""

    at: str
    time: datetime
    now: datetime

    @property
    def sentence(self) -> str:
        now = self.now.replace(second=0, microsecond=0)
        return say("{time} is in the future (now it is {now})", time=self.time, now=now)


class WrongState(Refusal, code="WRONG_STATE"):
    """The state of a match, a season or a player does not allow the command."""

    says: ClassVar[str] = say("{subject} is {state}: {reason}")
    subject: str
    state: str
    reason: str
    at: str | None = None


class NoLeague(Refusal, code="NO_LEAGUE"):
    """There is no league in the place that the settings name."""

    says: ClassVar[str] = say(
        "there is no league in {place}. `league init` or `league import` creates one there; LEAGUE_DATA_DIR or "
        "LEAGUE_DATABASE_URL names another place"
    )
    place: str


class DatabaseNotEmpty(Refusal, code="NOT_EMPTY"):
    """A backup is restored only into a database without a league."""

    says: ClassVar[str] = say("the table {table} has rows: restore the backup into a new database or data folder")
    table: str
    """The first table that has rows."""


class Conflict(Refusal, code="CONFLICT"):
    """Other writers changed the same stream during each attempt."""

    says: ClassVar[str] = say("{stream} was changed by another writer at the same moment; try again")
    stream: str


class ChangedSince(Refusal, code="CHANGED_SINCE"):
    """Somebody changed the data that a command overwrites after its sender had read it."""

    at: ClassVar[str] = "expected_position"
    says: ClassVar[str] = say(
        "somebody has changed {what} since you read it, so yours is not stored; look at what is stored now before "
        "you send it again"
    )
    stream: str
    what: str
    """The changed data, in words."""
    expected_position: int
    """The position of the log up to which the sender knew it."""
    position: int
    """The position of the last event that changed it."""
    changed_at: datetime
    hand: int | None = None
    """The number of the hand, if a hand was changed; otherwise None."""


class KeyReused(Refusal, code="KEY_REUSED"):
    """An idempotency key that this actor has used before with another input."""

    at: ClassVar[str] = "idempotencyKey"
    says: ClassVar[str] = say("the idempotency key {key!r} was used before with another input")
    key: str


class Forbidden(Refusal, code="FORBIDDEN"):
    """An actor whose roles do not allow the operation."""

    operation: str
    needs: tuple[str, ...]
    """The roles that allow it."""
    own: tuple[str, ...] = ()
    """The roles in `needs` that allow it only for the actor's own affairs."""
    of_others: bool = False
    """Whether the actor has a role in `own`, but this is about somebody else."""
    at: str | None = None

    @property
    def sentence(self) -> str:
        others = [role for role in self.needs if role not in self.own]
        of = {
            "operation": self.operation,
            "roles": either(others) if others else "",
            "own": either(self.own) if self.own else "",
        }
        if self.of_others and not others:
            return say("this is about somebody else: {operation} is for oneself only", **of)
        if self.of_others:
            return say(
                "this is about somebody else: a player may use {operation} only for themselves and in matches that "
                "they sit in; the role {roles} may use it for everybody",
                **of,
            )
        if not others:
            return say("{operation} needs the role {own} (for their own affairs only)", **of)
        if not self.own:
            return say("{operation} needs the role {roles}", **of)
        return say("{operation} needs the role {own} (for their own affairs only) or {roles}", **of)


class NotSignedIn(Forbidden, code="UNAUTHENTICATED"):
    """An operation that needs a role, without a token."""

    @property
    def sentence(self) -> str:
        roles = either(self.needs)
        return say(
            "sign in first: {operation} needs a token with the role {roles}", operation=self.operation, roles=roles
        )
