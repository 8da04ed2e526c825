"""Refusals as data: each way in which the league says no is a type of its own, with fields."""

from datetime import datetime
from enum import Enum
from typing import Any

import strawberry
from strawberry import field
from strawberry.types.field import StrawberryField

from league.api.auth.permissions import ROLES
from league.api.graphql.context import Info
from league.api.graphql.enums import SeriesMode, word
from league.domain import refusals
from league.domain.refusals import Refusal, shortened


@strawberry.enum(description="What kind of refusal it is. New kinds may be added.")
class ErrorCode(Enum):
    INVALID = word("INVALID", description="A value that is impossible, or contradicts another one.")
    NOT_FOUND = word("NOT_FOUND", description="Something that the league does not know.")
    ALREADY_EXISTS = word("ALREADY_EXISTS", description="An id that is taken by something else.")
    IN_THE_FUTURE = word("IN_THE_FUTURE", description="A time of play that has not come yet.")
    MATCH_OVER = word("MATCH_OVER", description="The match has ended.")
    SERIES_LOCKED = word("SERIES_LOCKED", description="The two have played all games of the month that count.")
    WRONG_STATE = word("WRONG_STATE", description="This cannot be done in the present state.")
    INVALID_RULEBOOK = word("INVALID_RULEBOOK", description="A rulebook with faults.")
    CONFLICT = word("CONFLICT", description="Others keep changing the same thing; try again.")
    KEY_REUSED = word("KEY_REUSED", description="An idempotency key that belongs to another input.")
    FORBIDDEN = word("FORBIDDEN", description="The token's roles do not allow it.")
    UNAUTHENTICATED = word("UNAUTHENTICATED", description="It needs a bearer token.")


@strawberry.enum(description="What a token allows; docs/api.md has the table of roles.")
class Role(Enum):
    PLAYER = word("player", description="Opens and records the matches that they sit in.")
    SCOREKEEPER = word("scorekeeper", description="Registers players and keeps all matches.")
    ADMIN = word("admin", description="May do everything.")
    AUDITOR = word("auditor", description="Sees who wrote what, and changes nothing.")


assert {role.value for role in Role} == set(ROLES)


@strawberry.interface(description="A refusal. Nothing of the mutation was stored.")
class UserError:
    code: ErrorCode = field(description="What kind of refusal it is.")
    message: str = field(description="One sentence for a person, in English.")
    field_: list[str] | None = field(
        name="field", description="The path of the offending value within `input`; null where no one field is to blame."
    )


@strawberry.type(description="A value that is impossible by itself or contradicts another one.")
class InvalidInputError(UserError):
    pass


@strawberry.type(description="A player, match, ruleset, edition or season that the league does not know.")
class NotFoundError(UserError):
    kind: str = field(description="What was looked for, such as `player`.")
    key: str = field(description="The id under which it was looked for.")


@strawberry.type(description="An id that is already taken by something else.")
class AlreadyExistsError(UserError):
    kind: str = field(description="What is there, such as `player`.")
    key: str = field(description="Its id.")


@strawberry.type(description="A time of play that has not come yet.")
class InTheFutureError(UserError):
    time: datetime = field(description="The time that was given.")
    now: datetime = field(description="What the server's clock says.")


@strawberry.type(description="A match that has ended takes no further hands.")
class MatchOverError(UserError):
    match: str = field(description="The id of the match in the league.")
    ended_at: datetime | None = field(description="When it ended; null when its end is only in its hands.")
    hand: int | None = field(description="The number of the hand that ended it, where one did.")


@strawberry.type(
    description="Two competitors who have played all games of the month that count, or may have once their open "
    "matches end: then one of those has to be decided or voided first. The same match may be opened as casual, unless "
    "casual matches count too."
)
class SeriesLockedError(UserError):
    a: str = field(description="The id in the league of the one with the lower id: a player or a pair.")
    b: str = field(description="The id of the other one.")
    mode: SeriesMode = field(description="In which mode they meet.")
    month: str = field(description="The month, such as `2026-03`.")
    a_wins: int = field(description="Games that `a` has won.")
    b_wins: int = field(description="Games that `b` has won.")
    open_matches: int = field(description="Their competitive matches that are open.")
    locked: bool = field(
        description="Whether all games that count are played; if not, only the open matches are in the way."
    )
    free_at: datetime = field(description="From then on, at the latest, they can meet competitively again.")


@strawberry.type(description="A match, a season or the league is not in a state in which this can be done.")
class WrongStateError(UserError):
    subject: str = field(description="What it is about.")
    state: str = field(description="The state in which it is.")
    reason: str = field(description="Why that is in the way, and what to do instead.")


@strawberry.type(description="One fault of a rulebook.")
class RulebookProblem:
    key: str = field(description="The dotted path of the key in the document.")
    reason: str = field(description="What is wrong with it.")


@strawberry.type(description="A rulebook with unknown keys, wrong types or impossible values.")
class InvalidRulebookError(UserError):
    problems: list[RulebookProblem] = field(description="Every fault that was found.")


@strawberry.type(description="Somebody else changed the same thing at the same moment, again and again.")
class ConflictError(UserError):
    stream: str = field(description="The stream of the log that was contended.")


