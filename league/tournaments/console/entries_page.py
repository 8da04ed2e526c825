"""Entering everybody in a sheet: who would enter is shown first, and nobody enters if there is a fault."""

from functools import partial
from typing import Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.api.server.uploads import Upload
from league.console.asking import NoPage
from league.console.forms import UNPROCESSABLE, Filled, new_key
from league.console.pages import Console, Page, check_rights
from league.console.sheet_forms import MOST_FIELDS, kept_file, on_to, what_is_wrong
from league.console.sheet_forms.unknown_names import as_field, said_in
from league.console.uploading import uploaded
from league.console.visitors import Visitor
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.tournaments.console.pages import FOLDER
from league.tournaments.entries_sheet import report_of
from league.wording.language import _, spoken

FIELDS = ("tournament", "preview")
ENTRIES = Page(
    path="/record/entries",
    name="enter_sheet",
    folder=FOLDER,
    document="enter_sheet.graphql",
    template="enter_sheet.html",
    requires="enterTournament",
    needs="tournament",
)


def routes(console: Console) -> list[Route]:
    """The route of the page, which takes the file itself: no part of it is read before the right to send it is."""

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await _taken(console, request, visitor)
            check_rights(ENTRIES, visitor)
            if not visitor.may("enterTournament"):
                raise NoPage(403, _("Your role does not allow this."))
            tournament = request.query_params.get("tournament", "")
            return await _shown(console, request, visitor, tournament, Filled(key=new_key()))

        return await console.answer(request, make)

    return [Route(ENTRIES.path, answer, methods=["GET", "POST"], name=ENTRIES.name)]


async def _taken(console: Console, request: Request, visitor: Visitor) -> Response:
    """Enter everybody, or show who would enter or what is wrong with the sheet."""
    longest = kept_file.LARGEST
    async with uploaded(console, request, visitor, "enterTournament", MOST_FIELDS, longest) as (context, upload):
        return await _answered(console, request, visitor, context, upload)


async def _answered(console: Console, request: Request, visitor: Visitor, context: Context, upload: Upload) -> Response:
    try:
        upload = kept_file.unpacked(upload)
    except InvalidInput as refused:
        raise NoPage(UNPROCESSABLE, refused.said(spoken)) from None
    names = said_in(upload.fields)
    fields = {name: value for name, value in upload.fields.items() if name in FIELDS}
    tournament = fields.get("tournament", "")
    filled = Filled(fields, {}, upload.key or new_key())
    shown = partial(_shown, console, request, visitor, tournament, file=upload)
    try:
        report = await report_of(context, replace(upload, fields={**fields, "names": as_field(names)}))
    except SheetRefused as refused:
        return await shown(filled, status=UNPROCESSABLE, **what_is_wrong(refused, names))
    except Refusal as refused:
        failed = Filled(filled.typed, {"": refused.said(spoken)}, new_key())
        return await shown(failed, status=UNPROCESSABLE, names=names)
    if "preview" in fields:
        return await shown(filled, report=report, names=names)
    if report["notes"]:
        return await _shown(console, request, visitor, tournament, Filled(key=new_key()), stored=report)
    return on_to(request, console.url(request, "tournament", id=tournament))


async def _shown(
    console: Console,
    request: Request,
    visitor: Visitor,
    tournament: str,
    form: Filled,
    *,
    status: int = 200,
    file: Upload | None = None,
    **more: Any,
) -> Response:
    brings = None if file is None else kept_file.packed(file)
    nothing: dict[str, Any] = {"report": None, "stored": None, "names": [], "faults": [], "fault_count": 0}
    more = {"file": brings, "file_name": file and file.file_name, **more}
    variables = {"id": tournament}
    return await console.shown(ENTRIES, request, visitor, variables, status=status, form=form, **{**nothing, **more})
