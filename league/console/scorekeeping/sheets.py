"""Uploading a club's sheet. The page first shows what the sheet would change; a sheet with a fault is not stored."""

import binascii
import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.api.server.middleware import LARGEST_SHEET
from league.api.server.sheet_endpoint import faults_of, flag, report_of
from league.api.server.uploads import UploadedForm
from league.console.asking import NoPage, Visitor
from league.console.forms import NO_CONTENT, SEE_OTHER, UNPROCESSABLE, FilledForm
from league.console.pages import Console, Page, check_rights
from league.console.present import rulesets_in_force
from league.console.sent_forms import BY_MODULE, uploaded
from league.console.templates import new_key
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.wording.language import spoken

LARGEST_KEPT = 512 * 1024
"""Limit on the characters of a packed file. A larger file must be chosen again: the page would be slow on a phone."""
FILE, NAME = "keptFile", "keptName"
PASTED = "pasted"
"""The control for a list that is pasted in place of a file."""


def packed(upload: UploadedForm) -> dict[str, str] | None:
    """Hidden controls with the packed file of an upload, so that the form sends it again; None if it is too large."""
    content = b64encode(zlib.compress(upload.content)).decode()
    return {FILE: content, NAME: upload.file_name} if len(content) <= LARGEST_KEPT else None


def unpacked(upload: UploadedForm) -> UploadedForm:
    """The upload with the file from its hidden controls, unless another file was chosen. Raises InvalidInput."""
    fields = dict(upload.fields)
    content, name = fields.pop(FILE, ""), fields.pop(NAME, "")
    if upload.content or upload.file_name or not content:
        return replace(upload, fields=fields)
    unpacking = zlib.decompressobj()
    try:
        file = unpacking.decompress(b64decode(content, validate=True), LARGEST_SHEET)
    except (binascii.Error, zlib.error) as error:
        raise InvalidInput("file", say("the file has not arrived whole: choose it again")) from error
    if not unpacking.eof:
        raise InvalidInput("file", say("the file has not arrived whole: choose it again"))
    return replace(upload, fields=fields, file_name=name, content=file)


NEW, OTHER, PLAYER = "new", "other", "player:"
REGISTER_ALL = "registerAll"
"""The button that registers every unknown name to which no player's name is near. It stores nothing yet."""


class AskedName(Struct, frozen=True):
    """An unknown name in the sheet, and the player whom the form says it means."""

    name: str
    chosen: str = ""
    """`new`, `other`, or `player:` with an id, a space and a name; empty if nothing is chosen yet."""
    other: str = ""
    """The name to read instead."""
    closest: tuple[Mapping[str, str], ...] = ()
    """The players with the closest names: `playerId` and `name`."""
    cells: tuple[Mapping[str, Any], ...] = ()
    """The cells with the name, as `faults_of` returns them; none once somebody has said who is meant."""

    @property
    def meant(self) -> str | None:
        """The id or the name to read in place of this name; None for a new player."""
        if self.chosen == NEW:
            return None
        return self.other if self.chosen == OTHER else self.chosen.removeprefix(PLAYER).partition(" ")[0]

    @property
    def read_as(self) -> str:
        """The name to read in place of this name, for people."""
        return self.other if self.chosen == OTHER else self.chosen.removeprefix(PLAYER).partition(" ")[2]

    @property
    def is_said(self) -> bool:
        """Whether somebody has said who is meant."""
        return self.chosen == NEW or self.chosen.startswith(PLAYER) or (self.chosen == OTHER and self.other != "")


def said_in(fields: Mapping[str, str]) -> list[AskedName]:
    """The names for which a form says who is meant, in its order."""
    found = []
    for number in [name.removeprefix("name.") for name in fields if name.startswith("name.")]:
        other = fields.get(f"other.{number}", "").strip()
        unsaid = NEW if REGISTER_ALL in fields and f"fresh.{number}" in fields else ""
        chosen = fields.get(f"as.{number}", OTHER if other else unsaid)
        found.append(AskedName(fields[f"name.{number}"], chosen, other))
    return found


def as_field(names: Iterable[AskedName]) -> str:
    """The field `names` of an upload: what each decided name stands for, as JSON."""
    return json.dumps({one.name: one.meant for one in names if one.is_said})


def with_faults(said: Iterable[AskedName], faults: Iterable[Mapping[str, Any]]) -> list[AskedName]:
    """The decided names, then the names that are still unknown, each with all of its cells."""
    found: dict[str, AskedName] = {}
    for fault in faults:
        known = found.get(fault["name"], AskedName(fault["name"], closest=tuple(fault["closest"])))
        found[fault["name"]] = replace(known, cells=(*known.cells, fault))
    return [*(one for one in said if one.is_said and one.name not in found), *found.values()]


MOST_FIELDS = 1200
"""Limit on the fields of the form: five for each unknown name, of which the page shows at most 200."""

Fields = Mapping[str, str]
Report = dict[str, Any]


