"""How a rating came about, step by step, including changes while its owner did not play."""

from enum import Enum

import strawberry
from strawberry import field

from league.api.graphql.enums import RatingMode, word
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.references import LogEventRef, MatchRef, field_of
from league.explanations.explanation import sides
from league.projections.queries.journal import JournalRow
from league.projections.queries.log import LogEntry
from league.projections.queries.matches import MatchRow
from league.wording import reasons
from league.wording.matches import match_in_words


@strawberry.enum(description="Why a rating moved.")
class JournalCause(Enum):
    MATCH = word("match", description="A match was decided, or recorded late.")
    CORRECTION = word("correction", description="A match that they played was corrected, voided or reopened.")
    RIPPLE = word("ripple", description="A match of other players changed, so later matches were rated again.")
    MERGE = word(
        "merge", description="They, or who played with them, were merged with another id, or such a merge was undone."
    )
    ADOPTION = word("adoption", description="Other rules were adopted for matches that were rated before.")
    PROMOTION = word("promotion", description="A replay under other rules became the official league.")
    REBUILD = word("rebuild", description="A newer version of the program computed the league again.")


@strawberry.type(
    description="A move of an official rating, as it came about. Each entry of a mode begins where the one before it "
    "ended, and the latest one ends at the rating as it is."
)
class JournalEntry:
    mode: RatingMode = field(description="The mode of the rating; the overall rating is derived from these.")
    cause: JournalCause = field(description="Why it moved.")
    before: float = field(
        description="The rating before, unrounded; of who had none, the one with which they entered the league."
    )
    after: float | None = field(description="The rating after, unrounded; null: no remaining match rates them.")
    row: strawberry.Private[JournalRow]

    @classmethod
    def of(cls, row: JournalRow) -> "JournalEntry":
        """A row of the journal."""
        mode, cause = RatingMode(row.mode), JournalCause(row.cause)
        return made_of(cls, row, mode=mode, cause=cause, row=row)

    @field(description="`after` less `before`, unrounded; null where no rating is left.")
    def change(self) -> float | None:
        return None if self.after is None else self.after - self.before

    @field_of(MatchRef | None, "The match that caused it; null if it was not a single match.")
    @keepable
    async def match(self, info: Info) -> MatchRow | None:
        return None if self.row.match_id is None else await loaders.matches.match(info, self.row.match_id)

    @field_of(LogEventRef | None, "The event that caused it.")
    async def event(self, info: Info) -> LogEntry | None:
        return await loaders.log.event(info, self.row.position)

    @field(description="Why it moved, as a sentence that names people.")
    async def text(self, info: Info) -> str:
        entry = await loaders.log.event(info, self.row.position)
        assert entry is not None, "an entry of the journal has an event"
        match = None if self.row.match_id is None else await loaders.matches.match(info, self.row.match_id)
        return reasons.journal_reason(self.row.cause, entry.name, None if match is None else await _named(info, match))


async def _named(info: Info, match: MatchRow) -> str:
    """A match by those who play it."""
    of = sides(match.mode, match.seats)
    return match_in_words(of, await loaders.players.display_names(info, of))
