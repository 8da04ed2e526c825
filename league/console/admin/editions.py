"""Editions of the rules: the list, what one changes in words, publishing and adopting."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.addresses import number_of
from league.console.controls import Control
from league.console.forms import STORED, FormPage, Link, PlainForm, to
from league.console.pages import Page
from league.domain.sentences import say

HERE = Path(__file__).parent


def _two_editions(request: Request) -> Mapping[str, Any]:
    number, asked = number_of(request), request.query_params.get("against", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 10  # noqa: PLR2004  # what GraphQL's Int takes
    return {"number": number, "against": int(asked) if is_number else max(1, number - 1)}


page = partial(Page, folder=HERE)

PAGES = (
    page(
        path="/admin/editions",
        name="editions",
        document="editions.graphql",
        template="editions.html",
    ),
    FormPage(
        mutation="publishEdition",
        path="/admin/editions/publish",
        folder=HERE,
        document="query PublishEdition { league { name timeZone } }",
        template="publish_edition.html",
        controls=(Control("document"),),
        then=to("edition", number="edition.number"),
    ),
    page(
        path="/admin/editions/{number}",
        name="edition",
        document="edition.graphql",
        template="edition.html",
        variables=_two_editions,
        needs="edition",
    ),
    PlainForm(
        mutation="adoptEdition",
        path="/admin/editions/{number}/adopt",
        folder=HERE,
        document="edition.graphql",
        variables=_two_editions,
        needs="edition",
        address={"edition": "number"},
        heading=say("Adopt edition {number}"),
        button=say("Adopt the edition"),
        words=say(
            "Matches that began in the span are scored and rated again by this edition. A replay shows first who "
            "would move; rolling back undoes the adoption."
        ),
        shows="admin/what_edition_changes.html",
        values=lambda data: {"number": data["edition"]["number"]},
        controls=(
            Control("from", say("From (empty: from the beginning)")),
            Control("to", say("To, exclusive (empty: without end)")),
        ),
        way=Link("editions", say("Editions of the rules")),
        back=Link("edition", say("Back"), ("number",)),
        then=to("editions", STORED),
        is_danger=True,
        styles=("admin.css",),
    ),
)
