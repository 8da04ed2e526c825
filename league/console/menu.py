"""The links of the top bar."""

from collections.abc import Sequence

from msgspec import Struct

from league.console.visitors import Visitor
from league.domain.sentences import Sentence, say


class Entry(Struct, frozen=True):
    """A link of the top bar."""

    page: str
    """The name of the page."""
    label: Sentence
    requires: str | None = None
    """A key of PERMISSIONS: only visitors who have it get the link."""


MENU: tuple[Entry, ...] = (
    Entry("home", say("Today")),
    Entry("record", say("Scorekeeping"), requires="recordHand"),
    Entry("boards", say("Boards")),
    Entry("matches", say("Matches")),
    Entry("series", say("Series")),
    Entry("tables", say("Tables")),
)


def menu_of(visitor: Visitor) -> Sequence[Entry]:
    """The links that a visitor gets."""
    return [entry for entry in MENU if entry.requires is None or visitor.may_own(entry.requires)]
