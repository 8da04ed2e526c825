"""Backups for admins: when the latest one was begun, and a new one as a stream of bytes."""

import threading
from collections.abc import Iterator
from datetime import datetime

import strawberry

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.object_fields import LogEventRef, field_of
from league.api.graphql.threads import in_writing_thread
from league.domain.sentences import say
from league.domain.wrong_states import BackupIsRunning
from league.projections.queries.log import LogEntry
from league.projections.queries.trail import latest_export
from league.transfer.backup import BACKUP, begin_backup
from league.transfer.backup_stream import backup_stream

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


RUNNING = threading.Lock()
"""Held while this process writes a backup, which takes a core, a connection and a snapshot of the database."""


async def new_backup(context: Context, made_at: datetime) -> Iterator[bytes]:
    """The bytes of a backup of the league as it is now, without photos. The trail says who asked for it.

    Raises Forbidden, NotSignedIn, RateLimited, BackupIsRunning.
    """
    context.viewer.require("downloadBackup")
    if not RUNNING.acquire(blocking=False):
        reason = say("one is written at a time; try again when it is done")
        raise BackupIsRunning(say("the backup"), say("being written"), reason)
    try:
        if context.client is not None:
            context.rate_limits.spend(context.client, POINTS)
        key = await in_writing_thread(begin_backup, context.league, context.actor)
    except BaseException:
        RUNNING.release()
        raise
    chunks = _until_released(backup_stream(context.league.database.url, made_at, key))
    next(chunks)
    return chunks


def _until_released(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks after an empty one. Once the first was taken, closing or losing the iterator lets another begin."""
    try:
        yield b""
        yield from chunks
    finally:
        RUNNING.release()
