"""What the players of a match say of its result: they confirm it, dispute it, or take a dispute back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FieldErrors, FormPage
from league.console.match_forms.changing import match_of_address, number_in, to_match
from league.wording.language import _

HERE = Path(__file__).parent


def _confirm(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "player": str(form.get("player", "")) or None}


def _dispute(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_confirm(form, request), "reason": str(form.get("reason", ""))}


def _withdraw(form: FormData, request: Request) -> Mapping[str, Any]:
    dispute = number_in(form, "dispute")
    if dispute is None:
        raise FieldErrors({"": _("This match has no open dispute.")})
    return {"match": request.path_params["id"], "dispute": dispute}


def _form(operation: str, page: str, path: str, read: Any) -> FormPage:
    return FormPage(
        path=path,
        name=page,
        folder=HERE,
        document="match.graphql",
        template=f"{page}.html",
        variables=match_of_address,
        needs="match",
        requires=operation,
        mutation=f"{page}.mutation.graphql",
        input=read,
        then=to_match,
    )


REVIEWS = (
    _form("confirmResult", "confirm_result", "/matches/{id}/confirm", _confirm),
    _form("disputeResult", "dispute_result", "/matches/{id}/dispute", _dispute),
    _form("withdrawDispute", "withdraw_dispute", "/matches/{id}/dispute/withdraw", _withdraw),
)
