"""What the players of a match say of its result: they confirm it, dispute it, or take a dispute back."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import number_in
from league.console.forms import FieldErrors
from league.console.match_forms.form_of_match import form_of_match
from league.wording.language import _


def _confirm(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "player": str(form.get("player", "")) or None}


def _dispute(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_confirm(form, request), "reason": str(form.get("reason", ""))}


def _withdraw(form: FormData, request: Request) -> Mapping[str, Any]:
    dispute = number_in(form, "dispute")
    if dispute is None:
        raise FieldErrors({"": _("This match has no open dispute.")})
    return {"match": request.path_params["id"], "dispute": dispute}


REVIEWS = (
    form_of_match("confirmResult", "confirm_result", "/matches/{id}/confirm", _confirm),
    form_of_match("disputeResult", "dispute_result", "/matches/{id}/dispute", _dispute),
    form_of_match("withdrawDispute", "withdraw_dispute", "/matches/{id}/dispute/withdraw", _withdraw),
)
