"""Forms that change a match: end it, forfeit, reopen, void, record its result."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FieldErrors, FormPage
from league.wording.language import _

HERE = Path(__file__).parent
MOST_SIDES = 4


def match_of_address(request: Request) -> Mapping[str, Any]:
    """The match that the address names, as the variables of a document."""
    return {"id": request.path_params["id"]}


def to_match(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """The page of the match that was changed."""
    return url("match", id=answer["matchId"])


def number_in(form: FormData, name: str) -> int | None:
    """The whole number in a control; None where it is empty. Raises FieldErrors."""
    text = str(form.get(name, "")).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len("1000000")):
        raise FieldErrors({name: _("Write a whole number, such as 35.")})
    return int(text)


def _end(_form: FormData, request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"]}


def _forfeit(form: FormData, request: Request) -> Mapping[str, Any]:
    side = number_in(form, "side")
    if side is None:
        raise FieldErrors({"side": _("Say who gives up.")})
    return {"match": request.path_params["id"], "side": side}


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
    return {"match": request.path_params["id"], "announced": {"winner": winner, "score": known or None}}


def _form(operation: str, page: str, path: str, read: Callable[..., Mapping[str, Any]], **more: Any) -> FormPage:
    """A form about a match: its mutation `operation` is in a document of that name."""
    return FormPage(
        path=path,
        name=page,
        folder=HERE,
        document=more.pop("document", "match.graphql"),
        template=f"{page}.html",
        variables=match_of_address,
        needs="match",
        requires=operation,
        mutation=f"{page}.mutation.graphql",
        input=read,
        then=to_match,
        **more,
    )


CHANGES = (
    _form("endMatch", "end_match", "/matches/{id}/end", _end),
    _form("forfeitMatch", "forfeit_match", "/matches/{id}/forfeit", _forfeit),
    _form("recordResult", "record_result", "/matches/{id}/result", _result),
    _form("reopenMatch", "reopen_match", "/matches/{id}/reopen", with_reason),
    _form("voidMatch", "void_match", "/matches/{id}/void", with_reason, document="void.graphql"),
)
