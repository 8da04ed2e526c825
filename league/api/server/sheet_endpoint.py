"""`POST /sheets`: the sheets of clubs. The answer is the report of the import, or of its preview, as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace
from starlette.responses import JSONResponse, Response

from league.api.graphql.executing.context import Context
from league.api.graphql.threads import in_writing_thread
from league.api.server.endpoints import ErrorResponse
from league.api.server.uploads import UploadedForm
from league.application.preview import foreseen
from league.application.registering import named_players
from league.domain.collected_refusals import SheetRefused
from league.domain.refusals import InvalidInput, Refusal, UnknownName
from league.domain.seating import CompetitorId, players_of
from league.domain.sentences import say
from league.eventlog.records import AppendRequest
from league.infra.decoding import MB, PackedAnswer, Undecodable
from league.projections.difference.ratings import MoveRow
from league.projections.replays.preview import PreviewedChanges
from league.transfer.match_import import SheetPlace, UnjudgedRule
from league.transfer.sheets.reading import WORKBOOK, reading_of, unreadable
from league.transfer.sheets.sheet_import import (
    ReadRow,
    SheetFile,
    SheetOptions,
    SheetPlan,
    SheetReport,
    hash_of,
    import_sheet,
)
from league.wording.facts import not_judged_in_words
from league.wording.language import spoken

FIELDS = ("rules", "register", "names", "preview")
MOST_ROWS = 10_000
"""Limit on the rows of each sheet of an upload: the import holds a thread that writes."""
MOST_READ = 16 * MB
"""Limit on the bytes of the cells of an upload. 10,000 matches with 10,000 hands have 2 MB."""
LONGEST_NAME = 100
"""Limit on the characters of the file's name in the log."""


async def take_sheet(context: Context, upload: UploadedForm) -> Response:
    """Import a sheet, or say what its import would change. Raises Refusal."""
    try:
        return JSONResponse(await report_of(context, upload))
    except SheetRefused as refused:
        return sheet_refused(refused)


async def report_of(context: Context, upload: UploadedForm) -> dict[str, Any]:
    """The report of an import, or of its preview. Raises Refusal, or SheetRefused for a sheet with faults."""
    context.viewer.require("importSheet")
    check_fields(upload, FIELDS)
    options = SheetOptions(upload.fields.get("rules"), flag(upload, "register"), MOST_ROWS, names_meant(upload))
    file = await sheet_file(context, upload, MOST_ROWS)
    work = _preview if flag(upload, "preview") else _import
    return await in_writing_thread(work, context, file, options, upload.key)


async def sheet_file(context: Context, upload: UploadedForm, most_rows: int) -> SheetFile:
    """The sheet of an upload; a workbook is read by a process of its own. Raises SheetRefused, ClientLeft."""
    file = SheetFile(upload.file_name[-LONGEST_NAME:] or "sheet", upload.content)
    if not upload.content.startswith(WORKBOOK):
        return file
    return replace(file, read=await _read(context, upload, file.name, most_rows))


async def _read(context: Context, upload: UploadedForm, name: str, most_rows: int) -> PackedAnswer:
    try:
        return await context.decoders.answer(reading_of(upload.content, name, most_rows), upload.place, MOST_READ)
    except Undecodable as error:
        raise unreadable(name, error.reason) from error


def check_fields(upload: UploadedForm, known: Sequence[str]) -> None:
    """Raise InvalidInput for a field that the form does not have."""
    for name in upload.fields:
        if name not in known:
            raise InvalidInput(name, say("there is no such field; the fields are {names}", names=", ".join(known)))


def flag(upload: UploadedForm, name: str) -> bool:
    """Whether a field says `true`. Raises InvalidInput."""
    said = upload.fields.get(name, "false")
    if said not in ("true", "false"):
        raise InvalidInput(name, say("{said!r} is neither true nor false", said=said))
    return said == "true"


def names_meant(upload: UploadedForm) -> Mapping[str, str | None]:
    """The players that names of the sheet stand for. Raises InvalidInput."""
    try:
        return msgspec.json.decode(upload.fields.get("names", "{}"), type=dict[str, str | None])
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        reason = say("must be a JSON object: by a name of the sheet, an id, another name, or null for a new player")
        raise InvalidInput("names", reason) from error


