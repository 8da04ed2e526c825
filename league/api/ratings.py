"""Ratings: their changes and history, how they came about, and how the league's ratings are spread."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, JournalCause, KRule, ModifierRule, RatedSubject, RatingMode, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MatchId, check_played
from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.loaders.players import RatingAtMoment
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import (
    EditionRef,
    ExplanationRef,
    MatchRef,
    NoticeRef,
    PlayerRef,
    TeamRef,
    cacheable_field_of,
    field_of,
    loaded_field,
)
from league.api.graphql.shaping.relay import Node, global_id, local_competitor_id, local_id
from league.api.graphql.shaping.shared_fields import edition_field, event_field, match_field, shown_field
from league.domain.sentences import say
from league.explanations.explanation import sides
from league.explanations.rating_changes import explain_change
from league.projections.queries.candidates import edition_titles
from league.projections.queries.matches import ChangeRow, MatchRow, matches_by_id
from league.projections.queries.notices import AdoptionRow, adoptions_by_position, shown_by_position
from league.projections.queries.places import PlaceAmongProvisional as PlaceAmongProvisionalRow
from league.projections.queries.players import players_by_id
from league.projections.queries.rating_spread import DriftMonth, RatingSpread, distribution, rating_drift
from league.projections.queries.ratings import JournalRow, ModeChangeRow, overall_changes
from league.wording import explanations
from league.wording.candidates import title_of_edition
from league.wording.matches import match_in_words
from league.wording.notices import edition_in_words


@strawberry.type(
    description="The place of a provisional player or pair among the provisional ones of a board, and what is missing "
    "for a rank."
)
class PlaceAmongProvisional(FromRow):
    rank: int = field(description="From 1, shared by equal values; counted among the provisional ones alone.")
    matches_to_go: int = field(
        description="Rated matches until the rank is official, at least 1; on GLOBAL in the mode that needs the fewest."
    )


@strawberry.type(description="A rating in one mode.")
class Rating:
    mode: RatingMode = field(description="The mode in which it was earned.")
    value: float = field(description="The rating, unrounded.")
    matches: int = field(description="Rated matches so far.")
    provisional: bool = field(description="Whether there are too few matches for a rank.")
    last_decided_at: datetime = field(description="When the latest match was decided; overall: of any kind.")
    found: strawberry.Private[RatingAtMoment]

    @field(description="An id for caches of clients; `node` does not accept it.")
    def id(self) -> strawberry.ID:
        row, as_of = self.found.row, self.found.as_of
        at = "" if as_of is None else as_of.isoformat()
        return strawberry.ID(global_id("Rating", f"{row.subject}:{row.id}:{row.mode}:{at}"))

    shown = shown_field("The rating as it is displayed: rounded half up.", "value")

    @field(
        description="The rank on the board of the whole league that lists ratings of this kind, as that board gives "
        "it: `GLOBAL` for the overall rating, `ONE_ON_ONE`, `TWO_ON_TWO`, or `TEAMS` for a pair's; at the same moment "
        "as the rating. Null without a rank there: provisional, or inactive."
    )
    @cacheable
    async def rank(self, info: Info) -> int | None:
        return await loaders.players.rank(info, self.found)

    @cacheable_field_of(
        PlaceAmongProvisional | None,
        "The place among the provisional on the board that `rank` is of. Null if established, or inactive.",
    )
    async def among_provisional(self, info: Info) -> PlaceAmongProvisionalRow | None:
        if not self.provisional:
            return None
        return await loaders.players.among_provisional(
            info, loaders.players.board_of_rating(self.found), self.found.row.id
        )

    @classmethod
    def of(cls, found: RatingAtMoment) -> "Rating":
        """A row of ratings, now or at a moment."""
        return made_of(cls, found.row, value=found.row.rating, found=found)


@strawberry.type(description="A rating after a match.")
class RatingPoint(FromRow, match_id="match"):
    decided_at: datetime = field(description="When the match was decided.")
    rating: float = field(description="The rating after the match, unrounded.")
    match_id: str = field(description="The match's id in the league.")

    shown = shown_field("The displayed rating, rounded half up.", "rating")

    match = loaded_field(MatchRef, "The match.", matches_by_id, lambda point: point.match_id)


@strawberry.type(
    description="A rating match by match, thinned for a chart: the changes between the first and the last are split "
    "into groups of equal size, and the lowest and the highest point of each group stay."
)
class RatingSeries(FromRow):
    total: int = field(description="Changes of the rating in the span of time, before thinning.")
    points: list[RatingPoint] = field(description="The points, in the order in which the matches were decided.")


@strawberry.type(description="One part of the performance modifier M.")
class ModifierTerm(FromItems):
    rule: ModifierRule = field(description="The rule that adds it.")
    value: float = field(description="What it adds to M.")


@strawberry.type(
    description="What a change of a rating in one mode did to the player's overall rating, under the rules of the "
    "latest decided match. Once both modes have been played, `after` is the `after` of the change times `weight`, plus "
    "`other` times `otherWeight`."
)
class OverallChange(FromRow):
    before: float = field(description="The overall rating before the match, unrounded.")
    after: float = field(description="The overall rating after the match, unrounded.")
    weight: float = field(description="The weight of the mode of the change after the match, from 0 to 1.")
    other: float | None = field(
        description="The rating in the other mode at that time, unrounded; null before its first rated match."
    )
    other_weight: float | None = field(description="The weight of the other mode after the match; null like `other`.")

    shown_before = shown_field("The displayed `before`: rounded half up.", "before")

    shown_after = shown_field("The displayed `after`: rounded half up.", "after")

    @field(description="`after` less `before`, unrounded.")
    def delta(self) -> float:
        return self.after - self.before


@strawberry.type(
    description="What one match did to one rating: `after` is `before + k * ((outcome + modifier) - expected)`, "
    "computed in this order in float64."
)
class RatingChange(FromRow, Node, key=("match_id", "subject", "id")):
    mode: RatingMode = field(description="The mode in which the match was played.")
    decided_at: datetime = field(description="When the match was decided: its place in the rating order.")
    before: float = field(description="The rating before the match, unrounded.")
    after: float = field(description="The rating after the match, unrounded.")
    outcome: float = field(description="S: 1 for a win, 0 for a loss.")
    expected: float = field(description="E: the expected score, from the ratings.")
    own: float = field(description="The own side's rating that E was computed from.")
    opponents: float = field(description="The opponents' rating that E was computed from.")
    k: float = field(description="K: how far one match can move the rating.")
    k_rule: KRule = field(description="The rule that chose K.")
    matches_before: int = field(description="Rated matches in the mode before this one.")
    modifier: float = field(description="M: how the match was won or lost, after the cap; 0 if a side gave up.")
    modifier_terms: list[ModifierTerm] = field(description="The parts of M before the cap that are not 0.")
    capped: bool = field(description="Whether the cap changed M.")
    position: BigInt = field(description="The position of the event that decided the match.")
    row: strawberry.Private[ChangeRow]

    shown_before = shown_field("The displayed `before`: rounded half up.", "before")

    shown_after = shown_field("The displayed `after`: rounded half up.", "after")

    @field(description="`after` less `before`, unrounded.")
    def delta(self) -> float:
        return self.after - self.before

    match = loaded_field(MatchRef, "The match that caused it.", matches_by_id, lambda change: change.row.match_id)
    player = loaded_field(
        PlayerRef | None,
        "The player whose rating it is; null when it is a pair's own.",
        players_by_id,
        lambda change: change.row.id if change.row.subject == "player" else None,
    )

    @field_of(TeamRef | None, "The pair whose rating it is; null when it is a player's.")
    def team(self) -> str | None:
        return self.row.id if self.row.subject == "team" else None

    overall = loaded_field(
        OverallChange | None,
        "What it did to the player's overall rating; null when it is a pair's own.",
        overall_changes,
        lambda change: ModeChangeRow.of(change.row),
    )

    edition = edition_field("The edition of the rules under which it was computed.", "row.edition")

    event = event_field("The event that decided the match.", "row.position", null=True)

    @field_of(ExplanationRef, "Why: every term with its rule, the facts and the events behind it.")
    async def explanation(self, info: Info) -> ExplainedInRun:
        return await loaders.runs.explained(info, explain_change, self.row.match_id, self.row.id)


@strawberry.type
class RatingQueries:
    @cacheable_field_of(RatingChange | None, "How a match changed a rating, and why; null when it did not change it.")
    async def rating_change(
        self,
        info: Info,
        match: MatchId,
        of: Annotated[strawberry.ID, argument("A player or a pair: global id, or the id in the league.")],
    ) -> ChangeRow | None:
        return await loaders.matches.change(info, local_id("Match", match), local_competitor_id(of))


@strawberry.type(
    description="A move of an official rating, as it came about. Each entry of a mode begins where the one before it "
    "ended, and the latest one ends at the rating as it is."
)
class JournalEntry(FromRow):
    mode: RatingMode = field(description="The mode of the rating; the overall rating is derived from these.")
    cause: JournalCause = field(description="Why it moved.")
    before: float = field(
        description="The rating before, unrounded; without one, the rating with which they entered the league."
    )
    after: float | None = field(description="The rating after, unrounded; null: no remaining match rates them.")
    row: strawberry.Private[JournalRow]

    @field(description="`after` less `before`, unrounded; null where no rating is left.")
    def change(self) -> float | None:
        return None if self.after is None else self.after - self.before

    match = match_field("The match that caused it; null if it was not a single match.", "row.match_id", null=True)

    event = event_field("The event that caused it.", "row.position", null=True)

    @cacheable_field_of(EditionRef | None, "The edition that an adoption or a promotion brought; else null.")
    async def edition(self, info: Info) -> AdoptionRow | None:
        return await self._adoption(info)

    notice = loaded_field(
        NoticeRef | None,
        "The notice of the event that caused it; null: there is none, or it has ended.",
        shown_by_position,
        lambda entry: entry.row.position,
    )

    @field(description="When an adoption or a promotion was recorded; null for other causes, as `event` tells.")
    @cacheable
    async def adopted_at(self, info: Info) -> datetime | None:
        adoption = await self._adoption(info)
        return None if adoption is None else adoption.adopted_at

    async def _adoption(self, info: Info) -> AdoptionRow | None:
        if self.row.cause not in ("adoption", "promotion"):
            return None
        return await info.context.reader.load(adoptions_by_position, self.row.position)

    @field(description="Why it moved, as a sentence that names people.")
    async def text(self, info: Info) -> str:
        entry = await loaders.matches.event(info, self.row.position)
        assert entry is not None, "an entry of the journal has an event"
        match = None if self.row.match_id is None else await loaders.matches.match(info, self.row.match_id)
        named = None if match is None else await _named(info, match)
        brought = await self._adoption(info)
        edition = None
        if brought is not None and brought.edition is not None:
            titles = await info.context.reader.once(edition_titles)
            edition = edition_in_words(brought.edition, title_of_edition(titles[brought.edition]))
        return explanations.journal_reason(self.row.cause, entry.name, named, edition)


async def _named(info: Info, match: MatchRow) -> str:
    """A match by those who play it."""
    of = sides(match.mode, match.seats)
    return match_in_words(of, await loaders.players.display_names(info, of))


NARROWEST, WIDEST = 5, 500
"""Limits on the width of a bucket in rating points."""


Of = Annotated[RatedSubject, argument("Whose ratings. Pairs have ratings in TWO_ON_TWO only.")]


@strawberry.type(description="How many ratings lie in a range.")
class RatingBucket(FromRow):
    start: int = field(description="The lowest rating of the range.")
    end: int = field(description="The range ends below this rating.")
    count: int = field(description="How many ratings lie in it.")


@strawberry.type(description="The distribution of the ratings of a mode; figures are in rating points.")
class RatingDistribution(FromRow):
    count: int = field(description="How many ratings there are.")
    mean: float | None = field(description="The mean; null without a rating.")
    median: float | None = field(description="The median; null without a rating.")
    standard_deviation: float | None = field(
        description="The standard deviation of all of them, not of a sample; null without a rating."
    )
    lowest: float | None = field(description="The lowest rating; null without a rating.")
    highest: float | None = field(description="The highest rating; null without a rating.")
    buckets: list[RatingBucket] = field(
        description="Ranges of equal width from the lowest to the highest rating, empty ones included."
    )


@strawberry.type(
    description="The ratings at the end of a month of the league's time zone. The Domino Score is not zero-sum: "
    "winners do not gain exactly what losers lose, so the mean drifts."
)
class RatingDriftMonth(FromRow):
    month: str = field(description="Such as `2026-03`.")
    rated: int = field(
        description="How many players or pairs have a rating at the end of the month, provisional and inactive ones "
        "included."
    )
    mean: float = field(description="The mean of their ratings then.")
    matches: int = field(description="Rated matches decided in the month.")
    gained: float = field(description="The sum of all rating changes in the month, in rating points.")
    gained_per_match: float | None = field(
        description="`gained` divided by `matches`; null in a month without a match."
    )


@strawberry.type
class RatingSpreadQueries:
    @cacheable_field_of(RatingDistribution, "The current distribution of the ratings of a mode.")
    async def rating_distribution(
        self,
        info: Info,
        mode: Annotated[RatingMode, argument("The mode.")],
        of: Of = RatedSubject.PLAYERS,
        width: Annotated[int, argument(f"The width of a range in rating points, from {NARROWEST} to {WIDEST}.")] = 50,
        established_only: Annotated[bool, argument("Leave out provisional ratings.")] = True,
    ) -> RatingSpread:
        if not NARROWEST <= width <= WIDEST:
            message = f"`width` is {width}; a bucket has {NARROWEST} to {WIDEST} rating points."
            raise RequestError(message, argument="width")
        _check(mode, of)
        return await info.context.reader.read(distribution, of.value, mode.value, width, established=established_only)

    @cacheable_field_of(
        list[RatingDriftMonth], "The mean rating of a mode month by month, from its first rated match to its latest."
    )
    async def rating_drift(
        self,
        info: Info,
        mode: Annotated[RatingMode, argument("ONE_ON_ONE or TWO_ON_TWO.")],
        of: Of = RatedSubject.PLAYERS,
    ) -> list[DriftMonth]:
        check_played(mode)
        _check(mode, of)
        return await info.context.reader.read(rating_drift, of.value, mode.value)


def _check(mode: RatingMode, of: RatedSubject) -> None:
    if of is RatedSubject.TEAMS and mode is not RatingMode.TWO_ON_TWO:
        raise RequestError(say("`mode`: pairs are rated in TWO_ON_TWO only."), argument="mode")
