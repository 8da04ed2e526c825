"""The commands on photos, the recording of hands with the counts of photos, and the rows of photos.

The row of a photo says what is left to do with it. It is written in the transaction of the photo's events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from league.application.decisions import CommandPart, DecidedEvents, Decision, Handler, Overwritten, is_one_of
from league.application.stream_states import StreamStates
from league.domain.deciders import Event
from league.domain.match import CorrectHand, HandCorrected, HandPhotographed, RecordHand
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.tiles import SetName
from league.eventlog.recorder import Within
from league.eventlog.records import Append, state_after
from league.eventlog.store import EventStore
from league.photos.domain import photo
from league.photos.domain.photo import (
    CountConfirmed,
    CountCorrected,
    CountProposed,
    EnoughPhotos,
    PhotoErased,
    PhotoUploaded,
)
from league.photos.domain.photo_evidence import with_leftovers
from league.projections.row_part import RowPart, RowsAgain

STREAM = "photo:"
"""Prefix of the streams of photos."""
MOST_OF_A_HAND = 30
"""Limit on photos per hand: one for each seat, and some that were taken again."""
OF_HAND = "SELECT FROM photos WHERE match_id = %s AND hand = %s AND NOT erased LIMIT %s"


class _PhotoCommand(Protocol):
    @property
    def photo(self) -> str: ...


P = TypeVar("P", bound=_PhotoCommand)
H = TypeVar("H", RecordHand, CorrectHand)


class _PhotoLimit(Struct, frozen=True):
    """Checks the limit on photos per hand, because pictures take room on the disk."""

    match: str
    hand: int

    def check(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Raise EnoughPhotos if the hand has reached the limit. No other writer can append meanwhile."""
        if conn.execute(OF_HAND, [self.match, self.hand, MOST_OF_A_HAND]).rowcount == MOST_OF_A_HAND:
            reason = say("it has {most} photos; an admin can erase those that nobody needs", most=MOST_OF_A_HAND)
            raise EnoughPhotos(say("hand {hand}", hand=self.hand), say("full"), reason, "hand")


def photo_state(states: StreamStates, photo_id: str) -> photo.PhotoState:
    """The state of a photo of leftover tiles."""
    return state_after(states.events(f"{STREAM}{photo_id}"), photo.evolve, photo.PhotoState())


def _upload(command: photo.UploadPhoto, states: StreamStates) -> Decision:
    states.checks.append(_PhotoLimit(command.match, command.hand).check)
    played = states.match(command.match).played
    return _on(command, photo.upload_photo(command, photo_state(states, command.photo), played))


def _correct(command: photo.CorrectCount, states: StreamStates) -> Decision:
    state = photo_state(states, command.photo)
    tile_set: SetName = "double-nine" if state.uploaded is None else tile_set_of(state.uploaded.match, states)
    return _on(command, photo.correct_count(command, state, tile_set))


def _simply(decide: Callable[[P, photo.PhotoState], list[photo.PhotoEvent]]) -> Handler[P]:
    """A handler for a command that needs only the photo's state."""
    return lambda command, states: _on(command, decide(command, photo_state(states, command.photo)))


def _on(command: _PhotoCommand, events: list[photo.PhotoEvent]) -> Decision:
    return [DecidedEvents(f"{STREAM}{command.photo}", events)]


def tile_set_of(match: str, states: StreamStates) -> SetName:
    """The set of dominoes that a match is played with."""
    played = states.match(match).played
    assert played is not None, "its photo was accepted"
    return states.rulebook().at(played.began_at).rulesets[played.ruleset].set


def _with_photos(handle: Handler[H]) -> Handler[H]:
    """A handler that also fills in leftovers from photos, and stores the photos as evidence of the hand."""

    def filled(command: H, states: StreamStates) -> Decision:
        played = states.match(command.match).played
        if not command.photos or played is None:
            return handle(command, states)
        if command.facts is None:
            raise InvalidInput("photos", say("photos fill in facts: send the facts of the hand, not its turns"))
        number = _number(command, len(played.hands))
        photos = [(id_, photo_state(states, id_)) for id_ in command.photos]
        facts = with_leftovers(command.facts, command.match, number, played.mode, photos, proposed=command.proposed)
        decided, *others = handle(replace(command, facts=facts), states)
        evidence = HandPhotographed(number, command.photos)
        return [decided._replace(events=_with_evidence(list(decided.events), evidence)), *others]

    return filled


