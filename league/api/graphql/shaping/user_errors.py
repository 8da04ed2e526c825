"""Refusals as data: each kind of refusal is a GraphQL type with fields."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Self

import strawberry
from strawberry import field
from strawberry.schema.schema_converter import field_contains_type
from strawberry.types.field import StrawberryField

from league.api.auth.reach import ROLES, AccessPart
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, SeriesMode, word
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.loaders.matches import LoadedHand
from league.api.graphql.shaping.object_fields import HandRef, PlayerRef, ReplayRef, field_of
from league.api.graphql.shaping.shared_fields import event_field
from league.domain import candidates, collected_refusals, match_refusals, refusals
from league.domain.refusals import Refusal, shortened
from league.features import declared
from league.projections.queries.catalogue import ReplayRow
from league.projections.queries.players import PlayerRow
from league.wording.language import spoken
from league.wording.rulebook import fault_in_words

ERROR_CODES = {
    "INVALID": "A value that is impossible, or contradicts another value.",
    "NOTHING_REVISED": "A revision that changes no rule of any match of its period: change a setting, or the period.",
    "NOT_FOUND": "Something that the league does not know.",
    "ALREADY_EXISTS": "An id that is taken by something else.",
    "IN_THE_FUTURE": "A time of play that has not come yet.",
    "MATCH_OVER": "The match has ended.",
    "WRONG_HAND": "A hand whose number is not that of the next hand.",
    "SERIES_LOCKED": "The two have played all games of the month that count.",
    "WRONG_STATE": "This cannot be done in the present state, and no other request would help.",
    "NO_LEAGUE": "There is no league yet: an operator creates it with `league init`.",
    "MATCH_VOIDED": "The match was voided: show it as voided; play another match.",
    "MATCH_OPEN": "The match has not ended: try again when it is over.",
    "NOTHING_TO_REOPEN": "The match has not ended: read it again.",
    "MATCH_FORFEITED": "A side has given up the match: void it and open another match.",
    "ENDED_BY_HAND": "A hand has ended the match: correct that hand, instead of reopening the match.",
    "HANDS_RECORDED": "The match has hands, from which its result follows: end it with `endMatch`.",
    "NO_HAND_WON": "No hand of the match has been won: record its result, or void it.",
    "MATCH_BEGUN": "The match has hands, and a live table plays all of a match: record its hands, or open another.",
    "NOTHING_TO_CONFIRM": "The result is decided, and awaits no confirmation: read the match again.",
    "MONTH_NOT_OVER": "The month has not ended: close it when it is over.",
    "MONTH_CLOSED": "The month is closed: read it again; to close it anew, reopen it first.",
    "NOTHING_TO_CLOSE": "Every month that has ended is closed: read the months again.",
    "MONTH_OPEN": "The month is not closed, so there is nothing to reopen: read it again.",
    "MONTH_EMPTY": "The month has no competitive match: choose another month.",
    "BACKUP_RUNNING": "A backup is being written: try again when it is done.",
    "SEASON_CLOSED": "The season is closed: read it again.",
    "PLAYER_ERASED": "The player was erased: choose another player.",
    "ALREADY_MEMBER": "The person who asked for access is a member already: change the member instead.",
    "ALREADY_DECLINED": "An admin has declined the request: read the members again.",
    "NOT_A_MEMBER": "The person who asked for access has not been let in: grant the access first.",
    "LAST_ADMIN": "Nobody else is an admin: give another member the role first.",
    "ALREADY_IN_FORCE": "These rules are in force: read the timeline again.",
    "NOTHING_TO_ROLL_BACK": "No other rules were ever in force: none can come back.",
    "RULESET_IN_USE": "A recorded match would have no ruleset under the rules: compute the replay again.",
    "RUN_OFFICIAL": "The run is the official one: choose another replay.",
    "RUN_KEPT": "A rollback would need the run: drop it after the next adoption.",
    "RUN_OUTDATED": "The rules or the program have changed since the run was folded: compute the replay again.",
    "REPLAY_NOT_DONE": "The replay is waiting or running: try again when it is done.",
    "PREVIEW_OUTDATED": "What a promotion changes has changed since its preview: preview it again.",
    "REPLAY_FAILED": "The replay has failed or was cancelled: compute it again.",
    "REPLAY_DROPPED": "The run of the replay was removed: compute it again.",
    "NOT_A_CANDIDATE": "The replay revises no rules, or shows what was known at a moment: choose another.",
    "REPLAY_SHOWN": "Everybody may read the candidate already: withdraw it before it is shown anew or dropped.",
    "REPLAY_DRAFT": "The candidate is not shown, so there is nothing to withdraw: read it again.",
    "TOO_MANY_SHOWN": "Three candidates are shown: withdraw one of them first.",
    "REPLAY_OVER": "The replay is over, so there is nothing to cancel: read it again.",
    "INVALID_RULEBOOK": "A rulebook with faults.",
    "CONFLICT": "Other requests keep changing the same data; try again.",
    "CHANGED_SINCE": "Somebody has changed it since you read it: read it again.",
    "KEY_REUSED": "An idempotency key that belongs to another input.",
    "DID_NOT_PLAY": "The player did not play in the match.",
    "ALREADY_CONFIRMED": "The player has confirmed the result before.",
    "DISPUTE_IS_OPEN": "The match has an open dispute, which must be settled.",
    "NO_SUCH_DISPUTE": "The match has no open dispute of this number.",
    "NOT_YOUR_DISPUTE": "Another player opened the dispute.",
    "ALREADY_MERGED": "The player was merged into another player: name that player.",
    "MERGE_CIRCLE": "The player to keep was merged into the player to drop.",
    "PLAYED_TOGETHER": "Both sit in one match, so that they are two people.",
    "NOT_MERGED": "The one is not merged into the other.",
    "UNAUTHENTICATED": "There is no token: sign in.",
    "FORBIDDEN": "No role of the token allows it, or only for the player's own data.",
    **{code: description for part in declared(AccessPart) for code, description in part.error_codes.items()},
}
"""The kinds of refusals, by code."""

_ENUM: Any = Enum  # made of rows, which the type checker cannot follow
_CODES = _ENUM("UserErrorCode", {code: word(code, description=text) for code, text in ERROR_CODES.items()})
UserErrorCode: Any = strawberry.enum(
    _CODES, description="What kind of refusal the error of a mutation is. New kinds may be added."
)


@strawberry.enum(description="What a token allows; docs/api/permissions.md has the table of roles.")
class Role(Enum):
    PLAYER = word("player", "Opens and records the matches that they sit in.")
    SCOREKEEPER = word("scorekeeper", "Registers players and records all matches.")
    ADMIN = word("admin", "May do everything.")
    AUDITOR = word("auditor", "Sees who wrote what, and changes nothing.")


assert {role.value for role in Role} == set(ROLES)


def graphql_name(name: str) -> str:
    """A name of the domain in the API's spelling."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def common_fields(refusal: Refusal) -> dict[str, Any]:
    """The fields that every refusal has."""
    return {
        "code": UserErrorCode(refusal.code),
        "message": _sentence(refusal.said(spoken)),
        "field_": _path(refusal.field),
    }


