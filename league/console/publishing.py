"""`league publish`: fetches the public pages, and rewrites their links, so that they lead from file to file."""

import asyncio
import hashlib
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpx
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Match, Route

from league.api.auth.permissions import Viewer
from league.api.auth.tokens import TokenSession
from league.console.addresses import id_of, segment_of
from league.console.under_replay import REPLAY
from league.domain.refusals import InvalidInput
from league.domain.sentences import LANGUAGES, Language, say

PUBLISHED = frozenset({
    "home", "boards", "board", "player", "team", "head_to_head", "matches", "match", "hand", "change", "series",
    "series_month", "standing", "badges", "badge", "seasons", "season", "rules", "ruleset", "log", "more", "proposals",
    "replay", "notices", "notice", "player_notice", "promotion",
})  # fmt: skip
"""The names of the pages in a copy: everybody may see them, and they need no server."""
FIRST_PAGE_ONLY = frozenset({"replay"})
"""The names of pages that the copy has without their queries: each has hundreds of lists."""

PROOFS, HEADS, CHECKER = "proofs", "signed-heads.json", "check-proof.html"
OTHER_LANGUAGE = "/in/"
"""The beginning of an address, before a language, by which a page links to itself in that language."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class SiteAddress(Struct, frozen=True):
    """The address of a page or a file of the site, in a language."""

    path: str
    query: str
    language: Language

    @property
    def target(self) -> str:
        """The path and the query to fetch."""
        return f"{self.path}?{self.query}" if self.query else self.path


class LinkTarget(Struct, frozen=True):
    """Where a link leads in the copy."""

    file: str
    """Relative to the folder of the copy."""
    fragment: str = ""
    address: SiteAddress | None = None
    """The address from which the file is fetched; None if it is written by other means."""
    proof_of: str | None = None
    """The match whose proof the link passes to the page that checks proofs."""


class LinkResolver:
    """Finds where in the copy the links of the site lead."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = [route for route in routes if isinstance(route, Route)]

    def place_of(self, link: str, page: SiteAddress) -> LinkTarget | None:
        """Where a link of a page leads in the copy; None if its target is not in the copy."""
        parts = urlsplit(link)
        path = parts.path or page.path
        if parts.netloc or not path.startswith("/"):
            return None
        if path.startswith(OTHER_LANGUAGE):
            wanted, _slash, rest = path.removeprefix(OTHER_LANGUAGE).partition("/")
            language = next(one for one in LANGUAGES if one == wanted)
            return self.place_of(f"/{rest}?{parts.query}", SiteAddress(page.path, page.query, language))
        name, parameters = self._found(unquote(path))
        query = parts.query if parts.path or parts.query else page.query
        address = SiteAddress(path, query, page.language)
        if (name in FIRST_PAGE_ONLY and query) or REPLAY in parse_qs(query):  # a copy has the official league only
            return None
        if name in PUBLISHED:
            return LinkTarget(_file_of(address), parts.fragment, address)
        others = {
            "static": lambda: LinkTarget(f"static/{parameters['name']}", "", address),
            "look": lambda: LinkTarget(f"static/look-{parameters['colours']}.css", "", address),
            "logo": lambda: LinkTarget(f"static/logo-{parameters['sha256']}.png", "", address),
            "check_proof": lambda: LinkTarget(CHECKER, parts.fragment, address),
            "heads_file": lambda: LinkTarget(HEADS, "", address),
            "proof": lambda: _to_checker(id_of(parameters["id"])),
        }
        return others[name]() if name in others else None

    def _found(self, path: str) -> tuple[str, dict[str, str]]:
        for route in self._routes:
            match, scope = route.matches({"type": "http", "path": path, "method": "GET"})
            if match is Match.FULL:
                return route.name, scope["path_params"]
        return "", {}


def _to_checker(match_id: str) -> LinkTarget:
    return LinkTarget(CHECKER, f"proof={proof_file(match_id)}", None, match_id)


def proof_file(match_id: str) -> str:
    """The path of the file with a match's proof, in the copy."""
    return f"{PROOFS}/{_segment(match_id)}.json"


def link_between(source: str, place: LinkTarget) -> str:
    """The relative link from a file of the copy to a target."""
    relative = posixpath.relpath(place.file, posixpath.dirname(source) or ".")
    fragment = f"#{place.fragment}" if place.fragment else ""
    return quote(relative, safe="/+") + fragment


def _file_of(address: SiteAddress) -> str:
    segments = [_segment(unquote(part)) for part in address.path.split("/") if part]
    name = f"{hashlib.sha256(address.query.encode()).hexdigest()[:12]}.html" if address.query else "index.html"
    return "/".join((address.language, *segments, name))


def _segment(text: str) -> str:
    """A part of an address as the name of a file or a folder."""
    if _PLAIN.fullmatch(text):
        return text
    return hashlib.sha256(text.encode()).hexdigest()[:16]


MARK = "published-by-league.txt"
"""The file that marks a folder as a copy: only a copy is replaced."""
AT_ONCE = 4
"""Limit on pages that are fetched at the same time."""
PATIENCE = 120.0
"""Limit on the seconds for a page."""
HOST = "http://league.invalid"

NAMES: dict[Language, str] = {"en": "English", "es": "Español"}

_FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
_LINK = re.compile(r' (href|src)="([^"]*)"')

READER_OF_PROOFS = TokenSession(Viewer(sub="publish", roles=("auditor",)))
"""The session that reads proofs of matches. Everything else is read without rights; who publishes a league has them."""


