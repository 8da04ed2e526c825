"""Errors of a request that are not data: each has a code, and its parameters, in `extensions`."""

from graphql import GraphQLError, Node

from league.api.graphql.error_codes import ErrorCode
from league.domain.sentences import say
from league.wording.language import _, spoken

UNEXPECTED = say("Something went wrong on the server. It has been logged under the request id.")
MOST_SHOWN = 2**53
"""The largest whole number that a JSON number holds exactly."""


class RequestError(GraphQLError):
    """A request that cannot be answered; `parameters` are the details."""

    code = ErrorCode.BAD_REQUEST

    def __init__(self, message: str, *nodes: Node, **parameters: object) -> None:
        super().__init__(spoken(message), list(nodes) or None, extensions={"code": self.code.name, **parameters})


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
    """What was known at a moment has not been folded, or its run is gone: start a replay."""

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
        super().__init__(_("Only the role {roles} may read this.", roles=roles), needs=[role.upper() for role in needs])


class NumberTooLong(RequestError):
    """A number that is too long or too large to be read; `argument` names the argument, or the variable with a `$`."""

    def __init__(self, argument: str, most: int, *nodes: Node) -> None:
        text = _(
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
        shown = str(has) if has <= MOST_SHOWN else _("far too many")
        text = _("The request has {has} {what}; {most} are allowed.", has=shown, what=_(what), most=most)
        super().__init__(text + spoken(hint), what=str(what), has=min(has, MOST_SHOWN), most=most)