def _path(at: str | None) -> list[str] | None:
    return None if at is None else [graphql_name(part) for part in at.split(".")]


def _sentence(text: str) -> str:
    """A clause as a sentence; a name at its beginning, such as `openMatch` or `cuban-150`, keeps its spelling."""
    first = text.partition(" ")[0]
    begins = text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
    return begins if begins.endswith((".", "!", "?")) else f"{begins}."


@strawberry.interface(description="A refusal. Nothing of the mutation was stored.")
class UserError(FromRow):
    code: Any = field(graphql_type=UserErrorCode, description="What kind of refusal it is.")
    message: str = field(description="One sentence for a person, in the language of the request.")
    field_: list[str] | None = field(
        name="field", description="The path of the offending value within `input`; null where no one field is to blame."
    )

    @classmethod
    def of(cls, refusal: Any) -> Self:  # each type takes the fields of its own refusal
        """A refusal as data: the fields of a type are those of its refusal, by name."""
        made = made_of(cls, refusal, **common_fields(refusal))
        for name, value in vars(made).items():
            if isinstance(value, str):
                setattr(made, name, spoken(value))
        return made


@strawberry.type(description="One fault of an input.")
class InputFault:
    field_: list[str] | None = field(
        name="field", description="The path of the offending value within `input`; null where no one field is to blame."
    )
    message: str = field(description="One sentence for a person, in the language of the request.")


