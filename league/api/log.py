"""The event log: the events behind a number, the audit trail (who did what when), and signed heads."""

from datetime import datetime
from enum import Enum
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, optional, word
from league.api.graphql.request_errors import RequestError, UnknownId
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Connection, PageableList, local_id, paged
from league.api.graphql.shaping.shared_fields import detail_field
from league.api.schema_part import SchemaPart
from league.audit.signed_heads import LogHead, as_json, stored_head
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import Mode
from league.features import declared
from league.projections.queries import log
from league.projections.queries import trail as reads
from league.projections.queries.candidates import edition_titles
from league.projections.queries.catalogue import all_seasons
from league.projections.queries.log import HeadRow, LogEntry, StoredEvent
from league.projections.queries.players import former_ids
from league.projections.queries.snapshot import Snapshot, ruleset_titles
from league.wording.candidates import title_of_edition
from league.wording.language import spoken
from league.wording.matches import EventContext
from league.wording.trail import players_in, words


@strawberry.enum(description="Where an event came from.")
class EventSource(Enum):
    MANUAL = word("manual", "A request, a page or the command line.")
    IMPORT = word("import", "An import.")
    LIVE = word("live", "A live table, or the server by itself when a time has come.")
    PHOTO = word("photo", "A hand whose tiles were counted on photos.")


@strawberry.type(description="An event of the league's log: what happened at this position.")
class LogEvent(FromRow):
    position: BigInt = field(description="Its place in the log, from 1 without gaps.")
    stream: str = field(description="The stream, such as `match:c-0001`.")
    name: str = field(description="The name of the event with its version, such as `hand-recorded/1`.")
    recorded_at: datetime = field(description="When it was written, by the database's clock.")
    played_at: datetime | None = field(description="When it happened at the table; null: when it was recorded.")
    row: strawberry.Private[LogEntry]

    actor = detail_field(
        "Who wrote it: the `sub` of the token, or the unchecked name given on the command line.", "row.actor"
    )

    source = detail_field("Where it came from.", "row.source", EventSource)

    idempotency_key = detail_field("The request's idempotency key, if any.", "row.key")


@strawberry.input(description="Which events to list; null matches any.")
class TrailFilterInput:
    player: strawberry.ID | None = optional(
        "About this player, their matches and series, and tokens for them: global id, or the league's."
    )
    match: strawberry.ID | None = optional("About this match: global id, or the league's.")
    actor: str | None = optional("Written by exactly this actor.")
    source: EventSource | None = optional("With this source.")
    kind: str | None = optional("Only this kind, such as `match-voided`; any version of it.")
    stream: str | None = optional("In exactly this stream, such as `trail` or `player:p017`.")
    recorded_from: datetime | None = optional("Recorded at or after this time.")
    recorded_before: datetime | None = optional("Recorded before.")
    played_from: datetime | None = optional(
        "Played at or after this time; without a time of play, an event counts by its recording."
    )
    played_before: datetime | None = optional("Played before.")

    async def read(self, info: Info) -> reads.TrailFilter:
        """The filter of the read side, for all ids of a merged player."""
        given = dict(vars(self))
        for name, kind in (("player", "Player"), ("match", "Match")):
            if given[name] is not None:
                given[name] = local_id(kind, given[name])
        given["source"] = None if self.source is None else self.source.value
        player = None if given["player"] is None else await loaders.players.player(info, given["player"])
        if player is not None:
            given["player"] = player.player_id
            given["merged"] = tuple(await info.context.reader.load(former_ids, player.player_id) or ())
        return reads.TrailFilter(**given)


@strawberry.enum(
    description="The order of the trail: by position, or where `playedFrom` or `playedBefore` is given by time of play."
)
class TrailOrder(Enum):
    LATEST_FIRST = word("latest_first", "The latest event first.")
    OLDEST_FIRST = word("oldest_first", "The oldest event first.")


Wanted = Annotated[TrailFilterInput | None, argument("Which events; null: all.", name="filter")]
By = Annotated[TrailOrder, argument("The order of the list.")]


@strawberry.type(description="An action at the table, on the rules, or on the league.")
class TrailEntry(FromRow, event="log"):
    event: LogEvent = field(description="The event: its actor, time, source and idempotency key.")
    kind: str = field(description="The kind of event, such as `match-voided`.")
    body: str = field(description="The event's content as a JSON document. Fields that are sealed in the log are null.")
    row: strawberry.Private[reads.TrailEvent]

    @field(
        description="What happened, in words. Players appear under their current names, or under their pseudonyms, "
        "times in the league's time zone with its name."
    )
    async def text(self, info: Info) -> str:
        stream, event = self.row.log.stream, self.row.event
        at = self.row.played_in
        opened = None if at is None else await loaders.matches.match(info, at)
        seats = [] if opened is None else opened.seats
        names = await loaders.players.display_names(info, sorted(players_in(stream, event) | set(seats)))
        zone = await info.context.reader.once(_zone)
        known = await info.context.reader.once(edition_titles) if stream == "rulebook" else {}
        seasons = await info.context.reader.once(_seasons) if stream == "league" else {}
        editions = {number: title_of_edition(title) for number, title in known.items()}
        rulesets = await info.context.reader.once(ruleset_titles) if hasattr(event, "ruleset") else {}
        title = await _title(info, stream)
        mode: Mode = "1v1" if opened is None else opened.mode
        return words(stream, event, EventContext(names, mode, seats, zone, editions, seasons, rulesets, title))


