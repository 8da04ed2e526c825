"""The pictures that chats show beside a link: PNGs drawn from the data of a page's document.

Drawing takes a tenth of a second of CPU. So it happens in a thread, few at a time, and pictures are cached until the
read side changes.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from league.api.graphql.executing.answer_cache import entity_tag
from league.api.graphql.live.listening import Live
from league.api.graphql.threads import in_thread
from league.api.server.caching_headers import revalidated
from league.application.club_logo import stored_logo
from league.console.asking import NoPage, Visitor
from league.console.pages import FRAME, Console, Page, check_rights
from league.domain.sentences import LANGUAGES, say
from league.pictures.drawing import ClubLook, in_look, league_picture, png
from league.projections.runs import ReadState
from league.wording.language import language, speak

AT_ONCE = 2
"""Limit on pictures that are drawn at the same time."""
MOST_WAITING = 20
"""Limit on requests that are drawn or wait for it. Further ones are answered with 503."""
MOST_BYTES = 16 * 1024 * 1024
"""Limit on the cached pictures together. A picture has about 60 KB."""
CACHED = {"Cache-Control": "public, no-cache"}
"""Browsers and caches ask again before they show a picture, as with pages: a name may have been erased meanwhile."""
PRIVATE = {"Cache-Control": "no-store"}
UNTIL_WITHDRAWN = frozenset({"replay"})
"""The names of pages that everybody may see until somebody withdraws them: no cache keeps their pictures."""


class PictureCache:
    """Caches finished pictures until the read side changes. When it is full, the least recently used ones go."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._size, self._state = most_bytes, 0, ReadState(-1, -1, -1)
        self._pictures: OrderedDict[str, bytes] = OrderedDict()

    def get(self, state: ReadState, address: str) -> bytes | None:
        """The picture at this address in this state; None if it must be drawn."""
        if state != self._state or address not in self._pictures:
            return None
        self._pictures.move_to_end(address)
        return self._pictures[address]

    def add(self, state: ReadState, address: str, picture: bytes) -> None:
        """Add a picture. Drops pictures of another state, then the least recently used while there are too many."""
        if state != self._state:
            self._state, self._size = state, 0
            self._pictures.clear()
        self._size += len(picture) - len(self._pictures.get(address, b""))
        self._pictures[address] = picture
        while self._size > self._most:
            self._size -= len(self._pictures.popitem(last=False)[1])


def _public(request: Request, picture: bytes) -> Response:
    """A picture that everybody may see, or 304 if the client has it already."""
    return revalidated(request, Response(picture, media_type="image/png", headers=CACHED), entity_tag(picture))


class PagePictures:
    """Answers requests for the pictures of pages."""

    def __init__(self, console: Console, live: Live) -> None:
        self._console, self._live = console, live
        self._cache, self._slots, self._waiting = PictureCache(), asyncio.Semaphore(AT_ONCE), 0

    async def answer(self, page: Page, request: Request) -> Response:
        """The picture of a page, in the language that its address names.

        If not everybody may see the page, its picture is drawn for its visitor alone, in their language.
        """

        async def make(visitor: Visitor) -> Response:
            if page.requires is not None:
                check_rights(page, visitor)
                return Response(await self._drawn(page, request, visitor), media_type="image/png", headers=PRIVATE)
            wanted = request.query_params.get("language")
            spoken = next((one for one in LANGUAGES if one == wanted), language())
            speak(spoken)
            address = f"{spoken} {request.url.path}?{request.url.query}"
            picture = await self._cached(address, lambda: self._drawn(page, request, Visitor(language=spoken)))
            if page.name in UNTIL_WITHDRAWN:
                return Response(picture, media_type="image/png", headers=PRIVATE)
            return _public(request, picture)

        return await self._console.answer(request, make)

    async def answer_league(self, request: Request) -> Response:
        """The picture of all pages without one of their own: the name of the league."""

        async def make(visitor: Visitor) -> Response:
            async def drawn() -> bytes:
                league = (await self._console.executor.ask(request, visitor, FRAME, {}))["league"]
                name = league["name"] if league else say("Domino league")
                look = await self._look(request, visitor)
                below = say("Ratings, series and matches")
                return await asyncio.to_thread(lambda: png(in_look(league_picture(name, below), look)))

            return _public(request, await self._cached(f"{language()} {request.url.path}", drawn))

        return await self._console.answer(request, make)

    async def _look(self, request: Request, visitor: Visitor) -> ClubLook:
        shown = await self._console.look(request, visitor)
        if shown is None:
            return ClubLook()
        url = self._console.executor.context(request, visitor).league.database.url
        logo = None if shown.logo is None else await in_thread(stored_logo, url, shown.logo)
        return ClubLook(shown.colour, shown.second_colour, logo)

    async def _cached(self, address: str, draw: Callable[[], Awaitable[bytes]]) -> bytes:
        """The picture at this address in the present state of the read side: from the cache, or drawn now."""
        state = self._live.state
        picture = None if state is None else self._cache.get(state, address)
        if picture is None:
            picture = await draw()
            if state is not None and state == self._live.state:
                self._cache.add(state, address, picture)
        return picture

    async def _drawn(self, page: Page, request: Request, visitor: Visitor) -> bytes:
        assert page.picture is not None, "only such pages have a route for it"
        draw: Callable[..., str] = page.picture
        if self._waiting >= MOST_WAITING:
            raise NoPage(503, say("Too many pictures are being drawn. Try again in a moment."), retry_after=5)
        self._waiting += 1
        try:
            async with self._slots:
                variables = await self._console.variables_of(page, request, visitor)
                data = await self._console.data_of(page, request, visitor, variables)
                if page.adds is not None:
                    data = {**data, **page.adds(data, request)}
                look = await self._look(request, visitor)
                return await asyncio.to_thread(lambda: png(in_look(draw(data), look)))
        finally:
            self._waiting -= 1
