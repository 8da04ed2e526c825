"""The row of each review, which says how far it is: written with its request, begun again when its hand is corrected.

Also the row of each player who consents.
"""

from collections.abc import Sequence
from typing import Any

import psycopg

from league.application.decision import Decided, Decision, Handler, Repeated
from league.application.stream_states import StreamStates
from league.domain.deciders import Command, Event
from league.domain.match import HandCorrected, HandTranscribed
from league.domain.player import PlayerErased
from league.domain.refusals import NotFound
from league.domain.sentences import say
from league.domain.wrong_states import PlayerIsErased
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.review.domain.requests import (
    RequestReview,
    ReviewConsentGiven,
    ReviewConsentWithdrawn,
    ReviewRequested,
    SetReviewConsent,
    set_consent,
)
from league.review.hands_of_match import asked_for, hands_to_review

STREAM = "review:"
"""How the names of the streams of reviews begin, before the id of the match."""
CONSENT = "consent:"
"""How those of consents begin, before the id of the player."""


def _request(command: RequestReview, states: StreamStates) -> Decision:
    """Raises NotFound; WrongState for an open match and where no hand has turns; InvalidInput for impossible turns."""
    _played, hands = hands_to_review(command.match, states)
    asked = asked_for(command.match, hands, command.hand)
    possible = [one for one in asked if one.refusal is None]
    if not possible and asked[0].refusal is not None:
        raise asked[0].refusal
    stream = f"{STREAM}{command.match}"
    before = states.events(stream)
    requested = [stored.event for stored in before]
    events = [event for one in possible if (event := ReviewRequested(one.number)) not in requested]
    if not events:
        raise Repeated(before[-1].position)
    return [Decided(stream, events)]


def _set_consent(command: SetReviewConsent, states: StreamStates) -> Decision:
    """Consent belongs to the player as whom the id is read. Raises NotFound, WrongState for an erased player."""
    (player,) = states.read_as([command.player])
    state = states.player(player)
    if not state.registered:
        raise NotFound("player", "player", command.player)
    if state.erased:
        raise PlayerIsErased(
            say("player {player!r}", player=player), say("erased"), say("an erased player has no figures to show")
        )
    stream = f"{CONSENT}{player}"
    before = states.events(stream)
    given = bool(before) and isinstance(before[-1].event, ReviewConsentGiven)
    if not (events := set_consent(command, given=given)):
        raise Repeated((before or states.events(f"player:{player}"))[-1].position)
    return [Decided(stream, events)]


HANDLERS: dict[type[Command], Handler[Any]] = {RequestReview: _request, SetReviewConsent: _set_consent}


INSERT = "INSERT INTO hand_reviews (match_id, hand) VALUES (%s, %s) ON CONFLICT DO NOTHING"
# The score before a later hand follows from this one.
BEGIN_AGAIN = """
    UPDATE hand_reviews SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1
    WHERE match_id = %s AND hand >= %s
"""
FORGET = "DELETE FROM review_losses WHERE match_id = %s AND hand >= %s"
CONSENT_GIVEN = "INSERT INTO review_consents (player_id) VALUES (%s) ON CONFLICT DO NOTHING"
CONSENT_GONE = "DELETE FROM review_consents WHERE player_id = %s"
NAMES = ("review-requested/1", "review-consent-given/1", "review-consent-withdrawn/1", "player-erased/1")
"""Events on which the rows rest."""
MATCH, PLAYER = "match:", "player:"
Change = tuple[str, tuple[str | int, ...]]
"""A statement and its parameters."""

BOOKKEEPING = {
    "hand_reviews.version": "how often the review began again: other rules or another judge cause it without an event",
    "hand_reviews.attempts": "processes that were begun for the review since its last move",
    "hand_reviews.requested_at": "the place among those that wait",
}
"""Columns that do not follow from the log, and why."""


class ReviewRows:
    """Writes the rows of the reviews that an append requests or outdates, in its transaction."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = changes

    @classmethod
    def of(cls, appends: Sequence[Append], _states: StreamStates) -> Within | None:
        """What writes the rows of an append, if it has such events."""
        changes = [change for append in appends for event in append.events for change in _changes(append.stream, event)]
        return cls(changes).write if changes else None

    def write(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Write the rows."""
        for statement, values in self._changes:
            conn.execute(statement, values)


def make_requested(conn: psycopg.Connection[Any], log: EventStore) -> None:
    """Write the rows of all reviews that were requested, as if none had begun, and of all consents."""
    for stored in log.all_named(NAMES):
        for statement, values in _changes(stored.stream, stored.event):
            conn.execute(statement, values)


def _changes(stream: str, event: Event) -> list[Change]:
    match event:
        case ReviewRequested(hand=hand):
            return [(INSERT, (stream.removeprefix(STREAM), hand))]
        case HandCorrected(hand=hand) | HandTranscribed(hand=hand):
            of = (stream.removeprefix(MATCH), hand)
            return [(BEGIN_AGAIN, of), (FORGET, of)]
        case ReviewConsentGiven():
            return [(CONSENT_GIVEN, (stream.removeprefix(CONSENT),))]
        case ReviewConsentWithdrawn():
            return [(CONSENT_GONE, (stream.removeprefix(CONSENT),))]
        case PlayerErased():
            return [(CONSENT_GONE, (stream.removeprefix(PLAYER),))]
    return []
