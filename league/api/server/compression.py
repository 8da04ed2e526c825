"""Compresses answers, where nobody can learn a secret from their length.

Another site may let the browser of somebody who is signed in ask for a page, with guesses in its address. If it could
see how short the compressed answers are, it would learn the secrets of the page letter by letter (the attack BREACH).
So the answer to a request with a cookie is compressed only if no other site has caused the request. Public answers have
no secrets. See docs/decisions/compressed-answers.md.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette_compress import CompressMiddleware

from league.api.server.caching_headers import add_to_vary

OWN = {"same-origin", "none"}
"""`Sec-Fetch-Site` of a request that no other site has caused. `none`: somebody typed the address, or has stored it."""
STREAMS = ("multipart/", "text/event-stream")
"""How media types of streams begin. The parts of a stream arrive as they are sent."""
GZIP, BROTLI = 6, 5
"""Levels that compress a page in some milliseconds."""


class Compression:
    """Compresses answers in the best encoding that the client accepts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        is_safe = "cookie" not in request or request.get("sec-fetch-site") in OWN

        async def choosing(scope: Scope, receive: Receive, send_compressed: Send) -> None:
            chosen = send

            async def send_chosen(message: Message) -> None:
                nonlocal chosen
                if message["type"] == "http.response.start":
                    headers = MutableHeaders(scope=message)
                    is_public = headers.get("cache-control", "").startswith("public")
                    if not headers.get("content-type", "").startswith(STREAMS):
                        add_to_vary(headers, "Accept-Encoding", *(() if is_public else ("Cookie", "Sec-Fetch-Site")))
                        chosen = send_compressed if is_safe or is_public else send
                await chosen(message)

            await self.app(scope, receive, send_chosen)

        async def send_named_once(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_to_vary(MutableHeaders(scope=message), "Accept-Encoding")  # it is added once more on the way
            await send(message)

        # Made for each request, so that what is not to be compressed can pass by it.
        await CompressMiddleware(choosing, gzip_level=GZIP, brotli_quality=BROTLI)(scope, receive, send_named_once)
