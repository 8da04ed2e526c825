"""Files that are sent as a form: one file and some fields, read up to a limit as they arrive."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

from msgspec import Struct
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from league.api.graphql.executing.context import Context
from league.api.graphql.request_errors import ErrorCode
from league.api.graphql.shaping.mutations import check_key, check_text
from league.api.server.endpoints import CLOSE, NewContext, answer_with_token, refused
from league.api.server.middleware import FORM, UPLOADS
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.infra.decoders import ClientLeft, Decoders, WaitingFile

POINTS = 500
"""Points of an upload: a client may send 120 files a minute."""
MOST_FIELDS = 20
LONGEST_FIELD = 4096
"""Limit on the bytes of a field."""
FILE = "file"
"""The name of the part that is the file."""
KEY = "idempotencyKey"


class UploadedForm(Struct, frozen=True):
    """A form with its file."""

    fields: dict[str, str]
    """All other fields by name, without empty ones."""
    file_name: str
    """As the client calls it: for messages only."""
    content: bytes
    key: str | None
    """The idempotency key."""
    place: WaitingFile
    """Where it waits to be decoded."""


class FileTooLarge(Exception):
    """A form whose file, or whose whole body, has more bytes than are allowed."""

    def __init__(self, has: int, most: int) -> None:
        super().__init__(f"A file has at most {most} bytes.")
        self.has, self.most = has, most


class WholeFormParser(MultiPartParser):
    """Refuses a form that is cut off. Starlette's own parser takes it for a shorter one."""

    is_whole = False

    def on_end(self) -> None:
        """The last line of the form has come."""
        self.is_whole = True

    async def parse(self) -> FormData:
        """The form. Raises MultiPartException also for one that is cut off."""
        form = await super().parse()
        if not self.is_whole:
            for file in self._files_to_close_on_error:
                file.close()
            raise MultiPartException("The form is cut off.")
        return form


def check_charset(request: Request) -> None:
    """Raises MultiPartException for a form whose header names another charset than UTF-8, which browsers never do.

    Python has some that fail, and some that make halves of characters, which nothing can store or show.
    """
    _type, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() != b"utf-8":
        raise MultiPartException("Send the form in UTF-8.")


Take = Callable[[Context, UploadedForm], Awaitable[Response]]


class UploadEndpoint:
    """Takes files from the bearers of tokens that allow an operation."""

    def __init__(self, new_context: NewContext, path: str, operation: str, take: Take, *, own: bool = False) -> None:
        """`operation`: whose permission is needed. `take` may raise a refusal of the domain.

        `own`: a permission for the bearer's own affairs is enough, and `take` checks whose they are.
        """
        self._new_context, self._take = new_context, take
        self._operation, self._own, self._most = operation, own, UPLOADS[path]

    async def answer(self, request: Request) -> Response:
        """The response to an upload; errors have the shape and the codes of GraphQL errors."""
        return await answer_with_token(request, self._new_context, POINTS, self._read_and_take)

    async def _read_and_take(self, request: Request, context: Context) -> Response:
        # Before the body is read: without the permission no byte of a file is taken.
        context.viewer.require(self._operation, own=self._own)
        try:
            async with received(request, context.decoders, context.viewer.sub, self._most) as upload:
                return await self._take(context, upload)
        except FileTooLarge as error:
            sizes = {"what": "bytes of file", "has": error.has, "most": error.most}
            return refused(413, str(error), ErrorCode.TOO_LARGE, sizes, CLOSE)
        except MultiPartException as error:
            return refused(400, error.message, ErrorCode.BAD_REQUEST, headers=CLOSE)
        except (ClientDisconnect, ClientLeft):
            return refused(400, "The client has left.", ErrorCode.BAD_REQUEST, headers=CLOSE)


@asynccontextmanager
async def received(
    request: Request,
    decoders: Decoders,
    sender: str | None,
    most: int,
    most_fields: int = MOST_FIELDS,
    longest_field: int = LONGEST_FIELD,
) -> AsyncIterator[UploadedForm]:
    """The form of a request. Its file has at most `most` bytes, and a place among the files that wait to be decoded.

    Raises FileTooLarge as soon as too much has arrived, MultiPartException for another body, InvalidInput, and
    DecodersBusy where too many files wait, also before the body is read.
    """
    declared = request.headers.get("content-length", "0")
    length = int(declared) if declared.isdigit() else 0
    if length > most + FORM:
        raise FileTooLarge(length, most)
    decoders.check_room(length)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise MultiPartException("Send a form: multipart/form-data.")
    check_charset(request)
    bounded = _bounded(request.stream(), most)
    parser = WholeFormParser(request.headers, bounded, max_files=1, max_fields=most_fields, max_part_size=longest_field)
    form = await parser.parse()
    try:
        fields, file = _parts_of(form.multi_items())
        size = file.size or 0
        if size > most:
            raise FileTooLarge(size, most)
        key = fields.pop(KEY, None)
        check_key(key)
        with decoders.admit(sender, size, partial(_client_leaves, request)) as place:
            # Read only now: until here a large file is on disk, not in memory.
            upload = UploadedForm(fields, file.filename or "", await file.read(), key, place)
            await form.close()
            yield upload
    finally:
        await form.close()


async def _client_leaves(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _parts_of(items: list[tuple[str, UploadFile | str]]) -> tuple[dict[str, str], UploadFile]:
    """The fields that are filled in, and the file. Raises InvalidInput."""
    fields: dict[str, str] = {}
    file: UploadFile | None = None
    for name, value in items:
        if isinstance(value, UploadFile):
            if name != FILE:
                raise InvalidInput(name[:LONGEST_FIELD], say("the file belongs into the field `{field}`", field=FILE))
            file = value
        elif name in fields:
            raise InvalidInput(name, say("the form has this field twice"))
        elif value:
            check_text(name, value)
            fields[name] = value
    if file is None:
        raise InvalidInput(FILE, say("the form has no file in the field `{field}`", field=FILE))
    return fields, file


async def _bounded(stream: AsyncGenerator[bytes, None], most: int) -> AsyncGenerator[bytes, None]:
    """The stream, up to the limit."""
    has = 0
    async for chunk in stream:
        has += len(chunk)
        if has > most + FORM:
            raise FileTooLarge(has, most)
        yield chunk
