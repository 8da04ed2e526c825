"""Files that a form of the console sends: with the cookie, else as `POST /sheets` and `POST /photos` take them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request

from league.api.graphql.executing.context import Context
from league.api.server.middleware import UPLOADS
from league.api.server.uploads import LONGEST_FIELD, MOST_FIELDS, POINTS, FileTooLarge, Upload, received
from league.console.asking import NoPage
from league.console.pages import Console
from league.console.posts import check_origin, own_path
from league.console.visitors import Visitor
from league.domain.refusals import InvalidInput
from league.infra.decoders import RETRY_AFTER, ClientLeft, DecodersBusy
from league.wording.language import _, counted, spoken


@asynccontextmanager
async def uploaded(
    console: Console,
    request: Request,
    visitor: Visitor,
    operation: str,
    most_fields: int = MOST_FIELDS,
    longest_field: int = LONGEST_FIELD,
    *,
    own: bool = False,
) -> AsyncIterator[tuple[Context, Upload]]:
    """The form of a request, and the context of its sender. Raises NoPage, before any byte of the file is read.

    So does what takes the file where it is refused because others wait, or because the sender has left. The refusal
    leads back to the form: to `back` of its address, else to the page of that address. No field says it, since a file
    that is too large is refused before any is read.

    `own`: a permission for the sender's own affairs is enough, and what takes the file checks whose they are.
    """
    try:
        async with _uploaded(console, request, visitor, operation, most_fields, longest_field, own=own) as found:
            yield found
    except NoPage as error:
        error.form = own_path(request.query_params.get("back", request.url.path))
        raise


@asynccontextmanager
async def _uploaded(
    console: Console,
    request: Request,
    visitor: Visitor,
    operation: str,
    most_fields: int,
    longest_field: int,
    *,
    own: bool,
) -> AsyncIterator[tuple[Context, Upload]]:
    check_origin(request, console.public_url)
    if not visitor.is_signed_in:
        raise NoPage(401, _("You are no longer signed in. Sign in on another page, then send this again."))
    if not (visitor.may_own(operation) if own else visitor.may(operation)):
        raise NoPage(403, _("Your role does not allow this."))
    context = console.asking.context(request, visitor)
    if context.client is not None:
        context.rate_limits.spend(context.client, POINTS)
    try:
        async with received(
            request, context.decoders, context.viewer.sub, UPLOADS[request.url.path], most_fields, longest_field
        ) as upload:
            yield context, upload
    except DecodersBusy as busy:
        raise NoPage(503, spoken(busy.args[0]), retry_after=RETRY_AFTER) from None
    except FileTooLarge as error:
        megabytes = error.most // (1024 * 1024)
        raise NoPage(
            413, counted("A file has at most {count} MB.", "A file has at most {count} MB.", megabytes)
        ) from None
    except InvalidInput as refused:
        raise NoPage(422, refused.said(spoken)) from None
    except (MultiPartException, ClientDisconnect, ClientLeft):
        raise NoPage(400, _("The file has not arrived whole. Send it again.")) from None
