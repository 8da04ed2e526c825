"""How a rating came about, step by step, also while its owner did not play."""

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.enums import RatingMode, word
from league.api.graphql.relay import ListedOf
from league.api.log.log_entries import LogEvent, event_at
from league.projections.queries import journal as reads
from league.projections.queries import log
from league.wording import reasons

if TYPE_CHECKING:
    from league.api.matches.matches import Match

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]


@strawberry.enum(description="Why a rating moved.")
class JournalCause(Enum):
    MATCH = word("match", description="A match was decided, or recorded late.")
    CORRECTION = word("correction", description="A match that they played was corrected, voided or reopened.")
    RIPPLE = word("ripple", description="A match of others was: who met them later was rated anew.")
    ADOPTION = word("adoption", description="Other rules were adopted for matches that were rated before.")
    PROMOTION = word("promotion", description="A replay under other rules became the official league.")
    REBUILD = word("rebuild", description="The league was computed anew by a newer version of the program.")


@strawberry.type(
    description="A move of an official rating, as it came about. Each entry of a mode begins where the one before it "
    "ended, and the latest one ends at the rating as it is."
)
class JournalEntry:
    mode: RatingMode = field(description="In what the rating was earned; the overall rating is made of these.")
    cause: JournalCause = field(description="Why it moved.")
    before: float = field(
        description="The rating before, unrounded; of who had none, the one with which they entered the league."
    )
    after: float | None = field(description="The rating after, unrounded; null: no match is left that rates them.")
    row: strawberry.Private[Any]

    @classmethod
    def of(cls, row: Row[Any]) -> "JournalEntry":
        """A row of the journal."""
        mode, cause = RatingMode(row.mode), JournalCause(row.cause)
        return cls(mode=mode, cause=cause, before=row.before, after=row.after, row=row)

    @field(description="`after` less `before`, unrounded; null where no rating is left.")
    def change(self) -> float | None:
        return None if self.after is None else self.after - self.before

    @field(description="The match that is the cause; null where it is not one alone.")
    async def match(self, info: Info) -> MatchRef | None:
        from league.api.matches.matches import match_named  # noqa: PLC0415  # matches know ratings

        return None if self.row.match_id is None else await match_named(info, self.row.match_id)

    @field(description="The event behind it.")
    async def event(self, info: Info) -> LogEvent | None:
        return await event_at(info, self.row.position)

    @field(description="Why it moved, as a sentence.")
    async def text(self, info: Info) -> str:
        event = await info.context.reader.load(log.entries_by_position, self.row.position)
        assert event is not None, "an entry of the journal has an event"
        return reasons.journal_reason(self.row.cause, event.name, self.row.match_id)


def journal_of(subject: str, id_: str, mode: RatingMode | None) -> ListedOf:
    """The journal of a player or a pair."""
    wanted = None if mode is None else mode.value
    return ListedOf(
        ("journal", subject, wanted),
        id_,
        lambda _: lambda owner: reads.entries_of(subject, owner, wanted),
        reads.LATEST_FIRST,
        JournalEntry.of,
    )
