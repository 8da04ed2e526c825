"""The links of the top bar."""

from collections.abc import Sequence

from msgspec import Struct

from league.console.menu_entry import Entry
from league.console.site_part import SitePart
from league.console.visitors import Visitor
from league.domain.sentences import Sentence, say
from league.features import declared

MENU: tuple[Entry, ...] = (
    Entry("home", say("Today")),
    Entry("record", say("Scorekeeping"), requires="recordHand"),
    Entry("boards", say("Boards")),
    Entry("matches", say("Matches")),
    Entry("series", say("Series")),
    *(entry for part in declared(SitePart) for entry in part.menu),
    Entry("more", say("More")),
)
"""The links of the top bar. A phone shows the sign of the league for the first one, the next two, and a menu of all."""


class Group(Struct, frozen=True):
    """Links under a heading of the page `more`."""

    title: Sentence
    entries: tuple[Entry, ...]


MORE: tuple[Group, ...] = (
    Group(
        say("The league"),
        (
            Entry("search", say("Search")),
            *(entry for part in declared(SitePart) for entry in part.more),
            Entry("badges", say("Badges")),
            Entry("seasons", say("Seasons")),
            Entry("rules", say("The rules")),
            Entry("log", say("The signed log")),
            Entry("trail", say("The trail"), requires="readLogDetails"),
        ),
    ),
    Group(
        say("Administration"),
        (
            Entry("admin", say("What waits for you"), requires="readMembers"),
            Entry("members", say("Members"), requires="readMembers"),
            Entry("disputes", say("Disputes"), requires="readDisputes"),
            Entry("replays", say("Replays"), requires="startReplay"),
            *(entry for part in declared(SitePart) for entry in part.admin),
            Entry("settings", say("Settings"), requires="changeSettings"),
        ),
    ),
    Group(
        say("Scorekeeping"),
        (
            Entry("record", say("The scorekeeper's desk"), requires="recordHand"),
            Entry("open_match", say("Open a match"), requires="openMatch"),
            Entry("register_player", say("Register a player"), requires="registerPlayer"),
            Entry("record_sheet", say("Upload a sheet"), requires="importSheet"),
        ),
    ),
)
"""All that has no link in the top bar."""


def groups_of(visitor: Visitor) -> Sequence[tuple[Sentence, Sequence[Entry]]]:
    """The groups of links that a visitor gets, without empty ones."""
    groups = ((group.title, _allowed(group.entries, visitor)) for group in MORE)
    return [(title, entries) for title, entries in groups if entries]


def menu_of(visitor: Visitor) -> Sequence[Entry]:
    """The links that a visitor gets."""
    return _allowed(MENU, visitor)


def _allowed(entries: Sequence[Entry], visitor: Visitor) -> Sequence[Entry]:
    return [entry for entry in entries if entry.requires is None or visitor.may_own(entry.requires)]
