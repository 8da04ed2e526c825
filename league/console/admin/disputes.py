"""Disputes: the list, and the form that rejects one. Other answers are forms of the match."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.controls import Control
from league.console.forms import STORED, Link, PlainForm, to
from league.console.match_forms.form_of_match import DISPUTE, no_open_dispute
from league.console.pages import Page
from league.domain.sentences import say

HERE = Path(__file__).parent


def _asked(request: Request) -> Mapping[str, Any]:
    return {"open": True if request.query_params.get("all") != "1" else None}


PAGES = (
    Page(
        path="/admin/disputes",
        name="disputes",
        folder=HERE,
        document="disputes.graphql",
        template="disputes.html",
        variables=_asked,
        requires="readDisputes",
    ),
    PlainForm(
        mutation="rejectDispute",
        path="/matches/{id}/dispute/reject",
        folder=HERE,
        document="dispute.graphql",
        needs="match",
        address={"match": "id"},
        heading=say("Reject the dispute"),
        button=say("Let the result stand"),
        about="admin/about_dispute.html",
        controls=(
            DISPUTE,
            Control("reason", say("Why the result stands, for everybody to read"), attributes={"maxlength": 1000}),
        ),
        nothing=no_open_dispute,
        way=Link("disputes", say("Disputes")),
        back=Link("disputes", say("Back")),
        then=to("disputes", STORED),
        styles=("record.css",),
    ),
)
