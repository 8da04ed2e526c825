"""A page: its address, its document, its template, and the answer to a request for it."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from inspect import cleandoc
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

import structlog
from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import force_setattr
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from league.api.graphql.executing.accounting import CACHED_ANSWER
from league.api.graphql.executing.answer_cache import AnswerCache, AnswerRecord, PageKey, entity_tag
from league.api.graphql.executing.rate_limits import RateLimited, RateLimits, client_of
from league.api.graphql.executing.replicas import outage_message
from league.api.server.caching_headers import revalidated
from league.api.server.endpoints import address_of
from league.console.addresses import id_of, segment_of, variables_of
from league.console.asking import (
    Completes,
    DocumentExecutor,
    NoPage,
    SessionOf,
    Variables,
    Visitor,
    chosen_language,
    document_in,
)
from league.console.club_look import LOOK, ShownLook, shown_look
from league.console.posts import HEADERS
from league.console.present import begin_page, depends_on_the_present
from league.console.templates import template_of
from league.console.under_replay import REPLAY, asking, is_candidate, replay_to_read, under
from league.domain.sentences import Sentence, say
from league.features import declared
from league.infra.outages import outages
from league.pictures.drawing import LEAGUE_HIGH, WIDTH, ZOOM, size_of
from league.wording.language import language, speaking, spoken


class PageFragment(Struct, frozen=True):
    """What a feature asks for and shows in one place of the core's pages."""

    fields: str
    """The fields that it asks for: of `Query` on the first page and that of admins, of `Match` on pages of matches."""
    template: str
    """The template with its macros, such as `tables/console/on_pages.html`."""


class WaitingLink(Struct, frozen=True):
    """Where people decide what waits for them."""

    page: str
    """The name of the page."""
    words: Callable[[int], Sentence]
    """Says how many things of the kind there are."""


class PageFragments(Struct, frozen=True, kw_only=True):
    """What a feature shows on pages of the core."""

    place: ClassVar[str] = "site"
    on_home: PageFragment | None = None
    """A card on the first page: the macro `card()`, and `first()` if it has something to say before all other cards."""
    on_my_page: PageFragment | None = None
    """On the first page, for a player who is signed in: the macro `mine(data)`. The fields may use their id, `$me`."""
    waiting: Mapping[str, WaitingLink] = {}
    """Where people decide what waits for them, by the kind that `SchemaPart.waiting` counts."""
    on_admin: PageFragment | None = None
    """A card on the first page of admins: the macro `admin_card()`, which sees the data of the page."""
    on_matches: PageFragment | None = None
    """Wherever a match is shown: the macros `action(match)` among its buttons, `heading(match)` where it is named, and
    `in_play(match)` on the desk if the feature plays it."""
    on_hand_forms: PageFragment | None = None
    """Above the form of a hand: the macro `above_form()`, which sees the data of the page."""


_FRAGMENTS = {
    "OfFeatures": ("Query", "on_home"),
    "MyPageOfFeatures": ("Query", "on_my_page"),
    "AdminOfFeatures": ("Query", "on_admin"),
    "MatchOfFeatures": ("Match", "on_matches"),
    "HandFormOfFeatures": ("Match", "on_hand_forms"),
}
"""Fragments that documents of the core spread, by name: the type, and the place for which features declare fields."""


@cache
def with_fields_of_features(document: str) -> str:
    """A document of the core, completed by the fragments that it spreads."""
    for name, (kind, place) in _FRAGMENTS.items():
        if f"...{name}" in document:
            shown = (getattr(part, place) for part in declared(PageFragments))
            fields = " ".join(["__typename", *(one.fields for one in shown if one is not None)])
            document = f"{document}\nfragment {name} on {kind} {{ {fields} }}\n"
    return document


