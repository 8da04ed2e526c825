"""Backups for admins: when the latest one was begun, and a new one as a download."""

from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from league.api.backups import new_backup
from league.console.asking import NoPage, Visitor
from league.console.pages import Console, Page, check_rights
from league.console.posts import check_origin
from league.console.present import present
from league.domain.refusals import Refusal
from league.wording.language import spoken

BACKUP = Page(
    path="/admin/backup",
    name="backup",
    folder=Path(__file__).parent,
    document="query Backup { league { name timeZone } lastBackup { position recordedAt } }",
    requires="downloadBackup",
    needs="league",
)
PAGES = (BACKUP,)


def routes(console: Console) -> list[BaseRoute]:
    """The route of the file. It takes posts only, because each backup is noted in the trail."""
    return [Route("/admin/backup/file", partial(_file, console), methods=["POST"], name="backup_file")]


async def _file(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        check_origin(request, console.public_url)
        check_rights(BACKUP, visitor)
        data = await console.executor.ask(request, visitor, BACKUP.text, BACKUP.asked(request))
        if data["league"] is None:
            raise NoPage(404)
        made_at = present()
        try:
            chunks = await new_backup(console.executor.context(request, visitor), made_at)
        except Refusal as refused:
            raise NoPage(409, refused.said(spoken)) from None
        headers = {
            "Content-Disposition": f'attachment; filename="league-{made_at:%Y-%m-%d}.backup"',
            "Cache-Control": "private, no-store",
            "Vary": "Cookie",
        }
        return StreamingResponse(chunks, media_type="application/gzip", headers=headers)

    return await console.answer(request, make)
