"""Uploading a club's sheet: what it would change is shown first, and nothing is stored that has a fault."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.api.server.sheet_endpoint import report_of
from league.console.asking import Visitor
from league.console.forms import Filled, new_key
from league.console.pages import Console, Page, check_rights
from league.console.present import rulesets_in_force
from league.console.sent_forms import uploaded
from league.console.sheet_forms.sheet_form import Fields, Report, SheetForm

COUNTS = {"matches": "matchesAdded", "skipped": "matchesSkipped", "hands": "handsAdded", "players": "playersAdded"}
"""What the page shows of a sheet that was stored: in its address, as the report calls it."""
COUNT = re.compile("[0-9]{1,9}")


def _stored(console: Console, request: Request, _fields: Fields, report: Report) -> tuple[Mapping[str, Any], str]:
    counts = {name: report[key] for name, key in COUNTS.items()}
    return {"stored": counts, "noted": report}, f"{console.address_of(request, PAGE.path)}?{urlencode(counts)}"


PAGE = Page(
    path="/record/sheet",
    name="record_sheet",
    folder=Path(__file__).parent,
    document="sheet.graphql",
    template="sheet.html",
    requires="importSheet",
    adds=lambda data, _request: {"rulesets": rulesets_in_force(data["timeline"])},
)
SHEET = SheetForm(page=PAGE, fields=("rules", "register", "preview"), report_of=report_of, stored=_stored)


def routes(console: Console) -> list[Route]:
    """The route of the page, which takes the file itself: no part of it is read before the right to send it is."""

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await SHEET.taken(console, request, visitor)
            check_rights(PAGE, visitor)
            stored = {name: request.query_params.get(name, "") for name in COUNTS}
            counts = {name: int(text) for name, text in stored.items() if COUNT.fullmatch(text)}
            whole = counts if len(counts) == len(COUNTS) else None
            return await SHEET.shown(console, request, visitor, {}, Filled(key=new_key()), stored=whole)

        return await console.answer(request, make)

    return [Route(PAGE.path, answer, methods=["GET", "POST"], name=PAGE.name)]