def _import(context: Context, file: SheetFile, options: SheetOptions, key: str | None) -> dict[str, Any]:
    """Blocks."""
    request = AppendRequest(context.actor, "import", key, key and hash_of(file, options))
    return _report(import_sheet(file, options, context.league.store, context.league.dispatcher.clock, request))


def _preview(context: Context, file: SheetFile, options: SheetOptions, _: str | None) -> dict[str, Any]:
    """Blocks."""
    league, states = context.league, context.states()
    named = named_players(league.store)
    plan = SheetPlan(file, options, states, named)
    if plan.faults.count:
        raise plan.faults.refused()
    plan.report.position = league.store.head()
    found = foreseen(league.database.url, league.store, states, plan.appends)
    names = {**named, **{one.player: one.name for one in plan.report.registered}}
    return {**_report(plan.report), "rows": [_row(row) for row in plan.report.rows], "preview": _changes(found, names)}


def _report(report: SheetReport) -> dict[str, Any]:
    return {
        "position": str(report.position),
        "playersAdded": report.players_added,
        "matchesAdded": report.matches_added,
        "matchesSkipped": report.matches_skipped,
        "handsAdded": report.hands_added,
        "registered": [
            {"playerId": one.player, "name": one.name, "closeNames": list(one.close)} for one in report.registered
        ],
        "notes": [
            {
                "matchId": note.match, **_place(note.place), "text": spoken(note.text),
                "doubt": note.doubt and note.doubt.upper(),
            }
            for note in report.notes
        ],
        "notJudged": [_not_judged(one) for one in report.not_judged.values()],
    }  # fmt: skip


def _place(place: SheetPlace | None) -> dict[str, Any]:
    return {"sheet": place and place.sheet, "row": place and place.row}


def _row(row: ReadRow) -> dict[str, Any]:
    score = None if row.score is None else list(row.score)
    sides = list(row.sides)
    return {
        "row": row.number, "matchId": row.match, "sides": sides, "score": score, "winner": row.winner,
        "isNew": row.is_new,
    }  # fmt: skip


def _not_judged(one: UnjudgedRule) -> dict[str, Any]:
    found = one.found
    return {
        "rule": found.rule, "why": found.why.upper(), "fact": found.at, "hands": one.hands,
        "matchId": one.match, "hand": found.hand, **_place(one.place), "text": not_judged_in_words(found),
    }  # fmt: skip


def _changes(found: PreviewedChanges, names: Mapping[str, str | None]) -> dict[str, Any]:
    """The figures and the largest moves, as in the query `preview`; each move has the names of its players."""
    return {
        "playersMoved": found.players_moved,
        "teamsMoved": found.teams_moved,
        "matchesRatedAnew": found.matches_rated_anew,
        "badgesGained": found.badges_gained,
        "badgesLost": found.badges_lost,
        "ranksChanged": found.ranks_changed,
        "moves": [_move(row, names) for row in found.moves],
    }


def _move(row: MoveRow, names: Mapping[str, str | None]) -> dict[str, Any]:
    players = players_of(CompetitorId(row.id))
    return {
        "competitorId": row.id, "names": [names.get(player) or player for player in players],
        "subject": row.subject, "mode": row.mode, "before": row.before, "after": row.after,
    }  # fmt: skip


def faults_of(refused: SheetRefused) -> list[dict[str, Any]]:
    """The first faults of a sheet, each with its cell."""
    return [
        {
            "sheet": cell.sheet, "row": cell.row, "column": cell.column, "heading": cell.heading,
            "code": cell.refusal.code, "message": cell.refusal.said(spoken), **_unknown_name(cell.refusal),
        }
        for cell in refused.cells
    ]  # fmt: skip


def _unknown_name(found: Refusal) -> dict[str, Any]:
    if not isinstance(found, UnknownName):
        return {}
    closest = [{"playerId": player, "name": name} for player, name in found.closest]
    return {"name": found.name, "closest": closest}


def sheet_refused(refused: SheetRefused) -> Response:
    """The faults, in the shape of a GraphQL error."""
    extensions = {"code": refused.code, "count": refused.count, "faults": faults_of(refused)}
    return ErrorResponse(422, {"message": refused.said(spoken), "extensions": extensions})