@strawberry.type(description="Values that are impossible by themselves or contradict each other.")
class InvalidInputError(UserError):
    faults: list[InputFault] = field(
        description="Every fault that was found. The error's own `field` is that of the first fault; its `message` "
        "names all."
    )

    @classmethod
    def of(cls, refusal: refusals.InvalidInput | collected_refusals.Faults) -> Self:
        faults = [
            InputFault(field_=_path(one.field), message=_sentence(one.said(spoken)))
            for one in collected_refusals.Faults.of(refusal)
        ]
        return cls(**common_fields(refusal), faults=faults)


@strawberry.enum(description="What a refusal is about. New kinds may be added.")
class ResourceKind(Enum):
    _ignore_ = "kind said"
    for kind, said in refusals.KINDS.items():
        vars()[kind.upper()] = word(kind, f"{said[:1].upper()}{said[1:]}.")


@strawberry.type(description="A player, match, ruleset, edition or season that the league does not know.")
class NotFoundError(UserError):
    kind: ResourceKind = field(description="What was not found.")
    key: str = field(description="The id that was not found.")

    @classmethod
    def of(cls, refusal: refusals.NotFound) -> Self:
        return cls(**common_fields(refusal), kind=ResourceKind(refusal.kind), key=shortened(refusal.id))


@strawberry.type(description="An id that is already in use.")
class AlreadyExistsError(UserError):
    kind: ResourceKind = field(description="What uses it.")
    key: str = field(description="Its id.")

    @classmethod
    def of(cls, refusal: refusals.AlreadyExists) -> Self:
        return cls(**common_fields(refusal), kind=ResourceKind(refusal.kind), key=shortened(refusal.id))


@strawberry.type(description="A time of play that has not come yet.")
class InTheFutureError(UserError):
    time: datetime = field(description="The time in the request.")
    now: datetime = field(description="The time of the server's clock.")


@strawberry.type(description="A match that has ended takes no further hands.")
class MatchOverError(UserError):
    match: str = field(description="The id of the match in the league.")
    ended_at: datetime | None = field(description="When it ended; null when it ended by a hand.")
    hand: int | None = field(description="The number of the hand that ended it; null if no hand did.")


@strawberry.type(
    description="A hand that was sent with a number, and is not the next one of its match: someone has recorded that "
    "hand already, or one before it is missing."
)
class WrongHandError(UserError):
    match: str = field(description="The id of the match in the league.")
    hand: int = field(description="The number that was sent.")
    next_hand: int = field(description="The number of the next hand.")


@strawberry.type(
    description="Two competitors who have played all games of the month that count, or may have once their open "
    "matches end: then one of those has to be decided or voided first. The match may be opened as casual, unless "
    "casual matches count too."
)
class SeriesLockedError(UserError):
    a: str = field(description="The competitor with the lower id: the id in the league of a player or a pair.")
    b: str = field(description="The id of the other competitor.")
    mode: SeriesMode = field(description="The mode in which they meet.")
    month: str = field(description="The month, such as `2026-03`.")
    a_wins: int = field(description="Games that `a` has won.")
    b_wins: int = field(description="Games that `b` has won.")
    open_matches: int = field(description="Their competitive matches that are open.")
    locked: bool = field(
        description="Whether all games that count are played; if not, only the open matches prevent a further one."
    )
    free_at: datetime = field(description="From then on, at the latest, they can meet competitively again.")


@strawberry.type(description="A match, a season or the league is not in a state in which this can be done.")
class WrongStateError(UserError):
    subject: str = field(description="What it is about.")
    state: str = field(description="The current state.")
    reason: str = field(description="Why that state prevents it, and what to do instead.")


@strawberry.type(description="As many candidates as may be shown are shown already: withdraw one of them first.")
class TooManyShownError(UserError):
    numbers: strawberry.Private[tuple[int, ...]]

    @field_of(list[ReplayRef], "The candidates that are shown, by number.")
    async def shown(self, info: Info) -> list[ReplayRow]:
        rows = [await loaders.runs.replay(info, number) for number in self.numbers]
        return [row for row in rows if row is not None]

    @classmethod
    def of(cls, refusal: candidates.TooManyShown) -> Self:
        return cls(**common_fields(refusal), numbers=refusal.shown)


@strawberry.type(description="One fault of a rulebook.")
class RulebookProblem:
    key: str = field(description="The dotted path of the key in the document.")
    reason: str = field(description="What is wrong with it.")
    reason_in_words: str = field(
        description="The reason for a form: with the words of `inWords` in place of the names in the document."
    )

    @classmethod
    def of(cls, fault: collected_refusals.RulebookFault) -> Self:
        """A fault in the language of the request."""
        return cls(key=fault.at, reason=spoken(fault.reason), reason_in_words=fault_in_words(fault.reason))


