"""Forms that change a match: end it, forfeit, reopen, void, record its result."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import PLAYED_AT, moment_in, number_in
from league.console.forms import FieldErrors, Look
from league.console.match_forms.form_of_match import form_of_match
from league.wording.language import _

MOST_SIDES = 4


def _end(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "playedAt": moment_in(form, PLAYED_AT)}


def _forfeit(form: FormData, request: Request) -> Mapping[str, Any]:
    side = number_in(form, "side")
    if side is None:
        raise FieldErrors({"side": _("Say who gives up.")})
    return {"match": request.path_params["id"], "side": side, "playedAt": moment_in(form, PLAYED_AT)}


def with_reason(form: FormData, request: Request) -> Mapping[str, Any]:
    """A reason, and the open dispute that is settled by it, if the form names one."""
    dispute = number_in(form, "settles")
    return {"match": request.path_params["id"], "reason": str(form.get("reason", "")), "settles": dispute}


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
    form_of_match("endMatch", "end_match", "/matches/{id}/end", _end),
    form_of_match("forfeitMatch", "forfeit_match", "/matches/{id}/forfeit", _forfeit),
    form_of_match(
        "recordResult",
        "record_result",
        "/matches/{id}/result",
        _result,
        look=Look(
            document="score_notes.graphql",
            variables=lambda given, _request: {"id": given["match"], "announced": given["announced"]},
            template="score_notes.html",
        ),
    ),
    form_of_match("reopenMatch", "reopen_match", "/matches/{id}/reopen", with_reason),
    form_of_match("voidMatch", "void_match", "/matches/{id}/void", with_reason, document="void.graphql"),
)
