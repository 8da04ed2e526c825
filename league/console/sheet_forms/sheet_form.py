"""What forms that take a sheet share: what it would change is shown first, and nothing is stored that has a fault."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from league.api.graphql.executing.context import Context
from league.api.server.sheet_endpoint import faults_of, flag
from league.api.server.uploads import Upload
from league.console.asking import NoPage, Visitor
from league.console.forms import NO_CONTENT, SEE_OTHER, UNPROCESSABLE, Filled, new_key
from league.console.pages import Console, Page
from league.console.sent_forms import BY_MODULE, uploaded
from league.console.sheet_forms import kept_file
from league.console.sheet_forms.unknown_names import AskedName, as_field, said_in, with_faults
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.wording.language import spoken

MOST_FIELDS = 1000
"""Of the form: four for each unknown name, of which it shows 200 at the most."""

Fields = Mapping[str, str]
Report = dict[str, Any]


class SheetForm(Struct, frozen=True, kw_only=True):
    """A form that takes a sheet."""

    page: Page
    """Who has the permission that it requires may send a sheet."""
    fields: tuple[str, ...]
    """What the form sends beside the file and the names it asks for."""
    report_of: Callable[[Context, Upload], Awaitable[Report]]
    """Stores the sheet, or reads it for a preview. Raises Refusal."""
    stored: Callable[[Console, Request, Fields, Report], tuple[Mapping[str, Any], str]]
    """After a sheet was stored, what the page shows of the report, and the next page if the report notes nothing."""
    variables: Callable[[Fields], Mapping[str, Any]] = lambda _fields: {}
    """The variables of the page's query."""

    async def taken(self, console: Console, request: Request, visitor: Visitor) -> Response:
        """Store a sheet, or show what it would change or what is wrong with it.

        The next page says what is stored. If the report notes something the answer says both: no address has a report.
        """
        operation, longest = self.page.requires, kept_file.LARGEST
        assert operation is not None, "a page that stores something requires a permission"
        async with uploaded(console, request, visitor, operation, MOST_FIELDS, longest) as (context, upload):
            return await self._answered(console, request, visitor, context, upload)

    async def shown(
        self,
        console: Console,
        request: Request,
        visitor: Visitor,
        fields: Fields,
        form: Filled,
        *,
        status: int = 200,
        file: Upload | None = None,
        **more: Any,
    ) -> Response:
        """The page with the form; `file` is brought again by a hidden control."""
        values: dict[str, Any] = {
            **dict.fromkeys(("report", "stored", "noted")), "names": [], "faults": [], "fault_count": 0,
            "file": None if file is None else kept_file.packed(file), "file_name": file and file.file_name, **more,
        }  # fmt: skip
        return await console.shown(
            self.page, request, visitor, self.variables(fields), status=status, form=form, **values
        )

    async def _answered(
        self, console: Console, request: Request, visitor: Visitor, context: Context, upload: Upload
    ) -> Response:
        try:
            upload = kept_file.unpacked(upload)
        except InvalidInput as refused:
            raise NoPage(UNPROCESSABLE, refused.said(spoken)) from None
        names = said_in(upload.fields)
        fields = {name: value for name, value in upload.fields.items() if name in self.fields}
        filled = Filled(fields, {}, upload.key or new_key())
        shown = partial(self.shown, console, request, visitor, fields)
        try:
            report = await self.report_of(context, replace(upload, fields={**fields, "names": as_field(names)}))
        except SheetRefused as refused:
            return await shown(filled, status=UNPROCESSABLE, file=upload, **_what_is_wrong(refused, names))
        except Refusal as refused:
            failed = Filled(filled.typed, {"": refused.said(spoken)}, new_key())
            return await shown(failed, status=UNPROCESSABLE, file=upload, names=names)
        if flag(upload, "preview"):
            return await shown(filled, file=upload, report=report, names=names)
        values, address = self.stored(console, request, fields, report)
        if report["notes"] or report.get("notJudged"):
            return await shown(Filled(key=new_key()), **values)
        if BY_MODULE in request.headers:
            return Response(status_code=NO_CONTENT, headers={"Location": address})
        return RedirectResponse(address, SEE_OTHER)


def _what_is_wrong(refused: SheetRefused, names: Iterable[AskedName]) -> dict[str, Any]:
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