def _number(command: RecordHand | CorrectHand, recorded: int) -> int:
    """The number of the hand that a command records or corrects."""
    return command.hand if isinstance(command, CorrectHand) else recorded + 1


def _with_evidence(events: list[Event], evidence: HandPhotographed) -> list[Event]:
    """Insert the evidence: before a new hand, or after a correction, which removes the earlier evidence.

    If a correction changes no fact, the evidence is the only event.
    """
    at = 1 if events and isinstance(events[0], HandCorrected) else 0
    return [*events[:at], evidence, *events[at:]]


def _count(command: photo.ConfirmCount) -> Overwritten:
    counts = is_one_of(photo.CountProposed, photo.CountConfirmed, photo.CountCorrected)
    return f"{STREAM}{command.photo}", counts, say("the count of the photo")


def _settled_count(command: photo.CorrectCount) -> Overwritten:
    settled = is_one_of(photo.CountConfirmed, photo.CountCorrected)  # whatever the computer reads meanwhile
    return f"{STREAM}{command.photo}", settled, say("the count of the photo")


# ---------------------------------------------------------------- rows

INSERT = "INSERT INTO photos (photo_id, match_id, hand, sha256) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
COUNTED = "UPDATE photos SET to_count = false WHERE photo_id = %s"
# The update changes nothing, but the table's trigger notifies the subscribers of the photo.
SETTLED = "UPDATE photos SET to_count = to_count WHERE photo_id = %s"
ERASED = "UPDATE photos SET erased = true, to_count = false, to_remove = true WHERE photo_id = %s"

NAMES = ("photo-uploaded/1", "photo-count-proposed/1", "photo-erased/1")
"""Events from which the rows follow."""


class PhotoRows:
    """Writes the rows of the photos that an append changes, in its transaction."""

    def __init__(self, appends: Sequence[Append]) -> None:
        self._appends = appends

    @classmethod
    def of(cls, appends: Sequence[Append], _states: StreamStates) -> Within | None:
        """A function that writes the rows that some appends change; None if they have no events of photos."""
        ours = [append for append in appends if append.stream.startswith(STREAM)]
        return cls(ours).write if ours else None

    def write(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Write the rows that the appends change."""
        for append in self._appends:
            _write(conn, append.stream, append.events)


def _make(conn: psycopg.Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(NAMES):
        _write(conn, stored.stream, [stored.event])


def _write(conn: psycopg.Connection[Any], stream: str, events: Iterable[Event]) -> None:
    photo = stream.removeprefix(STREAM)
    for event in events:
        match event:
            case PhotoUploaded():
                conn.execute(INSERT, (photo, event.match, event.hand, event.sha256))
            case CountProposed():
                conn.execute(COUNTED, (photo,))
            case CountConfirmed() | CountCorrected():
                conn.execute(SETTLED, (photo,))
            case PhotoErased():
                conn.execute(ERASED, (photo,))


COMMANDS = CommandPart(
    handlers={
        photo.UploadPhoto: _upload,
        photo.ProposeCount: _simply(photo.propose_count),
        photo.ConfirmCount: _simply(photo.confirm_count),
        photo.CorrectCount: _correct,
        photo.ErasePhoto: _simply(photo.erase_photo),
    },
    source="photo",
    rules={RecordHand: _with_photos, CorrectHand: _with_photos},
    overwrites={photo.ConfirmCount: _count, photo.CorrectCount: _settled_count},
    rows=PhotoRows.of,
    takes_photos=True,
)
ROWS = RowPart(
    again=RowsAgain(("photos",), _make),
    bookkeeping={
        "photos.to_remove": "whether the picture of an erased photo may still be stored",
        "photos.attempts": "counts that were started",
    },
)
