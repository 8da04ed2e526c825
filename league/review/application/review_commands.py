"""The request for a review, accepted once for each hand that can be reviewed; the consent of a player."""

from typing import Any

from league.application.decision import Decided, Decision, Handler, Repeated
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.refusals import NotFound
from league.domain.sentences import say
from league.domain.wrong_states import PlayerIsErased
from league.review.domain.consent import ReviewConsentGiven, SetReviewConsent, set_consent
from league.review.domain.requests import RequestReview, ReviewRequested
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
