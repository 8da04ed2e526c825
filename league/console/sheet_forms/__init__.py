"""Uploading a club's sheet: what it would change is shown first, and nothing is stored that has a fault."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from league.api.server.sheet_endpoint import faults_of, report_of
from league.console.edition_in_force import rulesets_in_force
from league.console.forms import BY_MODULE, NO_CONTENT, SEE_OTHER, UNPROCESSABLE, Filled, new_key
from league.console.pages import Console, Page, check_rights
from league.console.uploading import uploaded
from league.console.visitors import Visitor
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import Refusal
from league.wording.language import spoken

COUNTS = {"matches": "matchesAdded", "skipped": "matchesSkipped", "hands": "handsAdded", "players": "playersAdded"}
"""What the page shows of a sheet that was stored: in its address, as the report calls it."""
COUNT = re.compile("[0-9]{1,9}")

SHEET = Page(
    path="/record/sheet",
    name="record_sheet",
    folder=Path(__file__).parent,
    document="sheet.graphql",
    template="sheet.html",
    requires="importSheet",
    adds=lambda data, _request: {"rulesets": rulesets_in_force(data["timeline"])},
)


def routes(console: Console) -> list[Route]:
    """The route of the page, which takes the file itself: no part of it is read before the right to send it is."""

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await _taken(console, request, visitor)
            check_rights(SHEET, visitor)
            stored = {name: request.query_params.get(name, "") for name in COUNTS}
            counts = {name: int(text) for name, text in stored.items() if COUNT.fullmatch(text)}
            whole = counts if len(counts) == len(COUNTS) else None
            return await _shown(console, request, visitor, Filled(key=new_key()), stored=whole)

        return await console.answer(request, make)

    return [Route(SHEET.path, answer, methods=["GET", "POST"], name=SHEET.name)]


async def _taken(console: Console, request: Request, visitor: Visitor) -> Response:
    """Store a sheet, or show what it would change or what is wrong with it."""
    context, upload = await uploaded(console, request, visitor, "importSheet")
    filled = Filled(upload.fields, {}, upload.key or new_key())
    try:
        report = await report_of(context, upload)
    except SheetRefused as refused:
        faults = {"faults": _by_message(faults_of(refused)), "fault_count": refused.count}
        return await _shown(console, request, visitor, filled, status=UNPROCESSABLE, **faults)
    except Refusal as refused:
        failed = Filled(filled.typed, {"": refused.said(spoken)}, new_key())
        return await _shown(console, request, visitor, failed, status=UNPROCESSABLE)
    if "preview" in report:
        return await _shown(console, request, visitor, filled, report=report)
    counts = {name: report[key] for name, key in COUNTS.items()}
    address = f"{console.address_of(request, SHEET.path)}?{urlencode(counts)}"
    if BY_MODULE in request.headers:
        return Response(status_code=NO_CONTENT, headers={"Location": address})
    return RedirectResponse(address, SEE_OTHER)


def _by_message(faults: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The faults of a sheet, each once with all its cells: an unknown name may be in many rows."""
    cells: dict[str, list[Mapping[str, Any]]] = {}
    for fault in faults:
        cells.setdefault(fault["message"], []).append(fault)
    return [{"message": message, "cells": found} for message, found in cells.items()]


async def _shown(
    console: Console, request: Request, visitor: Visitor, form: Filled, *, status: int = 200, **more: Any
) -> Response:
    nothing: Mapping[str, Any] = {"report": None, "stored": None, "faults": [], "fault_count": 0}
    return await console.shown(SHEET, request, visitor, {}, status=status, form=form, **{**nothing, **more})
