"""Errors that are not data of a mutation. Each has parameters, and a code that says what a client should do."""

from enum import Enum

import strawberry
from graphql import GraphQLError, Node

from league.api.graphql.leaf_types import word
from league.domain.sentences import joined, say


@strawberry.enum(
    description="The code in `extensions.code` of each error in `errors`. New codes may be added. (The errors of "
    "mutations are data, and have a `UserErrorCode`.)"
)
class ErrorCode(Enum):
    GRAPHQL_PARSE_FAILED = word("GRAPHQL_PARSE_FAILED", "The document is not GraphQL. Correct it.")
    GRAPHQL_VALIDATION_FAILED = word(
        "GRAPHQL_VALIDATION_FAILED", "The document or its variables do not fit the schema. Correct them."
    )
    BAD_REQUEST = word(
        "BAD_REQUEST",
        "The request is not a JSON object of the right types, does not say which operation to execute, or "
        "has an impossible argument, which `extensions.argument` names. Correct it.",
    )
    PERSISTED_QUERY_NOT_FOUND = word(
        "PERSISTED_QUERY_NOT_FOUND", "The server knows no document by this hash. Send the document with its hash."
    )
    PERSISTED_QUERY_MISMATCH = word(
        "PERSISTED_QUERY_MISMATCH", "The hash is not the SHA-256 of the document beside it. Correct it."
    )
    DOCUMENT_NOT_LISTED = word(
        "DOCUMENT_NOT_LISTED",
        "Without a token this league answers only the documents that it lists. Send a listed document, or a token.",
    )
    UNKNOWN_ID = word(
        "UNKNOWN_ID",
        "An argument has an id or a ruleset that the league does not know; `extensions.argument` names it. Correct it.",
    )
    EXCESSIVE_PAGINATION = word(
        "EXCESSIVE_PAGINATION", "A page is larger than `extensions.most` rows. Ask for smaller pages."
    )
    INVALID_CURSOR = word("INVALID_CURSOR", "The list did not issue this cursor. Begin with its first page.")
    TOO_COMPLEX = word(
        "TOO_COMPLEX",
        "The operation exceeds a limit. `extensions` tells `what` there is too much of, how many it `has`, "
        "and the `most` that are allowed. Ask for less at a time.",
    )
    TOO_LARGE = word("TOO_LARGE", "The body of the request has more bytes than `extensions.most`. Send less at a time.")
    RATE_LIMITED = word(
        "RATE_LIMITED", "You have spent your points of this minute. Try again after `extensions.retryAfter` seconds."
    )
    UNAUTHENTICATED = word(
        "UNAUTHENTICATED", "There is no token, or it is invalid, expired or revoked. Get a new token and try again."
    )
    FORBIDDEN = word(
        "FORBIDDEN",
        "No role of the token allows this; `extensions.needs` names the roles that do. Ask with another token.",
    )
    NOT_YET_PROJECTED = word(
        "NOT_YET_PROJECTED",
        "The read side did not reach the `afterPosition` of `@readFrom` in time. The change is stored: try "
        "the query again.",
    )
    NOT_FOLDED = word(
        "NOT_FOLDED",
        "The league as known at that moment has not been computed. Start a replay with `startReplay`, or "
        "wait for the one whose number is `extensions.replay`.",
    )
    RESYNC = word(
        "RESYNC",
        "The subscription cannot go on from that position; `extensions.reason` is `RECOMPUTED` (all "
        "matches have been computed again, as under other rules), `BEYOND_HEAD` or `TOO_FAR_BACK`. Read again what you "
        "show, and subscribe anew without `after`.",
    )
    UNAVAILABLE = word(
        "UNAVAILABLE",
        "The database does not answer: `extensions.reason` is `UNREACHABLE`, `MISSING`, `NO_CONNECTIONS`, "
        "`LOCKED`, `SLOW` or `FULL`, or `REFUSED` if something in it other than the league refuses events. Try again "
        "later, a mutation with the same idempotency key. For a mutation, `extensions.stored` is `NO` if this attempt "
        "stored nothing, `YES` if only its answer could not be read, `UNKNOWN` if the connection was lost at its end. "
        "For an upload, `BUSY` says that too many files wait: send it again after `extensions.retryAfter` seconds.",
    )
    INTERNAL = word(
        "INTERNAL",
        "A fault of the server. Report `extensions.requestId`, under which the server has logged it. A "
        "mutation may have been stored: try it again with the same idempotency key.",
    )


UNEXPECTED = say("Something went wrong on the server. It has been logged under the request id.")
MOST_SHOWN = 2**53
"""The largest whole number that a JSON number holds exactly."""


class RequestError(GraphQLError):
    """A request that cannot be answered; `parameters` are the details. Its message is spoken with the answer."""

    code = ErrorCode.BAD_REQUEST

    def __init__(self, message: str, *nodes: Node, **parameters: object) -> None:
        super().__init__(message, list(nodes) or None, extensions={"code": self.code.name, **parameters})


class ExcessivePagination(RequestError):
    """A page that is too large."""

    code = ErrorCode.EXCESSIVE_PAGINATION


class InvalidCursor(RequestError):
    """A cursor that this connection did not issue."""

    code = ErrorCode.INVALID_CURSOR


class UnknownId(RequestError):
    """An id of a player, a pair or a season, or the name of a ruleset, in an argument that the league does not know."""

    code = ErrorCode.UNKNOWN_ID


class NotYetProjected(RequestError):
    """The read side did not reach the position in time; the change is stored, so retry."""

    code = ErrorCode.NOT_YET_PROJECTED


class NotFolded(RequestError):
    """The league as known at a moment has not been folded, or its run is gone: start a replay."""

    code = ErrorCode.NOT_FOLDED


class Resync(RequestError):
    """A subscription that cannot go on from a position; `reason`: `RECOMPUTED`, `BEYOND_HEAD` or `TOO_FAR_BACK`."""

    code = ErrorCode.RESYNC


class Unauthenticated(RequestError):
    """A bearer token that is not accepted."""

    code = ErrorCode.UNAUTHENTICATED


class NotAllowed(RequestError):
    """Only certain roles may read this; without a token the code is UNAUTHENTICATED."""

    def __init__(self, sub: str | None, *, needs: list[str]) -> None:
        self.code = ErrorCode.UNAUTHENTICATED if sub is None else ErrorCode.FORBIDDEN
        roles = " or ".join(needs)
        super().__init__(
            say("Only the role {roles} may read this.", roles=roles), needs=[role.upper() for role in needs]
        )


class NumberTooLong(RequestError):
    """A number that is too long or too large to be read; `argument` names the argument, or the variable with a `$`."""

    def __init__(self, argument: str, most: int, *nodes: Node) -> None:
        text = say(
            "`{argument}`: this number is too long. A number has at most {most} digits, and is less than 1.8e308.",
            argument=argument,
            most=most,
        )
        super().__init__(text, *nodes, argument=argument, most=most)


class TooComplex(RequestError):
    """A request that has more of something than is allowed; nothing of it was executed."""

    code = ErrorCode.TOO_COMPLEX

    def __init__(self, what: str, has: int, most: int, hint: str = "") -> None:
        # A cost can have more digits than JSON numbers hold.
        shown = str(has) if has <= MOST_SHOWN else say("far too many")
        text = say("The request has {has} {what}; {most} are allowed.", has=shown, what=say(what), most=most)
        super().__init__(joined("", (text, hint)), what=str(what), has=min(has, MOST_SHOWN), most=most)