@strawberry.type(description="An idempotency key that the same actor has used before for another input.")
class KeyReusedError(UserError):
    key: str = field(description="The key.")


@strawberry.type(description="The viewer has no token (`UNAUTHENTICATED`), or none of its roles allows this.")
class ForbiddenError(UserError):
    operation: str = field(description="The mutation.")
    needs: list[Role] = field(description="The roles that allow it; `PLAYER` only for one's own affairs.")


def graphql_name(name: str) -> str:
    """A name of the domain as the API spells it."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def _common(refusal: Refusal) -> dict[str, Any]:
    at = refusal.field
    path = None if at is None else [graphql_name(part) for part in at.split(".")]
    return {"code": ErrorCode(refusal.code), "message": refusal.message, "field_": path}


class OnInvalidInput(strawberry.ExceptionHandler[refusals.InvalidInput, InvalidInputError]):
    def handle(self, exception: refusals.InvalidInput, *, field: StrawberryField, info: Info) -> InvalidInputError:
        return InvalidInputError(**_common(exception))


class OnNotFound(strawberry.ExceptionHandler[refusals.NotFound, NotFoundError]):
    def handle(self, exception: refusals.NotFound, *, field: StrawberryField, info: Info) -> NotFoundError:
        return NotFoundError(**_common(exception), kind=exception.kind, key=shortened(exception.id))


class OnAlreadyExists(strawberry.ExceptionHandler[refusals.AlreadyExists, AlreadyExistsError]):
    def handle(self, exception: refusals.AlreadyExists, *, field: StrawberryField, info: Info) -> AlreadyExistsError:
        return AlreadyExistsError(**_common(exception), kind=exception.kind, key=shortened(exception.id))


class OnInTheFuture(strawberry.ExceptionHandler[refusals.InTheFuture, InTheFutureError]):
    def handle(self, exception: refusals.InTheFuture, *, field: StrawberryField, info: Info) -> InTheFutureError:
        return InTheFutureError(**_common(exception), time=exception.time, now=exception.now)


class OnMatchOver(strawberry.ExceptionHandler[refusals.MatchOver, MatchOverError]):
    def handle(self, exception: refusals.MatchOver, *, field: StrawberryField, info: Info) -> MatchOverError:
        over = exception
        return MatchOverError(**_common(over), match=over.match, ended_at=over.ended_at, hand=over.hand)


class OnSeriesLocked(strawberry.ExceptionHandler[refusals.SeriesLocked, SeriesLockedError]):
    def handle(self, exception: refusals.SeriesLocked, *, field: StrawberryField, info: Info) -> SeriesLockedError:
        locked = exception
        return SeriesLockedError(
            **_common(locked),
            a=locked.a,
            b=locked.b,
            mode=SeriesMode(locked.mode),
            month=locked.month,
            a_wins=locked.a_wins,
            b_wins=locked.b_wins,
            open_matches=locked.open_matches,
            locked=locked.locked,
            free_at=locked.free_at,
        )


class OnWrongState(strawberry.ExceptionHandler[refusals.WrongState, WrongStateError]):
    def handle(self, exception: refusals.WrongState, *, field: StrawberryField, info: Info) -> WrongStateError:
        wrong = exception
        return WrongStateError(**_common(wrong), subject=wrong.subject, state=wrong.state, reason=wrong.reason)


class OnInvalidRulebook(strawberry.ExceptionHandler[refusals.InvalidRulebook, InvalidRulebookError]):
    def handle(
        self, exception: refusals.InvalidRulebook, *, field: StrawberryField, info: Info
    ) -> InvalidRulebookError:
        problems = [RulebookProblem(key=problem.at, reason=problem.reason) for problem in exception.problems]
        # Its keys are those of the document; the input has one field for all of it.
        return InvalidRulebookError(**{**_common(exception), "field_": ["document"]}, problems=problems)


class OnConflict(strawberry.ExceptionHandler[refusals.Conflict, ConflictError]):
    def handle(self, exception: refusals.Conflict, *, field: StrawberryField, info: Info) -> ConflictError:
        return ConflictError(**_common(exception), stream=exception.stream)


class OnKeyReused(strawberry.ExceptionHandler[refusals.KeyReused, KeyReusedError]):
    def handle(self, exception: refusals.KeyReused, *, field: StrawberryField, info: Info) -> KeyReusedError:
        return KeyReusedError(**_common(exception), key=exception.key)


class OnForbidden(strawberry.ExceptionHandler[refusals.Forbidden, ForbiddenError]):
    def handle(self, exception: refusals.Forbidden, *, field: StrawberryField, info: Info) -> ForbiddenError:
        said = _common(exception)
        if info.context.viewer.sub is None:
            said["code"] = ErrorCode.UNAUTHENTICATED
        return ForbiddenError(**said, operation=exception.operation, needs=[Role(role) for role in exception.needs])


HANDLERS: list[strawberry.ExceptionHandler[Any, Any]] = [
    OnInvalidInput(),
    OnNotFound(),
    OnAlreadyExists(),
    OnInTheFuture(),
    OnMatchOver(),
    OnSeriesLocked(),
    OnWrongState(),
    OnInvalidRulebook(),
    OnConflict(),
    OnKeyReused(),
    OnForbidden(),
]
"""What turns a refusal into the type of its kind, in every field whose union has it."""
