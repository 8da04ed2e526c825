"""Uploading a club's sheet: what it would change is shown first, and nothing is stored that has a fault."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.api.server.sheet_endpoint import faults_of, report_of
from league.api.server.uploads import Upload
from league.console.asking import NoPage
from league.console.edition_in_force import rulesets_in_force
from league.console.forms import NO_CONTENT, SEE_OTHER, UNPROCESSABLE, Filled, new_key
from league.console.pages import Console, Page, check_rights
from league.console.sent_forms import BY_MODULE
from league.console.sheet_forms import kept_file
from league.console.sheet_forms.unknown_names import AskedName, as_field, said_in, with_faults
from league.console.uploading import uploaded
from league.console.visitors import Visitor
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.wording.language import spoken

COUNTS = {"matches": "matchesAdded", "skipped": "matchesSkipped", "hands": "handsAdded", "players": "playersAdded"}
"""What the page shows of a sheet that was stored: in its address, as the report calls it."""
COUNT = re.compile("[0-9]{1,9}")
FIELDS = ("rules", "register", "preview")
MOST_FIELDS = 1000
"""Of the form: four for each unknown name, of which it shows 200 at the most."""

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
    """Store a sheet, or show what it would change or what is wrong with it.

    The next page says what is stored. If the report notes something the answer says both: no address has a report.
    """
    async with uploaded(console, request, visitor, "importSheet", MOST_FIELDS, kept_file.LARGEST) as (context, upload):
        return await _answered(console, request, visitor, context, upload)


async def _answered(console: Console, request: Request, visitor: Visitor, context: Context, upload: Upload) -> Response:
    try:
        upload = kept_file.unpacked(upload)
    except InvalidInput as refused:
        raise NoPage(UNPROCESSABLE, refused.said(spoken)) from None
    names = said_in(upload.fields)
    fields = {name: value for name, value in upload.fields.items() if name in FIELDS}
    filled = Filled(fields, {}, upload.key or new_key())
    shown = partial(_shown, console, request, visitor, file=upload)
    try:
        report = await report_of(context, replace(upload, fields={**fields, "names": as_field(names)}))
    except SheetRefused as refused:
        return await shown(filled, status=UNPROCESSABLE, **what_is_wrong(refused, names))
    except Refusal as refused:
        failed = Filled(filled.typed, {"": refused.said(spoken)}, new_key())
        return await shown(failed, status=UNPROCESSABLE, names=names)
    if "preview" in report:
        return await shown(filled, report=report, names=names)
    counts = {name: report[key] for name, key in COUNTS.items()}
    if report["notes"] or report["notJudged"]:
        return await _shown(console, request, visitor, Filled(key=new_key()), stored=counts, noted=report)
    address = f"{console.address_of(request, SHEET.path)}?{urlencode(counts)}"
    return on_to(request, address)


def on_to(request: Request, address: str) -> Response:
    """The way to the next page after a sheet was stored."""
    if BY_MODULE in request.headers:
        return Response(status_code=NO_CONTENT, headers={"Location": address})
    return RedirectResponse(address, SEE_OTHER)


def what_is_wrong(refused: SheetRefused, names: Iterable[AskedName]) -> dict[str, Any]:
    """The faults of a sheet as its form shows them: unknown names are asked for, all others listed."""
    faults = faults_of(refused)
    unknown = with_faults(names, [fault for fault in faults if "name" in fault])
    others = _by_message(fault for fault in faults if "name" not in fault)
    return {"names": unknown, "faults": others, "fault_count": refused.count}


def _by_message(faults: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The faults of the columns of each sheet, each once with all its cells."""
    cells: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for fault in faults:
        cells.setdefault((fault["sheet"], fault["heading"], fault["message"]), []).append(fault)
    return [
        {"sheet": sheet, "heading": heading, "message": message, "cells": found}
        for (sheet, heading, message), found in cells.items()
    ]


async def _shown(
    console: Console,
    request: Request,
    visitor: Visitor,
    form: Filled,
    *,
    status: int = 200,
    file: Upload | None = None,
    **more: Any,
) -> Response:
    brings = None if file is None else kept_file.packed(file)
    nothing: Mapping[str, Any] = dict.fromkeys(("report", "stored", "noted")) | {
        "names": [], "faults": [], "fault_count": 0,
    }  # fmt: skip
    more = {"file": brings, "file_name": file and file.file_name, **more}
    return await console.shown(SHEET, request, visitor, {}, status=status, form=form, **{**nothing, **more})
