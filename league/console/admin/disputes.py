"""Disputes: the list, and the form that rejects one. Other answers are forms of the match."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FieldErrors, FormPage
from league.console.pages import Page
from league.wording.language import _

HERE = Path(__file__).parent


def _asked(request: Request) -> Mapping[str, Any]:
    asked = request.query_params
    return {"open": True if asked.get("all") != "1" else None, "after": asked.get("after")}


def _rejection(form: FormData, request: Request) -> Mapping[str, Any]:
    dispute = str(form.get("dispute", ""))
    if not (dispute.isascii() and dispute.isdigit()) or len(dispute) > 9:  # noqa: PLR2004  # what GraphQL's Int takes
        raise FieldErrors({"": _("This match has no open dispute.")})
    return {
        "match": request.path_params["id"],
        "dispute": int(dispute),
        "reason": str(form.get("reason", "")),
    }


DISPUTES = Page(
    path="/admin/disputes",
    name="disputes",
    folder=HERE,
    document="disputes.graphql",
    template="disputes.html",
    variables=_asked,
    requires="readDisputes",
)

REJECT = FormPage(
    path="/matches/{id}/dispute/reject",
    name="reject_dispute",
    folder=HERE,
    document="dispute.graphql",
    template="reject_dispute.html",
    variables=lambda request: {"id": request.path_params["id"]},
    needs="match",
    requires="rejectDispute",
    mutation="reject_dispute.mutation.graphql",
    input=_rejection,
    then=lambda _answer, url: url("disputes") + "?stored=1",
)

PAGES = (DISPUTES, REJECT)
