"""The commands of reviews: request a review, and give or withdraw a player's consent.

This module also decides which hands of a match can be reviewed, and writes the rows that are saved with the events: one
row per review, which has its progress and is reset when the hand is corrected, and one row per player who consents.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from msgspec import Struct

from league.application.decisions import CommandPart, DecidedEvents, Decision, RepeatedCommand
from league.application.stream_states import StreamStates
from league.domain.deciders import Event
from league.domain.match import HandCorrected, HandTranscribed
from league.domain.player import PlayerErased
from league.domain.refusals import InvalidInput, NotFound, Refusal, WrongState
from league.domain.result import MatchFacts, result_of
from league.domain.rules import Ruleset
from league.domain.sentences import say
from league.domain.transcript import Transcript, played_through
from league.domain.wrong_states import MatchIsOpen, MatchIsVoided, PlayerIsErased
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.projections.queries.log import whole_hands
from league.review.decisions import TranscribedHand
from league.review.events import ConsentEvent, ReviewConsentGiven, ReviewConsentWithdrawn, ReviewRequested

STREAM = "review:"
"""Prefix of the streams of reviews, before the id of the match."""
CONSENT = "consent:"
"""Prefix of the streams of consents, before the id of the player."""


class RequestReview(Struct, frozen=True):
    """Request reviews of hands of a match that is over."""

    match: str
    hand: int | None
    """The number of the hand, from 1; None means all hands that can be reviewed."""


class SetReviewConsent(Struct, frozen=True):
    """Give or withdraw the consent of a player."""

    player: str
    given: bool


class MatchWithoutHands(WrongState, code="NO_HANDS"):
    """No hand of the match is recorded."""


class HandWithoutTurns(WrongState, code="NO_TURNS"):
    """The turns of the hand are not known."""


class HandToReview(Struct, frozen=True):
    """A hand of a match, or why it cannot be reviewed."""

    number: int
    """From 1."""
    hand: TranscribedHand | None
    """None if it cannot be reviewed."""
    refusal: Refusal | None = None
    """Why it cannot be reviewed."""


def hands_to_review(match: str, states: StreamStates) -> tuple[MatchFacts, list[HandToReview]]:
    """A match that is over, and its hands. Raises NotFound, MatchIsOpen, MatchIsVoided."""
    played = states.match(match).played
    if played is None:
        raise NotFound("match", "match", match)
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    if played.voided:
        raise MatchIsVoided(say("match {match!r}", match=match), say("voided"), say("its hands count for nothing"))
    if result_of(played, ruleset).status == "open":
        raise MatchIsOpen(say("match {match!r}", match=match), say("open"), say("it is reviewed when it is over"))
    return played, [*_hands(match, played, ruleset, states)]


def hands_under(
    match: str, edition: str | None, states: StreamStates
) -> tuple[MatchFacts | None, dict[int, TranscribedHand]]:
    """A match and its hands whose turns are known, by number. The match may be open or voided.

    `edition`: hash of the edition whose rules apply; None means the edition in force for the match. There are no hands
    if the match or the edition does not exist.
    """
    played = states.match(match).played
    if played is None:
        return None, {}
    rulebook = states.rulebook()
    documents = {known.hash: known.document for known in rulebook.editions}
    rules = rulebook.at(played.began_at) if edition is None else documents.get(edition)
    ruleset = None if rules is None else rules.rulesets.get(played.ruleset)
    found = [] if ruleset is None else _hands(match, played, ruleset, states)
    return played, {one.number: one.hand for one in found if one.hand is not None}


def asked_for(match: str, hands: Sequence[HandToReview], number: int | None) -> list[HandToReview]:
    """The hand with this number, or all hands if `number` is None. Raises NotFound, MatchWithoutHands."""
    if not hands:
        raise MatchWithoutHands(
            say("match {match!r}", match=match), say("without hands"), say("there is nothing to review")
        )
    asked = [one for one in hands if number in {None, one.number}]
    if not asked:
        raise NotFound("hand", "hand", str(number))
    return asked


def _hands(match: str, played: MatchFacts, ruleset: Ruleset, states: StreamStates) -> Iterator[HandToReview]:
    known = whole_hands(states.store, [match])[match]
    corrected = {
        stored.event.hand for stored in states.events(f"match:{match}") if isinstance(stored.event, HandCorrected)
    }
    before = [0] * len(played.sides)
    for number, scored in enumerate(result_of(played, ruleset).hands, 1):
        score = tuple(before) if ruleset.scoring == "points" else None
        before = [one + more for one, more in zip(before, scored.points or [0] * len(before), strict=True)]
        whole = known.get(number)
        if whole is None:
            yield HandToReview(number, None, _without_turns(number, is_corrected=number in corrected))
            continue
        transcript = Transcript(whole.dealt, tuple(turn.turn for turn in whole.turns))
        try:
            played_through(transcript, ruleset, len(played.seats))
        except InvalidInput as refused:
            yield HandToReview(number, None, refused)
            continue
        made_by = tuple(turn.by for turn in whole.turns)
        yield HandToReview(number, TranscribedHand(transcript, ruleset, played.mode, number, score, made_by))


def _without_turns(number: int, *, is_corrected: bool) -> Refusal:
    """Why a hand without known turns cannot be reviewed."""
    if is_corrected:
        return HandWithoutTurns(say("hand {hand}", hand=number), say("corrected"), say("its turns are not known"))
    return HandWithoutTurns(
        say("hand {hand}", hand=number), say("without turns"), say("only what was played turn by turn is reviewed")
    )


def _request(command: RequestReview, states: StreamStates) -> Decision:
    """Raises NotFound; WrongState if the match is open or no hand has turns; InvalidInput for impossible turns."""
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
        raise RepeatedCommand(before[-1].position)
    return [DecidedEvents(stream, events)]


def _set_consent(command: SetReviewConsent, states: StreamStates) -> Decision:
    """Store the consent of the player to whom the id belongs now. Raises NotFound; WrongState for an erased player."""
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
        raise RepeatedCommand((before or states.events(f"player:{player}"))[-1].position)
    return [DecidedEvents(stream, events)]


def set_consent(command: SetReviewConsent, *, given: bool) -> list[ConsentEvent]:
    """The event of a change, or none if nothing changes. `given`: whether the player consents now."""
    if command.given == given:
        return []
    return [ReviewConsentGiven() if command.given else ReviewConsentWithdrawn()]


INSERT = "INSERT INTO hand_reviews (match_id, hand) VALUES (%s, %s) ON CONFLICT DO NOTHING"
# Later hands begin again too, because the score before them depends on this hand.
BEGIN_AGAIN = """
    UPDATE hand_reviews SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1
    WHERE match_id = %s AND hand >= %s
"""
FORGET = "DELETE FROM review_losses WHERE match_id = %s AND hand >= %s"
CONSENT_GIVEN = "INSERT INTO review_consents (player_id) VALUES (%s) ON CONFLICT DO NOTHING"
CONSENT_GONE = "DELETE FROM review_consents WHERE player_id = %s"
NAMES = ("review-requested/1", "review-consent-given/1", "review-consent-withdrawn/1", "player-erased/1")
"""Events from which the rows follow."""
MATCH, PLAYER = "match:", "player:"
Change = tuple[str, tuple[str | int, ...]]
"""A statement and its parameters."""


def rows_of(appends: Sequence[Append], _states: StreamStates) -> Within | None:
    """A function that writes the rows that some appends change, in their transaction; None if they change none."""
    changes = [change for append in appends for event in append.events for change in _changes(append.stream, event)]

    def write(conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        for statement, values in changes:
            conn.execute(statement, values)

    return write if changes else None


def make_requested(conn: psycopg.Connection[Any], log: EventStore) -> None:
    """Write the rows of all requested reviews, without their results, and the rows of all consents."""
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


COMMANDS = CommandPart(
    handlers={RequestReview: _request, SetReviewConsent: _set_consent},
    rows=rows_of,
)
