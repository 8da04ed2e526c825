"""`POST /entries`: a sheet of who enters a tournament. The answer is everybody in it as JSON, or what is wrong."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.graphql.executing.context import Context, Process
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.threads import in_writing_thread
from league.api.server.sheet_endpoint import check_fields, flag, names_meant, sheet_file, sheet_refused
from league.api.server.uploads import Upload, UploadEndpoint
from league.domain.collected_refusals import SheetRefused
from league.domain.competitor import competitor_of
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.records import Request
from league.tournaments.transfer.entries_sheet import MOST_ROWS, Entries, enter_from_sheet, entries_in, hash_of
from league.wording.language import spoken

FIELDS = ("tournament", "names", "preview")


def endpoints(process: Process) -> list[BaseRoute]:
    """The address of sheets."""
    upload = UploadEndpoint(partial(Context, process), "/entries", "enterTournament", _take)
    return [Route("/entries", upload.answer, methods=["POST"])]


async def _take(context: Context, upload: Upload) -> Response:
    try:
        return JSONResponse(await report_of(context, upload))
    except SheetRefused as refused:
        return sheet_refused(refused)


async def report_of(context: Context, upload: Upload) -> dict[str, Any]:
    """Everybody in a sheet, who entered or would enter. Raises Refusal, of a sheet with faults SheetRefused."""
    context.viewer.require("enterTournament")
    check_fields(upload, FIELDS)
    if "tournament" not in upload.fields:
        raise InvalidInput("tournament", say("name the tournament"))
    tournament = local_id("Tournament", upload.fields["tournament"])
    meant, is_preview = _known_players(names_meant(upload)), flag(upload, "preview")
    file = await sheet_file(context, upload, MOST_ROWS)

    def work() -> dict[str, Any]:
        if is_preview:
            position = context.league.store.head()
            return _report(entries_in(file, tournament, context.states(), meant), position)
        assert context.viewer.sub is not None, "who may do anything has a name"
        input_hash = upload.key and hash_of(file, tournament, meant)
        request = Request(context.viewer.sub, "import", upload.key, input_hash)
        return _report(*enter_from_sheet(file, tournament, context.states, meant, request))

    return await in_writing_thread(work)


def _known_players(meant: Mapping[str, str | None]) -> dict[str, str]:
    """What names stand for, none of them a new player. Raises InvalidInput."""
    known = {name: other for name, other in meant.items() if other is not None}
    if new := [name for name in meant if name not in known]:
        reason = say("a sheet of entries registers nobody: register {name!r} first, or name a player", name=new[0])
        raise InvalidInput("names", reason)
    return known


def _report(entries: Entries, position: int) -> dict[str, Any]:
    return {
        "position": str(position),
        "rows": [
            {
                "row": one.row,
                "competitorId": competitor_of(one.command.players),
                "playerIds": list(one.command.players),
                "names": list(one.names),
                "fixedTable": one.command.fixed_table,
            }
            for one in entries.rows
        ],
        "notes": [spoken(note) for note in entries.notes],
    }
