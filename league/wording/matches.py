"""Names and matches in words: names in a row, a match by those who play it, and who sat where at an event."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import reduce
from types import MappingProxyType
from typing import ClassVar

from msgspec import Struct

from league.domain.deciders import Event
from league.domain.player_names import name_key
from league.domain.result import STATUS_WORDS
from league.domain.rules import Mode
from league.domain.seating import sides_of
from league.domain.sentences import say
from league.wording.language import language, spoken

SOUNDS_AS_I = re.compile(r"(h?i(?![aeou])|y(?![aeiou]))")
"""Matches words before which Spanish says `e` for `y`; not `hielo` and `Yolanda`, which begin with another sound."""


def joined(names: Iterable[str]) -> str:
    """The names with the word for `and` between them."""
    row = list(names)
    return reduce(_with_next, row) if row else ""


def _with_next(before: str, name: str) -> str:
    if language() == "es" and SOUNDS_AS_I.match(name_key(name)):
        return f"{before} e {name}"
    return before + spoken(say(" and ")) + name


Names = Mapping[str, str]
"""The names of players and pairs by id. A missing name is replaced by the id."""

NO_NAMES: Names = MappingProxyType({})


def match_in_words(sides: Sequence[str], names: Names) -> str:
    """The sides of a match, such as `Ana R. & Luis P. against Eva C. & Rosa M.`."""
    first, *others = sides
    return say("{side} against {others}", side=people_in_words((first,), names), others=people_in_words(others, names))


def people_in_words(ids: Sequence[str], names: Names) -> str:
    """Players and pairs, such as `Ana R. and Luis P.`."""
    return joined(names.get(id_, id_) for id_ in ids)


def status_in_words(status: str) -> str:
    """The status of a match, such as `cut short`."""
    return spoken(STATUS_WORDS.get(status, status))


def competition_in_words(competition: str) -> str:
    """What a match counts for, such as `competitive`."""
    # Translators: said of a match.
    words = {"competitive": say("competitive"), "casual": say("casual"), "special": say("special tournament")}
    return words.get(competition, competition)


def ending_in_words(ended_by: str) -> str:
    """How a hand ended."""
    words = {"domino": say("domino"), "block": say("block")}
    return words.get(ended_by, ended_by)


# ---------------------------------------------------------------- around an event


class EventContext(Struct, frozen=True):
    """What the words of an event need besides the event: names, seats, the time zone and titles."""

    names: Names = NO_NAMES
    mode: Mode = "1v1"
    seats: Sequence[str] = ()
    """Player ids by seat, of the match in which the event happened; empty if it happened in none."""
    zone: tzinfo = UTC
    editions: Mapping[int, str] = MappingProxyType({})
    """The titles of the published editions by number."""
    seasons: Mapping[str, str] = MappingProxyType({})
    """The names of the seasons by id."""
    rulesets: Mapping[str, str] = MappingProxyType({})
    """The titles of the rulesets by name."""
    title: str | None = None
    """The title of what the stream of the event is about, such as a tournament; None if it has none or is unknown."""

    def ruleset(self, name: str) -> str:
        """A ruleset by its title, or else by its name."""
        # The titles of shipped rulesets are texts of the program.
        return say(self.rulesets[name]) if name in self.rulesets else name

    def edition(self, number: int) -> str:
        """An edition by its number, and by its title if it is known."""
        if number not in self.editions:
            return say("edition {edition}", edition=number)
        # The shipped edition's title is a text of the program.
        return say("edition {edition}, “{title}”,", edition=number, title=say(self.editions[number]))

    def named(self, id_: str) -> str:
        """A player by name; by name and id if another one has this name; by id if the name is not known."""
        name = self.names.get(id_, id_)
        is_shared = sum(other == name for other in self.names.values()) > 1
        return f"{name} ({id_})" if is_shared else name

    def match(self) -> str | None:
        """The match in which the event happened, by who plays it; None if its players are not known."""
        if not all(seat in self.names for seat in self.seats) or not self.seats:
            return None
        sides = sides_of(self.mode, tuple(self.seats))
        first, *others = (joined(map(self.named, side)) for side in sides)
        return say("{side} against {others}", side=first, others=joined(others))

    def at_seat(self, seat: int) -> str:
        """The player at a seat."""
        return self.named(self.seats[seat]) if seat < len(self.seats) else say("seat {seat}", seat=seat)

    def on_side(self, side: int) -> str:
        """The players of a side."""
        sides = sides_of(self.mode, tuple(self.seats))
        return " & ".join(map(self.named, sides[side])) if side < len(sides) else say("side {side}", side=side)

    def time(self, moment: datetime) -> str:
        """A time to the minute with its time zone: `2026-03-01 20:30 America/Havana`."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M} {self.zone}"


class StreamWords(Struct, frozen=True):
    """How the events in streams of one kind are told to people."""

    kind: str
    """The beginning of the names of these streams, before the colon."""
    words: Callable[[str, Event, EventContext], str]
    """Tells an event: a sentence without a full stop, from the id of the stream, the event and its context."""
    players: Callable[[str, Event], set[str]]
    """The ids of the players that the sentence names, from the id of the stream and the event."""


class WordPart(Struct, frozen=True):
    """How the events of a feature are told to people."""

    place: ClassVar[str] = "words"
    streams: tuple[StreamWords, ...]
    """One entry for each kind of its streams."""
