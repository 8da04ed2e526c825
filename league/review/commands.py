"""The commands of reviews: requests, and the consent of players that others see how well they played.

Also which hands of a match can be reviewed, and the rows that are saved with the events: one for each review, which
says how far it is and begins again when its hand is corrected, and one for each player who consents.
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
from league.review.decisions import PlayedHand
from league.review.events import ConsentEvent, ReviewConsentGiven, ReviewConsentWithdrawn, ReviewRequested

STREAM = "review:"
"""How the names of the streams of reviews begin, before the id of the match."""
CONSENT = "consent:"
"""How those of consents begin, before the id of the player."""


class RequestReview(Struct, frozen=True):
    """Have hands of a match reviewed that is over."""

    match: str
    hand: int | None
    """From 1; None: all hands that can be reviewed."""


class SetReviewConsent(Struct, frozen=True):
    """Give or withdraw the consent of a player."""

    player: str
    given: bool


class MatchWithoutHands(WrongState, code="NO_HANDS"):
    """No hand of the match is recorded."""


class HandWithoutTurns(WrongState, code="NO_TURNS"):
    """The turns of the hand are not known."""


class HandToReview(Struct, frozen=True):
    """A hand of a match, or why it has no review."""

    number: int
    """From 1."""
    hand: PlayedHand | None
    refusal: Refusal | None = None


def hands_to_review(match: str, states: StreamStates) -> tuple[MatchFacts, list[HandToReview]]:
    """The hands of a match that is over. Raises NotFound, MatchIsOpen, MatchIsVoided."""
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
) -> tuple[MatchFacts | None, dict[int, PlayedHand]]:
    """A match, also one that is open or voided, and its hands with turns under the edition of this hash, by number.

    `edition` None: the one that holds for the match now. Without a match, or such an edition, there are no hands.
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
    """The hand with this number; None: all hands. Raises NotFound, MatchWithoutHands."""
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
        yield HandToReview(number, PlayedHand(transcript, ruleset, played.mode, number, score, made_by))


def _without_turns(number: int, *, is_corrected: bool) -> Refusal:
    """Why a hand is not reviewed of which no turn is known."""
    if is_corrected:
        return HandWithoutTurns(say("hand {hand}", hand=number), say("corrected"), say("its turns are not known"))
    return HandWithoutTurns(
        say("hand {hand}", hand=number), say("without turns"), say("only what was played turn by turn is reviewed")
    )


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
        raise RepeatedCommand(before[-1].position)
    return [DecidedEvents(stream, events)]


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
        raise RepeatedCommand((before or states.events(f"player:{player}"))[-1].position)
    return [DecidedEvents(stream, events)]


def set_consent(command: SetReviewConsent, *, given: bool) -> list[ConsentEvent]:
    """The event of a change; none where nothing changes. `given`: whether the player consents now."""
    if command.given == given:
        return []
    return [ReviewConsentGiven() if command.given else ReviewConsentWithdrawn()]


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


def rows_of(appends: Sequence[Append], _states: StreamStates) -> Within | None:
    """What writes the rows of the reviews that some appends request or outdate, in their transaction; else None."""
    changes = [change for append in appends for event in append.events for change in _changes(append.stream, event)]

    def write(conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        for statement, values in changes:
            conn.execute(statement, values)

    return write if changes else None


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


COMMANDS = CommandPart(
    handlers={RequestReview: _request, SetReviewConsent: _set_consent},
    rows=rows_of,
)
