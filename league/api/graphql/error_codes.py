"""The codes of errors that are no data of a mutation: what happened, and what a client should do."""

from enum import Enum

import strawberry

from league.api.graphql.enums import word


@strawberry.enum(
    description="The code in `extensions.code` of each error in `errors`. New codes may be added. (The errors of "
    "mutations are data, and have a `UserErrorCode`.)"
)
class ErrorCode(Enum):
    GRAPHQL_PARSE_FAILED = word("GRAPHQL_PARSE_FAILED", description="The document is not GraphQL. Correct it.")
    GRAPHQL_VALIDATION_FAILED = word(
        "GRAPHQL_VALIDATION_FAILED", description="The document or its variables do not fit the schema. Correct them."
    )
    BAD_REQUEST = word(
        "BAD_REQUEST",
        description="The request is not a JSON object of the right types, does not say which operation to execute, or "
        "has an impossible argument, which `extensions.argument` names. Correct it.",
    )
    PERSISTED_QUERY_NOT_FOUND = word(
        "PERSISTED_QUERY_NOT_FOUND",
        description="The server knows no document by this hash. Send the document with its hash.",
    )
    PERSISTED_QUERY_MISMATCH = word(
        "PERSISTED_QUERY_MISMATCH",
        description="The hash is not the SHA-256 of the document beside it. Correct it.",
    )
    DOCUMENT_NOT_LISTED = word(
        "DOCUMENT_NOT_LISTED",
        description="Without a token this league answers only the documents that it lists. Send a listed document, or "
        "a token.",
    )
    UNKNOWN_ID = word(
        "UNKNOWN_ID",
        description="An argument has an id or a ruleset that the league does not know; `extensions.argument` names it. "
        "Correct it.",
    )
    EXCESSIVE_PAGINATION = word(
        "EXCESSIVE_PAGINATION",
        description="A page is larger than `extensions.most` rows. Ask for smaller pages.",
    )
    INVALID_CURSOR = word(
        "INVALID_CURSOR", description="The list did not issue this cursor. Begin with its first page."
    )
    TOO_COMPLEX = word(
        "TOO_COMPLEX",
        description="The operation exceeds a limit. `extensions` tells `what` there is too much of, how many it `has`, "
        "and the `most` that are allowed. Ask for less at a time.",
    )
    TOO_LARGE = word(
        "TOO_LARGE", description="The body of the request has more bytes than `extensions.most`. Send less at a time."
    )
    RATE_LIMITED = word(
        "RATE_LIMITED",
        description="You have spent your points of this minute. Try again after `extensions.retryAfter` seconds.",
    )
    UNAUTHENTICATED = word(
        "UNAUTHENTICATED",
        description="There is no token, or it is invalid, expired or revoked. Get a new token and try again.",
    )
    FORBIDDEN = word(
        "FORBIDDEN",
        description="No role of the token allows this; `extensions.needs` names the roles that do. Ask with another "
        "token.",
    )
    NOT_YET_PROJECTED = word(
        "NOT_YET_PROJECTED",
        description="The read side did not reach the `afterPosition` of `@readFrom` in time. The change is stored: try "
        "the query again.",
    )
    NOT_FOLDED = word(
        "NOT_FOLDED",
        description="The league as known at that moment has not been computed. Start a replay with `startReplay`, or "
        "wait for the one whose number is `extensions.replay`.",
    )
    RESYNC = word(
        "RESYNC",
        description="The subscription cannot go on from that position; `extensions.reason` is `RECOMPUTED` (all "
        "matches have been computed again, as under other rules), `BEYOND_HEAD` or `TOO_FAR_BACK`. Read again what you "
        "show, and subscribe anew without `after`.",
    )
    UNAVAILABLE = word(
        "UNAVAILABLE",
        description="The database does not answer: `extensions.reason` is `UNREACHABLE`, `MISSING`, `NO_CONNECTIONS`, "
        "`LOCKED`, `SLOW` or `FULL`, or `REFUSED` if something else than the league in it refuses events. Try again "
        "later, a mutation with the same idempotency key. Of a mutation, `extensions.stored` is `NO` if this attempt "
        "stored nothing, `YES` if only its answer could not be read, `UNKNOWN` if the connection was lost at its end. "
        "For an upload, `BUSY` says that too many files wait: send it again after `extensions.retryAfter` seconds.",
    )
    INTERNAL = word(
        "INTERNAL",
        description="A fault of the server. Report `extensions.requestId`, under which the server has logged it. A "
        "mutation may have been stored: try it again with the same idempotency key.",
    )
