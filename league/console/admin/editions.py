"""Editions of the rules: the list, what one changes in words, publishing and adopting."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import number_of
from league.console.controls import day_in
from league.console.forms import FormPage
from league.console.pages import Page

HERE = Path(__file__).parent


def _two_editions(request: Request) -> Mapping[str, Any]:
    number, asked = number_of(request), request.query_params.get("against", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 10  # noqa: PLR2004  # what GraphQL's Int takes
    return {"number": number, "against": int(asked) if is_number else max(1, number - 1)}


def _adoption(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"edition": number_of(request), "from": day_in(form, "from"), "to": day_in(form, "to")}


EDITIONS = Page(
    path="/admin/editions",
    name="editions",
    folder=HERE,
    document="editions.graphql",
    template="editions.html",
    variables=lambda request: {"after": request.query_params.get("after")},
)

PUBLISH = FormPage(
    path="/admin/editions/publish",
    name="publish_edition",
    folder=HERE,
    document="publish_edition.graphql",
    template="publish_edition.html",
    requires="publishEdition",
    mutation="publish_edition.mutation.graphql",
    input=lambda form, _request: {"document": str(form.get("document", ""))},
    then=lambda answer, url: url("edition", number=answer["edition"]["number"]),
)

EDITION = Page(
    path="/admin/editions/{number}",
    name="edition",
    folder=HERE,
    document="edition.graphql",
    template="edition.html",
    variables=_two_editions,
    needs="edition",
)

ADOPT = FormPage(
    path="/admin/editions/{number}/adopt",
    name="adopt_edition",
    folder=HERE,
    document="edition.graphql",
    template="adopt_edition.html",
    variables=_two_editions,
    needs="edition",
    requires="adoptEdition",
    mutation="adopt_edition.mutation.graphql",
    input=_adoption,
    then=lambda _answer, url: url("editions") + "?stored=1",
)

PAGES = (EDITIONS, PUBLISH, EDITION, ADOPT)
