"""Middleware of every request: an id in the response and in the log, a line in the log, a limit for the body."""

import re
import time
from secrets import token_hex

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league.api.auth.web_sessions import LINK_PATH
from league.api.graphql.request_errors import ErrorCode
from league.api.server.refusal import Refusal
from league.api.server.upload_limits import UPLOADS
from league.wording.language import _

REQUEST_ID = "X-Request-ID"
LARGEST_BODY = 256 * 1024
"""Bytes: a transcript of a hand has 3 KB, a rulebook 10."""
CLIENT_LEFT = 499
"""What the log shows as the status of a request that was broken off before there was an answer."""

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


class BodyLimit:
    """Refuses bodies that are too large, before they are read where the header gives their length.

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
            error = {
                "message": _("A request has at most {most} bytes.", most=LARGEST_BODY),
                "extensions": {
                    "code": ErrorCode.TOO_LARGE.name,
                    "what": "bytes of body",
                    "has": has,
                    "most": LARGEST_BODY,
                },
            }
            # The rest of the body is not read, so the connection cannot serve another request.
            await Refusal(413, error, headers={"Connection": "close"})(scope, receive, send)
            return
        read = False

        async def replay() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self.app(scope, replay, send)
