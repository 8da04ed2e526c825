"""What a feature adds to the console: its pages, links in the menu, and fragments on pages of the core."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.routing import BaseRoute

from league.api.graphql.executing.context import Process
from league.console.asking import Visitor
from league.console.pages import Console, Page, PageFragments
from league.domain.sentences import Sentence
from league.features import declared


class MenuEntry(Struct, frozen=True):
    """A link to a page, in the top bar or on the page `more`."""

    page: str
    """The name of the page."""
    label: Sentence
    requires: str | None = None
    """A key of PERMISSIONS: only visitors who have it get the link."""


class KeepersHome(Struct, frozen=True):
    """What a feature shows first on the first page, to those who keep score."""

    requires: str
    """A key of PERMISSIONS: only visitors who may do this to any player or match see it."""
    name: str
    """The name of its data in the template."""
    document: Path
    """The query for its data, which other visitors do not ask."""
    template: str
    """A template with the macro `home()`, which sees the data of the page."""
    adds: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    """Makes more values from the data."""
    style: str | None = None
    """The name of its style; None: it has none."""
    module: str | None = None
    """The name of its module, without which it works, too; None: it has none."""


class SitePart(PageFragments, frozen=True, kw_only=True):
    """What a feature adds to the console."""

    pages: tuple[Page, ...]
    routes: Callable[[Console], Sequence[BaseRoute]] | None = None
    """Makes routes that are no pages, such as files that its pages ask for."""
    menu: tuple[MenuEntry, ...] = ()
    """Links of the top bar."""
    more: tuple[MenuEntry, ...] = ()
    """Links of the page `more`."""
    admin: tuple[MenuEntry, ...] = ()
    """Links to pages of admins."""
    keepers_home: KeepersHome | None = None
    static: Path | None = None
    """The folder of its static files, which are served with those of the core."""
    on_players: str | None = None
    """A template with the macros `of_player(id)` and `of_team(id)`: links on the pages of a player and of a pair."""
    evidence: Callable[[Mapping[str, Any], int, int | None, Sequence[int]], Mapping[str, Any]] | None = None
    """Makes values of `above_form` from the match, the hand's number, its facts' position, and each seat's side.

    Among them are `evidence`, the photos that the form sends along, and `counted_pips`, what its controls show of them.
    """
    is_offered: Callable[[Process], bool] | None = None
    """Whether this server can do what `above_form` offers."""
    records_itself: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether the feature plays this match now, and records its hands itself. The match is what its pages ask for."""
    leads_on: Callable[[Mapping[str, Any]], bool] | None = None
    """Whether the feature says what comes after this match, as a tournament does. Then no rematch is offered."""


def homes_of(visitor: Visitor) -> list[KeepersHome]:
    """What features show this visitor first on the first page."""
    homes = (part.keepers_home for part in declared(SitePart))
    return [home for home in homes if home is not None and visitor.may(home.requires)]


def records_itself(match: Mapping[str, Any]) -> bool:
    """Whether a feature plays the match now and records it itself, so that nobody types its hands."""
    return any(part.records_itself(match) for part in declared(SitePart) if part.records_itself is not None)


def leads_on(match: Mapping[str, Any]) -> bool:
    """Whether a feature says what comes after the match."""
    return any(part.leads_on(match) for part in declared(SitePart) if part.leads_on is not None)


def evidence_of(
    match: Mapping[str, Any], hand: int, recorded_at: int | None, sides: Sequence[int]
) -> Mapping[str, Any]:
    """What features know about a hand besides its facts. `recorded_at`: the facts' position; None without any."""
    found: dict[str, Any] = {"evidence": [], "counted_pips": {}}
    for part in declared(SitePart):
        if part.evidence is not None:
            found.update(part.evidence(match, hand, recorded_at, sides))
    return found
