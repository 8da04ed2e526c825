"""The events behind the values that the API returns."""

from datetime import datetime
from enum import Enum

import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping.made_of import made_of
from league.projections.queries.log import LogEntry


@strawberry.enum(description="Where an event came from.")
class EventSource(Enum):
    MANUAL = word("manual", description="A request, a page or the command line.")
    IMPORT = word("import", description="An import.")
    LIVE = word("live", description="A live table, or the server by itself when a time has come.")
    PHOTO = word("photo", description="A hand whose tiles were counted on photos.")


@strawberry.type(description="An event of the league's log: what happened at this position.")
class LogEvent:
    position: BigInt = field(description="Its place in the log, from 1 without gaps.")
    stream: str = field(description="The stream, such as `match:c-0001`.")
    name: str = field(description="The name of the event with its version, such as `hand-recorded/1`.")
    recorded_at: datetime = field(description="When it was written, by the database's clock.")
    played_at: datetime | None = field(description="When it happened at the table; null: when it was recorded.")
    entry: strawberry.Private[LogEntry]

    @field(
        description="Who wrote it: the `sub` of the token, or the unchecked name given on the command line. "
        "Null unless the viewer is an auditor or an admin."
    )
    def actor(self, info: Info) -> str | None:
        return self.entry.actor if info.context.viewer.may("readLogDetails") else None

    @field(description="Where it came from. Null unless the viewer is an auditor or an admin.")
    def source(self, info: Info) -> EventSource | None:
        return EventSource(self.entry.source) if info.context.viewer.may("readLogDetails") else None

    @field(description="The request's idempotency key, if any. Null unless the viewer is an auditor or an admin.")
    def idempotency_key(self, info: Info) -> str | None:
        return self.entry.key if info.context.viewer.may("readLogDetails") else None

    @classmethod
    def of(cls, entry: LogEntry) -> "LogEvent":
        """An entry of the log."""
        return made_of(cls, entry, entry=entry)