class CopyCounts(Struct, frozen=True):
    """How much a copy holds."""

    pages: int
    proofs: int
    files: int


class CopyFailed(Exception):
    """Raised if the site does not answer an address that one of its pages links to."""

    def __init__(self, address: str, status: int) -> None:
        super().__init__(say("{address}: the site answered with status {status}", address=address, status=status))


class SiteCopy:
    """Makes a copy of the site in a folder."""

    def __init__(self, site: Starlette, folder: Path, progress: Callable[[int, int], None]) -> None:
        self._folder, self._progress = folder, progress
        self._addresses = LinkResolver(site.routes)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(site), base_url=HOST, timeout=PATIENCE)
        self._coming: asyncio.Queue[LinkTarget] = asyncio.Queue()
        self._seen: set[str] = set()
        self._pages = self._done = 0
        self._matches: set[str] = set()

    async def make(self, first: Language) -> CopyCounts:
        """Write all files. Raises Failed."""
        for language in LANGUAGES:
            self._come_to(self._addresses.place_of("/", SiteAddress("/", "", language)))
        self._come_to(self._addresses.place_of(f"/{HEADS}", SiteAddress("/", "", first)))
        async with self._client, asyncio.TaskGroup() as tasks:
            workers = [tasks.create_task(self._work()) for _ in range(AT_ONCE)]
            await self._coming.join()
            proofs = await self._write_proofs()
            for worker in workers:
                worker.cancel()
        (self._folder / "index.html").write_text(_door(first), encoding="utf-8")
        (self._folder / MARK).write_text("A copy of the pages of a domino league.\n", encoding="utf-8")
        return CopyCounts(self._pages, proofs, len(self._seen) + proofs)

    async def _work(self) -> None:
        while True:
            place = await self._coming.get()
            try:
                await self._fetch(place)
            finally:
                self._done += 1
                self._progress(self._done, len(self._seen))
                self._coming.task_done()

    async def _fetch(self, place: LinkTarget) -> None:
        address = place.address
        assert address is not None, "only such places are queued"
        answer = await self._client.get(address.target, headers={"Accept-Language": address.language})
        # A page that says that something does not exist is copied, too.
        if answer.status_code not in (httpx.codes.OK, httpx.codes.NOT_FOUND):
            raise CopyFailed(address.target, answer.status_code)
        is_page = answer.headers["content-type"].startswith("text/html") and "/" in place.file
        if is_page:
            self._pages += 1
        content = self._linked_anew(answer.text, place.file, address).encode() if is_page else answer.content
        file = self._folder / place.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def _linked_anew(self, text: str, file: str, address: SiteAddress) -> str:
        """A page with its links rewritten to files of the copy. Links to anything else, and forms, are removed."""

        def link(found: re.Match[str]) -> str:
            attribute, value = found[1], unescape(found[2]).removeprefix(HOST)
            if value.startswith("#"):
                return found[0]
            place = self._addresses.place_of(value, address)
            if place is None:
                return ""
            self._come_to(place)
            return f' {attribute}="{escape(link_between(file, place))}"'

        return _LINK.sub(link, _FORM.sub("", text))

    def _come_to(self, place: LinkTarget | None) -> None:
        if place is None:
            return
        if place.proof_of is not None:
            self._matches.add(place.proof_of)
        if place.address is not None and place.file not in self._seen:
            self._seen.add(place.file)
            self._coming.put_nowait(place)

    async def _write_proofs(self) -> int:
        """Write the proofs of the matches that pages link to, if a head signs them. Returns how many."""
        written = 0
        for match in sorted(self._matches):
            answer = await self._client.get(f"/matches/{quote(segment_of(match))}/proof.json")
            if answer.status_code == httpx.codes.OK:
                file = self._folder / proof_file(match)
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(answer.content)
                written += 1
        return written


def _door(first: Language) -> str:
    """The first page: it leads to the pages in the league's language, and links to the others."""
    links = " ".join(f'<a href="{one}/index.html" lang="{one}">{NAMES[one]}</a>' for one in LANGUAGES)
    return (
        f'<!doctype html><html lang="{first}"><meta charset="utf-8"><title>{NAMES[first]}</title>'
        f'<meta http-equiv="refresh" content="0; url={first}/index.html">'
        f'<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><p>{links}</p></html>\n'
    )


async def session_of(request: Request) -> TokenSession:
    """The session of a request: pages are copied as everybody sees them, proofs are read with rights."""
    return READER_OF_PROOFS if request.url.path.endswith("/proof.json") else TokenSession()


@contextmanager
def new_copy(folder: Path) -> Iterator[Path]:
    """A folder to write a copy into. It replaces `folder` when the copy is complete.

    Raises InvalidInput if `folder` holds anything but a copy.
    """
    folder = folder.absolute()
    if folder.exists() and not (folder / MARK).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(
            "folder", say("{folder} holds something else; name an empty folder or a new one", folder=folder)
        )
    made, old = folder.with_name(f".{folder.name}.new"), folder.with_name(f".{folder.name}.old")
    for rest in (made, old):
        shutil.rmtree(rest, ignore_errors=True)
    made.mkdir(parents=True)
    try:
        yield made
        if folder.exists():
            folder.rename(old)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


async def publish(site: Starlette, folder: Path, first: Language, progress: Callable[[int, int], None]) -> CopyCounts:
    """Copy the public pages of a site into a folder. Raises Failed."""
    async with site.router.lifespan_context(site):
        try:
            return await SiteCopy(site, folder, progress).make(first)
        except* CopyFailed as failures:
            raise failures.exceptions[0] from None
