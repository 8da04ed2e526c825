"""Badges: which can be earned, who has earned them by which match, and the progress toward the next."""

from datetime import datetime
from functools import partial
from typing import Annotated, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.loaders.players import ProgressWithBadges
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import EarnedBadgeRef, ExplanationRef, field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableListOf, cacheable_paged
from league.api.graphql.shaping.shared_fields import edition_field, event_field, match_field, player_field
from league.explanations.badges import explain_badge
from league.projections.folds.badges import measures_of
from league.projections.queries import badges as reads
from league.projections.queries.badges import BadgeRow
from league.wording.rulebook import badge_in_words


@strawberry.type(description="A badge: a measure and the threshold that earns it, both set by the rules.")
class Badge:
    key: str = field(description="The measure and the threshold, such as `streak-5`.")
    measure: str = field(description="What is counted, such as `streak`, `capicuas` or `recoveries_50`.")
    threshold: int = field(description="The value of the measure that earns it.")
    edition_hash: strawberry.Private[str | None]
    """The edition that describes it; None: the displayed edition."""

    @classmethod
    def of(cls, measure: str, threshold: int, edition_hash: str | None = None) -> "Badge":
        """The badge of a threshold."""
        return cls(key=f"{measure}-{threshold}", measure=measure, threshold=threshold, edition_hash=edition_hash)

    @field(description="What it is awarded for, in the language of the request.")
    @cacheable
    async def description(self, info: Info) -> str:
        rules = await loaders.players.badge_rules(info, self.edition_hash)
        assert rules is not None, "an edition defines the badge"
        return badge_in_words(self.measure, self.threshold, rules)

    @field(description="How many players hold it.")
    @cacheable
    async def holder_count(self, info: Info) -> int:
        return await info.context.reader.load(reads.holder_counts, self.key) or 0

    @cacheable_paged(Connection[EarnedBadgeRef], "The players who hold it, in the order in which they earned it.")
    def holders(self) -> PageableListOf[BadgeRow]:
        return PageableListOf(
            ("holders",), BadgeRow, self.key, lambda run: partial(reads.holders_of, run), reads.FIRST_HOLDER_FIRST
        )


@strawberry.type(
    description="A badge that a player has earned. Only a correction or a change of the rules takes it away."
)
class EarnedBadge(FromRow, Node, key=("player_id", "badge")):
    badge: Badge = field(description="The badge, as worded by the rules under which it was earned.")
    earned_at: datetime = field(description="When it was earned: when the match was decided, or when the month ended.")
    position: BigInt = field(description="The position of the event that earned it.")
    row: strawberry.Private[BadgeRow]

    @classmethod
    def of(cls, row: BadgeRow) -> Self:
        """A row of badges, with the edition of its match."""
        return made_of(cls, row, badge=Badge.of(row.measure, row.threshold, row.edition))

    player = player_field("Who earned it.", "row.player_id")

    match = match_field(
        "The match that earned it; null when it was earned by a closed month.", "row.match_id", null=True
    )

    edition = edition_field(
        "The edition of the rules of that match; null when it was earned by a closed month.", "row.edition", null=True
    )

    event = event_field(
        "The event that decided the match, or closed the month, that earned it.", "row.position", null=True
    )

    @field_of(ExplanationRef, "Why: every term with its rule, the facts and the events behind it.")
    async def explanation(self, info: Info) -> ExplainedInRun:
        return await loaders.runs.explained(info, explain_badge, self.row.player_id, self.row.badge)


@strawberry.type(description="A player's progress in one measure.")
class BadgeProgress:
    measure: str = field(description="What is counted, such as `streak`, `capicuas` or `recoveries_50`.")
    reached: int = field(
        description="What counts toward the next badge: the best value so far; for streaks the current streak."
    )
    best: int = field(description="The highest value so far.")
    next: Badge | None = field(description="The next badge to earn; null when all are earned.")
    earned: list[EarnedBadge] = field(description="The badges already earned in this measure, the latest first.")

    @classmethod
    def of(cls, found: ProgressWithBadges) -> "BadgeProgress":
        """A player's progress in one measure."""
        progress, earned = found.progress, [EarnedBadge.of(row) for row in found.earned]
        next_ = None if progress.next is None else Badge.of(progress.measure, progress.next)
        return made_of(cls, progress, next=next_, earned=earned)


async def shown_badges(info: Info) -> list[Badge]:
    """The badges of the displayed edition; empty without one."""
    rules = await loaders.players.badge_rules(info)
    found = () if rules is None else measures_of(rules)
    return [Badge.of(measure.key, threshold) for measure in found for threshold in measure.thresholds]


@strawberry.type
class BadgeQueries:
    @field(
        description="The badges that can be earned under the rules of the latest decided match; empty before the "
        "first one."
    )
    @cacheable
    async def badges(self, info: Info) -> list[Badge]:
        return await shown_badges(info)

    @field(description="One of the badges that can be earned; null when there is none with this key.")
    @cacheable
    async def badge(
        self, info: Info, key: Annotated[str, argument("The measure and the threshold, such as `streak-5`.")]
    ) -> Badge | None:
        return next((badge for badge in await shown_badges(info) if badge.key == key), None)