@strawberry.type(description="A rulebook with unknown keys, wrong types or impossible values.")
class InvalidRulebookError(UserError):
    problems: list[RulebookProblem] = field(description="Every fault that was found.")

    @classmethod
    def of(cls, refusal: collected_refusals.InvalidRulebook) -> Self:
        problems = [RulebookProblem.of(one) for one in refusal.problems]
        return cls(**{**common_fields(refusal), "field_": [refusal.given_as]}, problems=problems)


@strawberry.type(description="Other requests kept changing the same data at the same time.")
class ConflictError(UserError):
    stream: str = field(description="The stream of the log that was contended.")


@strawberry.type(description="An idempotency key that the same actor has already used with another input.")
class KeyReusedError(UserError):
    key: str = field(description="The key.")


@strawberry.type(
    description="The request has no token (the code is then UNAUTHENTICATED), or none of its roles allows this."
)
class ForbiddenError(UserError):
    operation: str = field(
        description="The name of the mutation, as `Viewer.may` has it: a string, to compare it with the field that was "
        "sent."
    )
    needs: list[Role] = field(description="The roles that allow it; `PLAYER` only for the player's own data.")


@strawberry.type(
    description="Somebody has changed what this overwrites, after the `expectedPosition` of the input. What is stored "
    "now is in `hand` or `player`; if both are null, a query with `@readFrom(afterPosition:)` and this `position` "
    "reads it. To overwrite it all the same, send `position` as the new `expectedPosition`."
)
class ChangedSinceError(UserError, hand_number="hand"):
    expected_position: BigInt = field(description="The position in the request.")
    position: BigInt = field(description="The position of the event that changed it last.")
    changed_at: datetime = field(description="When that was recorded.")
    stream: strawberry.Private[str]
    hand_number: strawberry.Private[int | None]

    event = event_field("The event that changed it last; it tells auditors and admins who wrote it.", null=True)

    @field_of(HandRef | None, "The hand as it is stored now, where the mutation corrects one.")
    async def hand(self, info: Info) -> LoadedHand | None:
        match = self.stream.removeprefix("match:")
        return None if self.hand_number is None else await loaders.matches.hand(info, match, self.hand_number)

    @field_of(PlayerRef | None, "The player as stored now, where the mutation changes one.")
    async def player(self, info: Info) -> PlayerRow | None:
        kind, _, player = self.stream.partition(":")
        return await loaders.players.player(info, player) if kind == "player" else None


ErrorTypes = Mapping[type[Refusal], type[UserError]]
"""The GraphQL type of each refusal. Where a refusal is of several kinds, the first one counts."""

REFUSALS: ErrorTypes = {
    refusals.InvalidInput: InvalidInputError,
    collected_refusals.Faults: InvalidInputError,
    refusals.NotFound: NotFoundError,
    refusals.AlreadyExists: AlreadyExistsError,
    refusals.InTheFuture: InTheFutureError,
    match_refusals.MatchOver: MatchOverError,
    match_refusals.WrongHand: WrongHandError,
    match_refusals.SeriesLocked: SeriesLockedError,
    refusals.WrongState: WrongStateError,
    candidates.TooManyShown: TooManyShownError,
    collected_refusals.InvalidRulebook: InvalidRulebookError,
    refusals.Conflict: ConflictError,
    refusals.ChangedSince: ChangedSinceError,
    refusals.KeyReused: KeyReusedError,
    refusals.Forbidden: ForbiddenError,
}
"""The GraphQL type of each refusal of the core."""

IN_EVERY_UNION = (InvalidInputError, WrongStateError)
"""Each union with a refusal has one of these types, or both."""


class RefusalHandler:
    """Converts refusals to GraphQL types, in every field whose union has `error_type`.

    Strawberry compares each handler with each field when it builds the schema. With a handler for each refusal, this
    took a tenth of the start of a server.
    """

    exception_type = Refusal

    def __init__(self, error_type: type[UserError], errors: ErrorTypes) -> None:
        self.error_type, self.errors = error_type, errors

    def handle(self, exception: Refusal, *, field: StrawberryField, info: Info) -> UserError | None:
        """The refusal as data; None if the union of the field has no type for it."""
        for refusal, error in self.errors.items():
            if isinstance(exception, refusal) and field_contains_type(field, error):
                return error.of(exception)
        return None
