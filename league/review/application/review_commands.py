"""The request for a review: accepted once for each hand that can be reviewed."""

from typing import Any

from league.application.decision import Decided, Decision, Handler, Repeated
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.refusals import NotFound
from league.review.domain.requests import RequestReview, ReviewRequested
from league.review.hands_of_match import hands_to_review

STREAM = "review:"
"""How the names of the streams of reviews begin, before the id of the match."""


def _request(command: RequestReview, states: StreamStates) -> Decision:
    """Raises NotFound; WrongState for an open match and for a hand without turns; InvalidInput for impossible turns."""
    _played, hands = hands_to_review(command.match, states)
    asked = next((one for one in hands if one.number == command.hand), None)
    if asked is None:
        raise NotFound("hand", "hand", str(command.hand))
    if asked.refusal is not None:
        raise asked.refusal
    stream = f"{STREAM}{command.match}"
    if ReviewRequested(command.hand) in [stored.event for stored in states.store.load(stream)]:
        raise Repeated(states.store.newest_position(stream))
    return [Decided(stream, [ReviewRequested(command.hand)])]


HANDLERS: dict[type[Command], Handler[Any]] = {RequestReview: _request}