class SheetForm(Struct, frozen=True, kw_only=True):
    """A form by which people upload a sheet."""

    page: Page
    """The page of the form. Whoever has the permission that the page requires may send a sheet."""
    fields: tuple[str, ...]
    """The fields of the form besides the file and the names."""
    report_of: Callable[[Context, UploadedForm], Awaitable[Report]]
    """Stores the sheet, or reads it for a preview. Raises Refusal."""
    stored: Callable[[Console, Request, Fields, Report], tuple[Mapping[str, Any], str]]
    """For a stored sheet: the values that the page shows, and the next page if the report has no notes."""
    pasted: Callable[[str], bytes] | None = None
    """Makes a CSV file of what is pasted into the control `pasted`, unless a file is chosen. None: no such control."""
    variables: Callable[[Fields], Mapping[str, Any]] = lambda _fields: {}
    """The variables of the page's query."""

    async def taken(self, console: Console, request: Request, visitor: Visitor) -> Response:
        """Store a sheet, or show what it would change, or what is wrong with it.

        The next page says what was stored. If the report has notes, the answer itself shows both, because a report does
        not fit into an address.
        """
        operation, longest = self.page.requires, LARGEST_KEPT
        assert operation is not None, "a page that stores something requires a permission"
        async with uploaded(console, request, visitor, operation, MOST_FIELDS, longest) as (context, upload):
            return await self._answered(console, request, visitor, context, upload)

    async def shown(
        self,
        console: Console,
        request: Request,
        visitor: Visitor,
        fields: Fields,
        form: FilledForm,
        *,
        status: int = 200,
        file: UploadedForm | None = None,
        **more: Any,
    ) -> Response:
        """The page with the form. `file`: the file that the form sends again by hidden controls."""
        values: dict[str, Any] = {
            **dict.fromkeys(("report", "stored", "noted")), "names": [], "faults": [], "fault_count": 0,
            "file": None if file is None else packed(file), "file_name": file and file.file_name, **more,
        }  # fmt: skip
        return await console.shown(
            self.page, request, visitor, self.variables(fields), status=status, form=form, **values
        )

    async def _answered(
        self, console: Console, request: Request, visitor: Visitor, context: Context, upload: UploadedForm
    ) -> Response:
        kept, text = None, upload.fields.get(PASTED, "")
        try:
            if self.pasted is not None and text.strip() and not upload.content:
                upload = replace(upload, content=self.pasted(text), file_name="")
            else:
                kept = upload = unpacked(upload)
        except InvalidInput as refused:
            raise NoPage(UNPROCESSABLE, refused.said(spoken)) from None
        names = said_in(upload.fields)
        fields = {name: value for name, value in upload.fields.items() if name in self.fields}
        if REGISTER_ALL in upload.fields:
            fields["preview"] = "true"  # who is registered is shown before it is stored
        typed = {**fields, **({PASTED: text} if self.pasted is not None else {})}
        filled = FilledForm(typed, {}, upload.key or new_key())
        shown = partial(self.shown, console, request, visitor, fields)
        try:
            report = await self.report_of(context, replace(upload, fields={**fields, "names": as_field(names)}))
        except SheetRefused as refused:
            return await shown(filled, status=UNPROCESSABLE, file=kept, **_what_is_wrong(refused, names))
        except Refusal as refused:
            failed = FilledForm(filled.typed, {"": refused.said(spoken)}, new_key())
            return await shown(failed, status=UNPROCESSABLE, file=kept, names=names)
        if "preview" in fields and flag(replace(upload, fields=fields), "preview"):
            return await shown(filled, file=kept, report=report, names=names)
        values, address = self.stored(console, request, fields, report)
        if report["notes"] or report.get("notJudged"):
            return await shown(FilledForm(key=new_key()), **values)
        if BY_MODULE in request.headers:
            return Response(status_code=NO_CONTENT, headers={"Location": address})
        return RedirectResponse(address, SEE_OTHER)


def _what_is_wrong(refused: SheetRefused, names: Iterable[AskedName]) -> dict[str, Any]:
    """The faults of a sheet as the page shows them: it asks who unknown names are, and lists all other faults."""
    faults = faults_of(refused)
    unknown = with_faults(names, [fault for fault in faults if "name" in fault])
    others = _by_message(fault for fault in faults if "name" not in fault)
    return {"names": unknown, "faults": others, "fault_count": refused.count}


def _by_message(faults: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The faults grouped by sheet, column and message, each with all its cells."""
    cells: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for fault in faults:
        cells.setdefault((fault["sheet"], fault["heading"], fault["message"]), []).append(fault)
    return [
        {"sheet": sheet, "heading": heading, "message": message, "cells": found}
        for (sheet, heading, message), found in cells.items()
    ]


COUNTS = {"matches": "matchesAdded", "skipped": "matchesSkipped", "hands": "handsAdded", "players": "playersAdded"}
"""The counts that the page shows of a stored sheet: the parameter of its address, and the key in the report."""
COUNT = re.compile("[0-9]{1,9}")


def _stored(console: Console, request: Request, _fields: Fields, report: Report) -> tuple[Mapping[str, Any], str]:
    counts = {name: report[key] for name, key in COUNTS.items()}
    return {"stored": counts, "noted": report}, f"{console.address_of(request, PAGE.path)}?{urlencode(counts)}"


PAGE = Page(
    path="/record/sheet",
    name="record_sheet",
    folder=Path(__file__).parent,
    document="""
      query SheetForm {
        league { name timeZone }
        timeline { start edition { number rulesets { name title } } }
      }
    """,
    template="sheet.html",
    requires="importSheet",
    adds=lambda data, _request: {"rulesets": rulesets_in_force(data["timeline"])},
)
SHEET = SheetForm(page=PAGE, fields=("rules", "register", "preview"), report_of=report_of, stored=_stored)


def routes(console: Console) -> list[Route]:
    """The route of the page. It receives the file itself, and checks the right to send it before it reads any of it."""

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await SHEET.taken(console, request, visitor)
            check_rights(PAGE, visitor)
            stored = {name: request.query_params.get(name, "") for name in COUNTS}
            counts = {name: int(text) for name, text in stored.items() if COUNT.fullmatch(text)}
            whole = counts if len(counts) == len(COUNTS) else None
            return await SHEET.shown(console, request, visitor, {}, FilledForm(key=new_key()), stored=whole)

        return await console.answer(request, make)

    return [Route(PAGE.path, answer, methods=["GET", "POST"], name=PAGE.name)]
