"""A link of the menu."""

from msgspec import Struct

from league.domain.sentences import Sentence


class Entry(Struct, frozen=True):
    """A link of the top bar."""

    page: str
    """The name of the page."""
    label: Sentence
    requires: str | None = None
    """A key of PERMISSIONS: only visitors who have it get the link."""