@strawberry.type(description="An event of the log with its place in the hash chain.")
class ChainedEvent:
    entry: TrailEntry = field(description="The event, in words and as it is stored.")
    hash: str = field(description="SHA-256 of the hash before and of the event as it is stored.")
    hash_before: str | None = field(description="The hash of the event before; null: it is the first.")


async def _title(info: Info, stream: str) -> str | None:
    """The title of what a stream is about, if it has one."""
    kind, _, id_ = stream.partition(":")
    read = next((part.titles[kind] for part in declared(SchemaPart) if kind in part.titles), None)
    return None if read is None else await info.context.reader.load(read, id_)


def _zone(snapshot: Snapshot) -> ZoneInfo:
    return ZoneInfo(snapshot.zone)


def _seasons(snapshot: Snapshot) -> dict[str, str]:
    return {season.season_id: season.name for season in all_seasons(snapshot)}


@strawberry.type
class TrailQueries:
    @paged(
        Connection[TrailEntry],
        "Who did what when: every event of the log, and every token made, replay started, promotion, import and "
        "export. Roles: admin, auditor; " + REFUSED_TO_OTHERS,
    )
    async def trail(
        self, info: Info, wanted: Wanted = None, order_by: By = TrailOrder.LATEST_FIRST
    ) -> PageableList[StoredEvent]:
        check_may_read(info.context.viewer, "readLogDetails")
        given = reads.TrailFilter() if wanted is None else await wanted.read(info)
        try:
            query = reads.trail(given)
            await info.context.reader.read(lambda snapshot: reads.check_known(snapshot.conn, given))
        except InvalidInput as refused:
            raise RequestError(refused.said(spoken)) from None
        except NotFound as refused:
            raise UnknownId(refused.said(spoken), argument=f"filter.{refused.field}") from None
        in_order = reads.order_of(given, latest_first=order_by is TrailOrder.LATEST_FIRST)
        number = reads.NUMBER_OF_EVENTS if given == reads.TrailFilter() else None
        return PageableList(StoredEvent, lambda _: (query, in_order), reads.entry_of, number)

    @strawberry.field(
        description="The event at a position of the log; null where there is none. Roles: admin, auditor; "
        + REFUSED_TO_OTHERS
    )
    async def event(
        self, info: Info, position: Annotated[BigInt, argument("From 1 without gaps.")]
    ) -> ChainedEvent | None:
        check_may_read(info.context.viewer, "readLogDetails")
        found = await info.context.reader.read(lambda snapshot: reads.event_at(snapshot.conn, position))
        if found is None:
            return None
        return ChainedEvent(
            entry=TrailEntry.of(reads.entry_of(found.event)),
            hash=found.hash.hex(),
            hash_before=None if found.before is None else found.before.hex(),
        )


@strawberry.type(
    description="The state of the log when the league signed it. Stored elsewhere, it shows later that nothing was "
    "changed, moved or dropped; docs/verify.md describes the signed bytes. Check the signature with a key that "
    "you received through another channel."
)
class SignedHead:
    position: BigInt = field(description="The position of the last event that it covers.")
    hash: str = field(description="The hash of that event, in hexadecimal digits.")
    root: str = field(description="The root of the Merkle tree over all events up to it, in hexadecimal digits.")
    signed_at: datetime = field(description="When it was signed.")
    key: str = field(description="The public key (Ed25519), in hexadecimal digits.")
    signature: str = field(description="The signature: 64 bytes, in hexadecimal digits.")
    peaks: list[str] = field(description="The roots of the full trees that the tree consists of, largest first.")
    document: str = field(description="The head as a JSON document: the file to keep, which `league verify` reads.")

    @classmethod
    def of(cls, head: LogHead) -> "SignedHead":
        """A head."""
        written = as_json(head)
        return made_of(cls, written, document=msgspec.json.encode(written).decode())


@strawberry.type
class SignedHeadQueries:
    @field_of(
        SignedHead | None,
        "The latest signed head: signed with the league's key, or with any key where this "
        "server has none. Null: nothing is signed.",
    )
    async def signed_head(self, info: Info) -> LogHead | None:
        return await loaders.matches.latest_head(info)

    @paged(Connection[SignedHead], "Every stored signed head, signed with any key, the latest first.")
    def signed_heads(self) -> PageableList[HeadRow]:
        return PageableList(HeadRow, lambda _: (log.heads(), log.HEADS_LATEST_FIRST), lambda row: stored_head(*row))
