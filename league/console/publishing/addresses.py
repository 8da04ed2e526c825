"""Which file of a copy holds a page of the site, and how one file links to another."""

import hashlib
import posixpath
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from starlette.routing import BaseRoute, Match, Route

from league.console.addresses import id_of
from league.domain.sentences import LANGUAGES, Language

PUBLISHED = frozenset({
    "home", "boards", "board", "player", "team", "head_to_head", "matches", "match", "hand", "change", "series",
    "series_month", "standing", "badges", "badge", "seasons", "season", "rules", "ruleset", "log", "more",
})  # fmt: skip
"""The pages of a copy, by name: those that everybody may see and that need no server."""

PROOFS, HEADS, CHECKER = "proofs", "signed-heads.json", "check-proof.html"
OTHER_LANGUAGE = "/in/"
"""What the address of a page begins with, followed by a language, where a page links to itself in another language."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class Address(Struct, frozen=True):
    """A page, or a file of the site, in a language."""

    path: str
    query: str
    language: Language

    @property
    def target(self) -> str:
        """What to ask the site for."""
        return f"{self.path}?{self.query}" if self.query else self.path


class Place(Struct, frozen=True):
    """Where a link leads in the copy."""

    file: str
    """Relative to the folder of the copy."""
    fragment: str = ""
    address: Address | None = None
    """What is fetched for the file."""
    proof_of: str | None = None
    """The match whose proof the link hands to the page that checks."""


class Addresses:
    """Finds the place of each address of the site."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = [route for route in routes if isinstance(route, Route)]

    def place_of(self, link: str, page: Address) -> Place | None:
        """Where a link of a page leads in the copy; None: to something that is not in it."""
        parts = urlsplit(link)
        path = parts.path or page.path
        if parts.netloc or not path.startswith("/"):
            return None
        if path.startswith(OTHER_LANGUAGE):
            wanted, _slash, rest = path.removeprefix(OTHER_LANGUAGE).partition("/")
            language = next(one for one in LANGUAGES if one == wanted)
            return self.place_of(f"/{rest}?{parts.query}", Address(page.path, page.query, language))
        name, parameters = self._found(unquote(path))
        query = parts.query if parts.path or parts.query else page.query
        address = Address(path, query, page.language)
        if name in PUBLISHED:
            return Place(_file_of(address), parts.fragment, address)
        others = {
            "static": lambda: Place(f"static/{parameters['name']}", "", address),
            "check_proof": lambda: Place(CHECKER, parts.fragment, address),
            "heads_file": lambda: Place(HEADS, "", address),
            "proof": lambda: _to_checker(id_of(parameters["id"])),
        }
        return others[name]() if name in others else None

    def _found(self, path: str) -> tuple[str, dict[str, str]]:
        for route in self._routes:
            match, scope = route.matches({"type": "http", "path": path, "method": "GET"})
            if match is Match.FULL:
                return route.name, scope["path_params"]
        return "", {}


def _to_checker(match_id: str) -> Place:
    return Place(CHECKER, f"proof={proof_file(match_id)}", None, match_id)


def proof_file(match_id: str) -> str:
    """The file of a match's proof."""
    return f"{PROOFS}/{_segment(match_id)}.json"


def link_between(source: str, place: Place) -> str:
    """The relative link from one file of the copy to another place."""
    relative = posixpath.relpath(place.file, posixpath.dirname(source) or ".")
    fragment = f"#{place.fragment}" if place.fragment else ""
    return quote(relative, safe="/+") + fragment


def _file_of(address: Address) -> str:
    segments = [_segment(unquote(part)) for part in address.path.split("/") if part]
    name = f"{hashlib.sha256(address.query.encode()).hexdigest()[:12]}.html" if address.query else "index.html"
    return "/".join((address.language, *segments, name))


def _segment(text: str) -> str:
    """A part of an address as the name of a file or folder."""
    if _PLAIN.fullmatch(text):
        return text
    return hashlib.sha256(text.encode()).hexdigest()[:16]
