"""Backups for admins: when the latest one was begun, and a new one as a stream of bytes."""

from collections.abc import Iterator
from datetime import datetime

import strawberry

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.object_fields import LogEventRef, field_of
from league.api.graphql.threads import in_writing_thread
from league.application import storing
from league.audit.signed_heads import raw
from league.domain.audit_trail import RowsExported
from league.eventlog.records import AppendRequest
from league.projections.queries.log import LogEntry
from league.projections.queries.trail import latest_export
from league.transfer.backup_format import FORMAT
from league.transfer.backup_stream import backup_stream

BACKUP = "backup"
"""What the trail calls it, as it does for `league backup`."""
POINTS = 500
"""Points of a backup: as many as an upload takes."""


@strawberry.type
class BackupQueries:
    @field_of(
        LogEventRef | None,
        "The event of the latest backup, which is stored when its writing begins; null: there is none. Roles: admin; "
        + REFUSED_TO_OTHERS,
    )
    async def last_backup(self, info: Info) -> LogEntry | None:
        check_may_read(info.context.viewer, "downloadBackup")
        return await info.context.reader.read(latest_export, BACKUP)


async def new_backup(context: Context, made_at: datetime) -> Iterator[bytes]:
    """The bytes of a backup of the league as it is now, without photos. The trail says who asked for it.

    Raises Forbidden, NotSignedIn, RateLimited.
    """
    context.viewer.require("downloadBackup")
    if context.client is not None:
        context.rate_limits.spend(context.client, POINTS)
    league, made = context.league, RowsExported(BACKUP, FORMAT, None)
    await in_writing_thread(storing.record, league.store, made, AppendRequest(context.actor, "manual"))
    key = None if league.key is None else raw(league.key.public_key())
    return backup_stream(league.database.url, made_at, key)