class PageCache(Struct, frozen=True):
    """Caches the public pages of this process, in the cache of its answers."""

    answer_cache: AnswerCache
    rate_limits: RateLimits
    now: Callable[[], str | None]
    """The state of the league, as pages name it."""

    async def answer(self, request: Request, visitor: Visitor, make: Callable[[], Awaitable[Response]]) -> Response:
        """The cached page, or the one that `make` makes. Raises RateLimited, and what `make` raises."""
        if visitor.is_signed_in:
            return _revalidated(request, await make())
        address = str(request.scope.get("root_path", "")) + str(request.url)
        key = PageKey(address.encode(errors="surrogateescape"), visitor.language)
        cached = self.answer_cache.find(key) or await self.answer_cache.wait(key)
        if cached is not None:
            if (client := address_of(request)) is not None:
                self.rate_limits.spend(client_of(None, client), CACHED_ANSWER)
            self.answer_cache.count_hit()
            return revalidated(request, HTMLResponse(cached.body, headers=HEADERS), cached.etag)
        with self.answer_cache.in_work(key) as in_work:
            begin_page()
            response = await make()
            answered = self._answered(request)
            if answered is not None and response.status_code == 200:  # noqa: PLR2004  # nothing else is worth caching
                in_work.set_result(self.answer_cache.add(key, bytes(response.body), answered))
        return _revalidated(request, response)

    def _answered(self, request: Request) -> AnswerRecord | None:
        """What the page rests on; None if it must not be cached."""
        follows = getattr(request.state, "follows_from_state", False)
        answered: list[AnswerRecord | None] = getattr(request.state, "has_read" if follows else "answered", [])
        states = {None if one is None else one.state for one in answered}
        # A page names the state of which it hears all later ones: it must not name an older one for ever.
        is_of_now = request.state.since is not None and request.state.since == self.now()
        if len(states) != 1 or None in states or not is_of_now or depends_on_the_present():
            return None
        return answered[-1]


def _revalidated(request: Request, response: Response) -> Response:
    """The page with its entity tag, or 304 if the browser has it already. Errors and redirects stay as they are."""
    is_stored = response.status_code == 200 and "no-store" not in response.headers.get("cache-control", "")  # noqa: PLR2004
    return revalidated(request, response, entity_tag(bytes(response.body))) if is_stored else response


log = structlog.get_logger()


NOT_IN_REPLAY = say(
    "The replay does not have this. What was recorded after it was computed is in the official league only."
)
PICTURE = "_picture"
"""The end of the name of the route of a page's picture."""
LEAGUE_PICTURE = f"league{PICTURE}"
"""The name of the route of the picture of all other pages."""
FRAME = "query Frame { league { name timeZone } }"
"""The query of a page that shows nothing of the league but what the frame needs."""
CLOCK = "query Clock { league { timeZone } }"
"""Asks for the time zone, by which the days of the league begin and end."""


class SharedPicture(Struct, frozen=True):
    """A picture that chats show beside a link: its full address, and its size in pixels."""

    address: str
    width: int
    height: int


WAITING = "query Waiting { viewer { waiting { total } } }"
"""Asks how much waits for the visitor: the number in the menu."""


