"""Sentences about the events of nights."""

from datetime import date

from league.domain.deciders import Event
from league.domain.sentences import say
from league.nights.events import PlayerCame, PlayerLeft
from league.wording.matches import EventContext, StreamWords, WordPart
from league.wording.numbers import date_of


def _of_night(night: str, event: Event, around: EventContext) -> str:
    """A sentence about an event of a night, without a full stop."""
    assert isinstance(event, PlayerCame | PlayerLeft), "the stream has no other events"
    values = {"night": date_of(date.fromisoformat(night)), "who": around.named(event.player)}
    if isinstance(event, PlayerCame):
        return say("Night of {night}: {who} came", **values)
    return say("Night of {night}: {who} left", **values)


def _players(_night: str, event: Event) -> set[str]:
    assert isinstance(event, PlayerCame | PlayerLeft), "the stream has no other events"
    return {event.player}


WORDS = WordPart((StreamWords("night", _of_night, _players),))
