"""Forms that change a match: end it, forfeit, reopen, void, record its result."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import PLAYED_AT, Control, FieldErrors, moment_in, number_in
from league.console.forms import FormPage, Look
from league.console.match_forms.form_of_match import HERE, REASON, SETTLES, TO_MATCH, form_of_match, sides
from league.domain.sentences import say
from league.wording.language import _


def _result(form: FormData, request: Request) -> Mapping[str, Any]:
    names = [name for name in form if name.startswith("announced.score.")]
    scores = [number_in(form, name) for name in sorted(names)]
    winner = number_in(form, "announced.winner")
    known = [score for score in scores if score is not None]
    if known and len(known) < len(scores):
        name = sorted(names)[scores.index(None)]
        raise FieldErrors({name: _("Write the score of this side, too, or of none.")})
    if winner is None and known and known.count(max(known)) == 1:
        winner = known.index(max(known))
    if winner is None:
        raise FieldErrors({"announced.winner": _("Say who has won.")})
    announced = {"winner": winner, "score": known or None}
    return {"match": request.path_params["id"], "announced": announced, "playedAt": moment_in(form, PLAYED_AT)}


CHANGES = (
    form_of_match(
        mutation="endMatch",
        path="/matches/{id}/end",
        heading=say("End the match"),
        words=say("Play stops here. The side that leads has won."),
        is_unsent=True,
    ),
    form_of_match(
        mutation="forfeitMatch",
        path="/matches/{id}/forfeit",
        heading=say("A side gives up"),
        button=say("Forfeit the match"),
        words=say(
            "The other side has won, and nothing else of the match counts. Of several players for themselves the "
            "one who leads has won."
        ),
        controls=(Control("side", say("Who gives up?"), options=sides, missing=say("Say who gives up.")),),
        is_unsent=True,
    ),
    FormPage(
        mutation="recordResult",
        path="/matches/{id}/result",
        folder=HERE,
        document="match.graphql",
        template="record_result.html",
        needs="match",
        input=_result,
        then=TO_MATCH,
        look=Look(
            document="score_notes.graphql",
            variables=lambda given, _request: {"id": given["match"], "announced": given["announced"]},
            template="score_notes.html",
        ),
    ),
    form_of_match(
        mutation="reopenMatch",
        path="/matches/{id}/reopen",
        heading=say("Reopen the match"),
        words=say("Play goes on where it stopped, and the result counts no longer."),
        inside="match_forms/settled_dispute.html",
        controls=(SETTLES, REASON),
    ),
    FormPage(
        mutation="voidMatch",
        path="/matches/{id}/void",
        folder=HERE,
        document="void.graphql",
        template="void_match.html",
        needs="match",
        address={"match": "id"},
        controls=(SETTLES, REASON),
        then=TO_MATCH,
    ),
)