class Page(Struct, frozen=True, kw_only=True):
    """A page of the console."""

    path: str
    """Its address, with parameters in braces as Starlette writes them: `/players/{id}`."""
    name: str
    """The name by which templates link to it: `url("player", id=...)`."""
    folder: Path
    """The folder of its document and its template."""
    document: str = ""
    """Its GraphQL query, or the file of a long one. If left out, `player.graphql` for a page named `player`."""
    template: str = ""
    """The file of its template. If left out, `player.html`. It gets the data of the query, by field."""
    variables: Variables | None = None
    """Makes the variables that do not follow from the names in the address (`variables_of` in `addresses.py`)."""
    by_clock: Callable[[Request, ZoneInfo], Mapping[str, Any]] | None = None
    """Makes variables that need the league's time zone, such as the end of a day in the address."""
    needs: str | None = None
    """A field of the query. If it is null there is no such page."""
    requires: str | None = None
    """A key of PERMISSIONS. Visitors without it get a page that says so; the API refuses them in any case."""
    completes: Completes | None = None
    """Asks for more than the document, and adds it to the data."""
    adds: Callable[[dict[str, Any], Request], Mapping[str, Any]] | None = None
    """Makes more values for the template from the data, such as the points of a chart."""

    follows_from_state: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether the page with this data follows from the state of the league for a visitor who is not signed in.

    It is then cached, though fields of its document may depend on more. None: only if all its fields are cacheable.
    """

    at_replay: bool = False
    """Whether `?replay=N` shows the page as it would be under replay N. Its links to such pages keep the parameter."""
    picture: Callable[[Mapping[str, Any]], str] | None = None
    """Draws the picture that chats show beside a link to the page, as SVG from the data of the query."""

    def __post_init__(self) -> None:
        """Name the files after the page."""
        force_setattr(self, "document", self.document or f"{self.name}.graphql")
        force_setattr(self, "template", self.template or f"{self.name}.html")

    @property
    def text(self) -> str:
        """The query."""
        is_file = self.document.endswith(".graphql")
        return with_fields_of_features(document_in(self.folder / self.document) if is_file else cleandoc(self.document))

    def asked(self, request: Request) -> dict[str, Any]:
        """The variables of the query. Raises NoPage."""
        more = {} if self.variables is None else self.variables(request)
        return {**variables_of(self.text, request), **more}

    @property
    def template_name(self) -> str:
        """The name of the template, as the loader of templates knows it."""
        return template_of(self.folder, self.template)

    def more(self, data: dict[str, Any], request: Request, _visitor: Visitor) -> dict[str, Any]:
        """The data, with more values for the template."""
        return data if self.adds is None else {**data, **self.adds(data, request)}


class Console(Struct, frozen=True):
    """What all pages share."""

    executor: DocumentExecutor
    templates: Environment
    session_of: SessionOf
    public_url: str | None
    """The address by which browsers reach the league; None if it is the one at which the server listens."""
    now: Callable[[], str | None]
    """The state of the league now. A page is told of all later changes."""
    page_cache: PageCache
    at_replay: frozenset[str] = frozenset()
    """The names of the pages that can be shown under a replay."""

    async def visitor_of(self, request: Request) -> Visitor:
        """The visitor who sent a request."""
        return Visitor(await self.session_of(request), chosen_language(request))

    async def answer(self, request: Request, make: Callable[[Visitor], Any]) -> Response:
        """The response of `make` to the visitor. If it raises NoPage or fails, a page that says why."""
        named = request.path_params.items()
        request.scope["path_params"] = {key: id_of(value) if isinstance(value, str) else value for key, value in named}
        request.state.since, request.state.replay = self.now(), None
        visitor = Visitor(language=chosen_language(request))
        with speaking(visitor.language):
            try:
                visitor = await self.visitor_of(request)
                response: Response = await make(visitor)
            except NoPage as error:
                response = self.refused(request, visitor, error, await self._there(request, visitor, error))
            except RateLimited as error:
                extensions = error.formatted["extensions"]
                refused = NoPage(429, spoken(error.message), retry_after=extensions.get("retryAfter"))
                response = self.refused(request, visitor, refused)
            except Exception as error:
                if (outage := outage_message(error)) is None:
                    log.exception("unexpected error")
                    response = self.refused(request, visitor, NoPage(500))
                else:
                    outages.note(error)
                    response = self.refused(request, visitor, NoPage(503, spoken(outage)))
        response.headers["Content-Language"] = visitor.language
        return response

    async def page(self, page: Page, request: Request) -> Response:
        """The answer to a request for a page."""

        async def make(visitor: Visitor) -> Response:
            check_rights(page, visitor)

            async def shown() -> Response:
                variables = await self.variables_of(page, request, visitor)
                return await self.shown(page, request, visitor, variables)

            async def shown_at_replay() -> Response:
                ask = partial(self.executor.ask, request, visitor)
                request.state.replay = replay = await replay_to_read(ask, request)
                try:
                    return await shown()
                except NoPage as error:
                    if not is_candidate(replay):
                        raise
                    request.state.replay = None
                    request.state.replay = await replay_to_read(ask, request)  # it may have been dropped meanwhile
                    if error.status == 404 and not error.message:  # noqa: PLR2004  # the page is not in its run
                        raise NoPage(404, NOT_IN_REPLAY) from None
                    raise

            return await self.page_cache.answer(request, visitor, shown_at_replay if page.at_replay else shown)

        return await self.answer(request, make)

    async def variables_of(self, page: Page, request: Request, visitor: Visitor) -> Mapping[str, Any]:
        """The variables of a page's document."""
        variables = page.asked(request)
        if page.by_clock is None:
            return variables
        league = (await self.executor.ask(request, visitor, CLOCK, {}))["league"]
        return {**variables, **page.by_clock(request, ZoneInfo(league["timeZone"] if league else "UTC"))}

    async def data_of(
        self, page: Page, request: Request, visitor: Visitor, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The data of a page's document. Raises NoPage."""
        data = await self.executor.ask(request, visitor, *under(request.state.replay, page.text, variables))
        if page.needs is not None and data[page.needs] is None:
            raise NoPage(404)
        if page.completes is not None:
            await page.completes(partial(self.executor.ask, request, visitor), variables, data, visitor)
        return data

    def picture_of(self, page: Page, request: Request, data: Mapping[str, Any]) -> SharedPicture | None:
        """What chats are told of a page's picture; None if it has none, or not everybody may see the page."""
        if page.picture is None or page.requires is not None or request.state.replay is not None:
            return None
        path = request.app.url_path_for(f"{page.name}{PICTURE}", **written(request.path_params))
        width, height = size_of(page.picture(data))
        asked = urlencode({**_asked(request), "language": language()})
        return SharedPicture(f"{self.public_address(request)}{path}?{asked}", width, height)

    def picture_of_league(self, request: Request) -> SharedPicture:
        """What chats are told of the picture of pages that have none of their own."""
        path = request.app.url_path_for(LEAGUE_PICTURE)
        address = f"{self.public_address(request)}{path}?{urlencode({'language': language()})}"
        return SharedPicture(address, WIDTH * ZOOM, LEAGUE_HIGH * ZOOM)

    async def shown(
        self,
        page: Page,
        request: Request,
        visitor: Visitor,
        variables: Mapping[str, Any],
        *,
        status: int = 200,
        **more: Any,
    ) -> Response:
        """The page with its data. Raises NoPage."""
        data = await self.data_of(page, request, visitor, variables)
        request.state.follows_from_state = page.follows_from_state is not None and page.follows_from_state(data)
        data = page.more(data, request, visitor)
        text, variables = under(request.state.replay, page.text, variables)
        query = {"query": text, "variables": json.dumps(dict(variables), ensure_ascii=False)}
        graphiql = self.address_of(request, "/graphql?") + urlencode(query)
        around = {
            "graphiql": graphiql,
            "picture": self.picture_of(page, request, data),
            "shares": page.requires is None,
            "waiting_count": await self._waiting(request, visitor),
            "club_look": await self.look(request, visitor),
        }
        return self.rendered(request, visitor, page.template_name, status, {**data, **more, **around})

    async def look(self, request: Request, visitor: Visitor) -> ShownLook | None:
        """The look of the club; none under a replay, which has colours of its own. Raises NoPage."""
        if is_candidate(request.state.replay):
            return None
        return shown_look(await self.executor.ask(request, visitor, LOOK, {}))

    async def _waiting(self, request: Request, visitor: Visitor) -> int:
        """How much waits for the visitor. Nothing is asked for visitors without a role; without an answer it is 0."""
        if not visitor.viewer.roles or request.state.replay is not None:
            return 0
        try:
            viewer = (await self.executor.ask(request, visitor, WAITING, {}))["viewer"]
        except NoPage:
            return 0
        return 0 if viewer is None else int(viewer["waiting"]["total"])

    async def _there(self, request: Request, visitor: Visitor, error: NoPage) -> Mapping[str, Any]:
        """What there is instead of the page asked for; nothing if that cannot be read either."""
        if error.there is None:
            return {}
        try:
            return await self.executor.ask(request, visitor, error.there, {})
        except NoPage:
            return {}

    def refused(
        self, request: Request, visitor: Visitor, error: NoPage, there: Mapping[str, Any] = MappingProxyType({})
    ) -> Response:
        """A page that says why the page asked for cannot be shown."""
        form = None if error.form is None else self.address_of(request, error.form)
        replay = request.state.replay
        said = {
            "status": error.status,
            "message": spoken(error.message),
            "form": form,
            "there": there,
            **({} if replay is None else {"league": replay["league"]}),
        }
        response = self.rendered(request, visitor, "refused.html", error.status, said)
        if error.retry_after is not None:
            response.headers["Retry-After"] = str(error.retry_after)
        return response

    def rendered(
        self, request: Request, visitor: Visitor, template: str, status: int, values: Mapping[str, Any]
    ) -> Response:
        """A template as a response."""
        replay = request.state.replay
        is_of_candidate, asked = is_candidate(replay), request.url
        frame = {
            "under": replay if is_of_candidate else None,
            "promoted": None if is_of_candidate else replay,
            "visitor": visitor,
            "request": request,
            "url": partial(self.url, request),
            "here": asked.path + (f"?{asked.query}" if asked.query else ""),
            "public_url": self.public_address(request),
            "own_address": self.own_address(request),
            "shared_address": self.own_address(request, language=language()),
            "league_picture": self.picture_of_league(request),
        }
        around = {"graphiql": None, "picture": None, "shares": False, "waiting_count": 0, "club_look": None}
        text = self.templates.get_template(template).render({**around, **values, **frame})
        return HTMLResponse(
            text, status, headers=HEADERS if replay is None else {**HEADERS, "Cache-Control": "no-store"}
        )

    def url(
        self,
        request: Request,
        name: str,
        /,
        *,
        query: Mapping[str, Any] = MappingProxyType({}),
        replay: int | None = None,
        **parameters: Any,
    ) -> str:
        """The address of the page with this name, with a query.

        A page that can be shown under a replay is linked under `replay`, or else under that of the page with the link.
        """
        path = self.address_of(request, str(request.app.url_path_for(name, **written(parameters))))
        here: Any = getattr(request.state, "replay", None)  # the address may be asked for beside a page
        if replay is None and is_candidate(here):
            replay = here["number"]
        more = {REPLAY: replay} if replay is not None and name in self.at_replay else {}
        return asking(path, {**query, **more})

    def address_of(self, request: Request, path: str) -> str:
        """A path as the browser sees it: a proxy may serve the league below a path of its own."""
        return str(request.scope.get("root_path", "")) + path

    def public_address(self, request: Request) -> str:
        """The address by which browsers reach the league, without a slash at the end."""
        return (self.public_url or str(request.base_url)).rstrip("/")

    def own_address(self, request: Request, **more: str) -> str:
        """The full address of the page itself, without its place in a list."""
        asked = urlencode({**_asked(request), **more})
        return self.public_address(request) + quote(request.scope["path"], safe="/+~") + (f"?{asked}" if asked else "")


def _asked(request: Request) -> dict[str, str]:
    """The parameters of the address that say what is shown."""
    return {name: value for name, value in request.query_params.items() if name not in ("after", "before")}


def written(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of an address, escaped: ids may have characters with a meaning in addresses."""
    return {name: quote(segment_of(str(value)), safe="+~") for name, value in parameters.items()}


def check_rights(page: Page, visitor: Visitor) -> None:
    """Raises NoPage for visitors who lack the permission that the page requires."""
    if page.requires is not None and not visitor.may_own(page.requires):
        if not visitor.is_signed_in:
            raise NoPage(401, say("Sign in to see this page."))
        raise NoPage(403, say("Your role does not allow this."))
