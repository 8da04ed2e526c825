"""Signing in by a link or by an identity provider, signing out, and the list of one's sessions."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.auth.identity_provider import (
    PATIENCE,
    OpenIdConnect,
    ProviderAway,
    ProviderIdentity,
    SignInAttempt,
    SignInFailed,
)
from league.api.auth.web_sessions import LONGEST, NewSession, SignInLinks
from league.api.graphql.threads import in_writing_thread
from league.application.bootstrap import League
from league.console.asking import NoPage, SessionCookie, Visitor
from league.console.controls import Control
from league.console.forms import SEE_OTHER, FormPage, to
from league.console.pages import FRAME, Console, Page
from league.console.posts import check_origin, own_path
from league.domain.members import RequestAccess
from league.domain.refusals import AlreadyExists, Refusal
from league.domain.sentences import say
from league.infra.settings import Settings
from league.wording.language import error_in_words

FOLDER = Path(__file__).parent

SIGN_IN = Page(path="/sign-in", name="sign_in", folder=FOLDER, document=FRAME)
LINK = Page(path="/sign-in/link/{secret}", name="sign_in_link", folder=FOLDER, document=FRAME, template="link.html")


def _browsers(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The name of each session's browser, by the session's id."""
    sessions = data["viewer"]["sessions"] if data["viewer"] else []
    return {"browsers": {one["tokenId"]: browser_in_words(one["browser"]) for one in sessions}}


PAGES = (
    FormPage(
        mutation="endSessions",
        path="/account",
        name="account",
        folder=FOLDER,
        controls=(Control("tokenId"),),  # the id of the session to end; without it, all sessions end
        adds=_browsers,
        then=to("account"),
        is_for_all=True,
    ),
)


BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
    ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
"""Names of browsers by a mark in their User-Agent. The order matters: most browsers also carry marks further down."""

SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS", "Mac"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser_in_words(agent: str) -> str:
    """A browser by its User-Agent, such as `Chrome on Android`; the beginning of the User-Agent if it is not known."""
    browser = next((name for mark, name in BROWSERS if mark in agent), None)
    system = next((name for mark, name in SYSTEMS if mark in agent), None)
    if browser is None:
        return agent[:60]
    return browser if system is None else say("{browser} on {system}", browser=browser, system=system)


WAY_BACK = "/sign-in/back"
"""The path to which the identity provider sends browsers back."""
GONE = 410
FAILED = 502


