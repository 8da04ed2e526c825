"""Middleware that lets each request and each socket speak the language that its client prefers."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league.domain.sentences import Language
from league.wording.language import preferred, speaking


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
