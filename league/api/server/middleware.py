"""Middleware of every request: its id and line in the log, its language, headers for browsers, a limit for its body."""

import re
import time
from secrets import token_hex

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league.api.auth.reach import AccessPart
from league.api.auth.web_sessions import LINK_PATH
from league.api.graphql.request_errors import ErrorCode
from league.api.server.endpoints import CLOSE, refused
from league.domain.sentences import Language, say
from league.features import declared
from league.wording.language import preferred, speaking

REQUEST_ID = "X-Request-ID"
LARGEST_BODY = 256 * 1024
"""Limit on the bytes of a body. A transcript of a hand has 3 KB, a rulebook 10 KB."""
CLIENT_LEFT = 499
"""Status in the log of a request whose client left before there was an answer."""

FORM = 64 * 1024
"""Limit on the bytes of a form beside its file: the fields, and the lines between the parts."""
LARGEST_SHEET = 5 * 1024 * 1024
LARGEST_LOGO = 2 * 1024 * 1024

UPLOADS = {
    "/sheets": LARGEST_SHEET,
    "/record/sheet": LARGEST_SHEET,  # the form of the console, which takes the same file with a cookie
    "/logo": LARGEST_LOGO,
    "/admin/look/logo": LARGEST_LOGO,
    **{path: most for part in declared(AccessPart) for path, most in part.uploads.items()},
}
"""Limit on the bytes of a file, by path. The body of such a request is read by its endpoint, as it arrives."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of each response that does not set its own: a page has a policy that lets its scripts run."""

_VALID_ID = re.compile(r"[A-Za-z0-9._:+/=-]{8,128}")

log = structlog.get_logger()


class RequestIds:
    """Accepts a valid X-Request-ID or makes one; every log line of the request carries it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request under its id."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id = given if _VALID_ID.fullmatch(given) else token_hex(16)
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), CLIENT_LEFT

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] in ("http.response.start", "websocket.accept"):
                status = message.get("status", 101)
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            except Exception:
                status = 500
                raise
            finally:
                milliseconds = round((time.perf_counter() - started) * 1000, 1)
                method, path = scope.get("method", "WEBSOCKET"), _for_log(scope["path"])
                log.info("request", method=method, path=path, status=status, milliseconds=milliseconds)


def _for_log(path: str) -> str:
    """A path without the secret of a link to sign in: with it, a reader of the log could sign in."""
    return f"{LINK_PATH}…" if path.startswith(LINK_PATH) else path


class SpokenLanguage:
    """Takes the language from `Accept-Language`, and names it in the response."""

    def __init__(self, app: ASGIApp, default: Language) -> None:
        self.app, self.default = app, default

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request in its language."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        chosen = preferred(Headers(scope=scope).get("accept-language", ""), self.default)

        async def send_with_language(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Language"] = chosen
            await send(message)

        with speaking(chosen):
            await self.app(scope, receive, send_with_language)


class SafeHeaders:
    """Adds to each response the `HEADERS` that it does not have."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def unexpected(_request: Request, _error: Exception) -> Response:
    """The answer to a request that failed; Starlette sends it past all middleware."""
    return PlainTextResponse("Internal Server Error", 500, headers=HEADERS)


class BodyLimit:
    """Refuses bodies that are too large, without reading them if the header gives their length.

    An endpoint that takes files reads the body itself, with a limit of its own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request with its whole body."""
        if scope["type"] != "http" or scope["path"] in UPLOADS:
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        body, more = bytearray(), not (declared.isdigit() and int(declared) > LARGEST_BODY)
        too_large = not more
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            too_large = len(body) > LARGEST_BODY
            more = message.get("more_body", False) and not too_large
        if too_large:
            has = int(declared) if declared.isdigit() else len(body)
            explained = say("A request has at most {most} bytes.", most=LARGEST_BODY)
            sizes = {"what": "bytes of body", "has": has, "most": LARGEST_BODY}
            await refused(413, explained, ErrorCode.TOO_LARGE, sizes, CLOSE)(scope, receive, send)
            return
        read = False

        async def replay() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self.app(scope, replay, send)