class SignInPages:
    """Pages that begin and end sessions."""

    def __init__(
        self, console: Console, cookie: SessionCookie, links: SignInLinks, league: League, settings: Settings
    ) -> None:
        self._console, self._cookie, self._links, self._league = console, cookie, links, league
        self._provider: OpenIdConnect | None = None
        self._provider_name: str | None = None
        if settings.provider is not None:
            self._provider_name = settings.provider.name
            self._provider = OpenIdConnect(settings.provider, f"{settings.public_url}{WAY_BACK}")

    def routes(self) -> list[BaseRoute]:
        """The routes of these pages."""
        return [
            Route(SIGN_IN.path, self._answering(self._sign_in), name=SIGN_IN.name),
            Route("/sign-in/provider", self._answering(self._to_provider), name="sign_in_by_provider"),
            Route(WAY_BACK, self._answering(self._from_provider)),
            Route(LINK.path, self._answering(self._link), methods=["GET", "POST"], name=LINK.name),
            Route("/sign-out", self._answering(self._sign_out), methods=["GET", "POST"], name="sign_out"),
        ]

    def _answering(
        self, answer: Callable[[Request, Visitor], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            async def make(visitor: Visitor) -> Response:
                response = await answer(request, visitor)
                response.headers["Cache-Control"] = "no-store"
                return response

            return await self._console.answer(request, make)

        return answered

    # ------------------------------------------------------------ links

    async def _link(self, request: Request, visitor: Visitor) -> Response:
        """A page with a button that uses the link up. A chat that opens the link for a preview only sees the page."""
        secret = request.path_params["secret"]
        if request.method == "POST":
            self._check_origin(request)
            value = await in_writing_thread(self._links.use, secret, _browser(request))
            if value is not None:
                return await self._signed_in(request, value, "/")
        state = await in_writing_thread(self._links.state, secret)
        status = 200 if state == "usable" else GONE
        return await self._console.shown(LINK, request, visitor, {}, status=status, state=state)

    # ------------------------------------------------------------ the identity provider

    async def _sign_in(self, request: Request, visitor: Visitor, said: str = "", status: int = 200) -> Response:
        """The ways to sign in."""
        more = {"provider": self._provider_name, "back": _back(request), "said": said}
        return await self._console.shown(SIGN_IN, request, visitor, {}, status=status, **more)

    async def _to_provider(self, request: Request, visitor: Visitor) -> Response:
        if self._provider is None:
            raise NoPage(404)
        try:
            address, attempt = await in_writing_thread(self._provider.begin, _back(request))
        except ProviderAway as error:
            return await self._sign_in(request, visitor, error_in_words(error), FAILED)
        response = RedirectResponse(address, SEE_OTHER)
        response.set_cookie(
            self._attempt_cookie, attempt.written(), max_age=PATIENCE, secure=self._cookie.secure, httponly=True,
            samesite="lax",
        )  # fmt: skip
        return response

    async def _from_provider(self, request: Request, visitor: Visitor) -> Response:
        if self._provider is None:
            raise NoPage(404)
        attempt = SignInAttempt.read(request.cookies.get(self._attempt_cookie))
        try:
            identity = await in_writing_thread(self._provider.finish, attempt, dict(request.query_params))
            value = await in_writing_thread(self._session_of, identity, _browser(request))
        except (SignInFailed, Refusal) as error:
            response = await self._sign_in(request, visitor, error_in_words(error), FAILED)
        else:
            assert attempt is not None, "without it the sign-in failed"
            response = await self._signed_in(request, value, own_path(attempt.back))
        response.delete_cookie(self._attempt_cookie, secure=self._cookie.secure, httponly=True, samesite="lax")
        return response

    def _session_of(self, identity: ProviderIdentity, browser: str) -> str:
        """The cookie of a new session for this identity. Blocks. Somebody unknown asks for access. Raises Refusal."""
        sessions = self._cookie.sessions
        member = sessions.member_of(identity.subject)
        if member is None:
            asking = uuid.uuid4().hex
            try:
                command = RequestAccess(asking, identity.subject, identity.name)
                self._league.dispatcher.send(command, f"member:{asking}")
            except AlreadyExists:
                member = sessions.member_of(identity.subject)  # another window asked at this very moment
            member = member or asking
        return sessions.begin(NewSession("", (), datetime.now(UTC) + LONGEST, member), browser)

    @property
    def _attempt_cookie(self) -> str:
        return f"{self._cookie.name}-signing-in"

    # ------------------------------------------------------------ the session

    async def _signed_in(self, request: Request, value: str, back: str) -> Response:
        """Lead to a page, with the cookie of the new session. The browser's session before it ends."""
        await self._end(request)
        response = RedirectResponse(self._console.address_of(request, back), SEE_OTHER)
        await self._cookie.set_on(response, value)
        return response

    async def _sign_out(self, request: Request, _visitor: Visitor) -> Response:
        if request.method != "POST":
            return RedirectResponse(self._console.address_of(request, "/account"), SEE_OTHER)
        self._check_origin(request)
        await self._end(request)
        response = RedirectResponse(self._console.address_of(request, "/"), SEE_OTHER)
        self._cookie.remove_from(response)
        return response

    async def _end(self, request: Request) -> None:
        before = request.cookies.get(self._cookie.name)
        if before:
            await in_writing_thread(self._cookie.sessions.end, before)

    def _check_origin(self, request: Request) -> None:
        check_origin(request, self._console.public_url)


def _back(request: Request) -> str:
    """The path on this site to return to."""
    return own_path(request.query_params.get("back", "/"))


def _browser(request: Request) -> str:
    return request.headers.get("User-Agent", "")
