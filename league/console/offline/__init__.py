"""Recording without a connection: what a scorekeeper's device keeps, and the words of what it has not sent yet.

The modules in `static/offline/` do the work on the device; `worker.js` is the service worker.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from league.console.asking import Visitor
from league.console.offline.words import SENTENCES
from league.console.pages import Page
from league.wording.language import language, spoken

OFFLINE = Page(
    path="/record/offline",
    name="offline",
    folder=Path(__file__).parent,
    document="offline.graphql",
    template="offline.html",
    requires="recordHand",
)
"""What a device shows in place of a page that it has not kept."""

PAGES = (OFFLINE,)

Url = Callable[..., str]


def sentences() -> Mapping[str, str]:
    """What the modules say, in the visitor's language."""
    return {name: spoken(text) for name, text in SENTENCES.items()}


def kept_of(match: Mapping[str, Any], url: Url, visitor: Visitor) -> list[tuple[str, str]]:
    """The pages of an open match that a device keeps: the address of each, with a stamp that changes with the page."""
    return list(_kept_of(match, url, visitor))


def _kept_of(match: Mapping[str, Any], url: Url, visitor: Visitor) -> Iterator[tuple[str, str]]:
    identity = match["matchId"]
    positions = [str(hand["position"]) for hand in match["hands"]]
    state = "-".join([language(), match["status"], *positions])
    yield url("record_hand", id=identity), state
    yield url("match", id=identity), state
    if visitor.may("endMatch"):
        for name in ("end_match", "forfeit_match", "record_result"):
            yield url(name, id=identity), f"{language()}-{match['status']}"
    if visitor.may("correctHand"):
        for number, position in enumerate(positions, 1):
            yield url("correct_hand", id=identity, number=number), f"{language()}-{position}"
