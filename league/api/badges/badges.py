"""Badges: what can be earned, who has earned it by which match, and how far one is from the next."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from sqlalchemy import ColumnElement, Row
from strawberry import field

from league.api.explanations.explanations import Explanation, explained
from league.api.graphql.arguments import AfterPosition
from league.api.graphql.context import Info
from league.api.graphql.relay import Connection, ListedOf, paged
from league.api.graphql.scalars import BigInt
from league.api.log.log_entries import LogEvent, event_at
from league.api.players.players import Player, player_named
from league.api.rules.editions import Edition, edition_of
from league.domain.rules import Badges
from league.explanations.badges import explain_badge
from league.projections.folds.badges import measures_of
from league.projections.queries import badges as reads
from league.projections.queries.pages import Query
from league.wording.rulebook import badge_in_words

if TYPE_CHECKING:
    from league.api.matches.matches import Match

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]
EarnedRef = Annotated["EarnedBadge", strawberry.lazy("league.api.badges.badges")]


@strawberry.type(description="A badge: a measure and the threshold that earns it, both set by the rules.")
class Badge:
    key: str = field(description="The measure and the threshold, such as `streak-5`.")
    measure: str = field(description="What is counted, such as `streak`, `capicuas` or `recoveries_50`.")
    threshold: int = field(description="The value of the measure that earns it.")
    edition_hash: strawberry.Private[str | None]
    """Whose words describe it; None: the edition that is shown."""

    @classmethod
    def of(cls, measure: str, threshold: int, edition_hash: str | None = None) -> "Badge":
        """The badge of a threshold."""
        return cls(key=f"{measure}-{threshold}", measure=measure, threshold=threshold, edition_hash=edition_hash)

    @field(description="What it is given for, in English.")
    async def description(self, info: Info) -> str:
        rules = await _rules(info, self.edition_hash)
        assert rules is not None, "a badge stands in an edition"
        return badge_in_words(self.measure, self.threshold, rules)

    @field(description="How many players hold it.")
    async def holder_count(self, info: Info) -> int:
        return await info.context.reader.load(reads.holder_counts, self.key) or 0

    @paged(Connection[EarnedRef], "Who holds it, in the order they earned it.")
    def holders(self) -> ListedOf:
        def theirs(run: int) -> Any:
            def holders(badge: ColumnElement[str]) -> Query:
                return reads.holders_of(run, badge)

            return holders

        return ListedOf(("holders",), self.key, theirs, reads.FIRST_HOLDER_FIRST, EarnedBadge.of)


@strawberry.type(
    description="A badge that a player has earned. Only a correction or a change of the rules takes it away."
)
class EarnedBadge:
    badge: Badge = field(description="The badge, as worded by the rules under which it was earned.")
    earned_at: datetime = field(description="When it was earned: when the match was decided, or when the month ended.")
    position: BigInt = field(description="The position of the event that earned it.")
    row: strawberry.Private[Any]

    @classmethod
    def of(cls, row: Row[Any]) -> "EarnedBadge":
        """A row of badges, with the edition of its match."""
        badge = Badge.of(row.measure, row.threshold, row.edition)
        return cls(badge=badge, earned_at=row.earned_at, position=BigInt(row.position), row=row)

    @field(description="Who earned it.")
    async def player(self, info: Info) -> Player:
        player = await player_named(info, self.row.player_id)
        assert player is not None, "a badge has a player"
        return player

    @field(description="The match that earned it; null when it was earned by a closed month.")
    async def match(self, info: Info) -> MatchRef | None:
        from league.api.matches.matches import match_named  # noqa: PLC0415  # matches know players, who know badges

        return None if self.row.match_id is None else await match_named(info, self.row.match_id)

    @field(description="The edition of the rules of that match; null when it was earned by a closed month.")
    async def edition(self, info: Info) -> Edition | None:
        return None if self.row.edition is None else await edition_of(info, self.row.edition)

    @field(description="The event that decided the match, or closed the month, that earned it.")
    async def event(self, info: Info) -> LogEvent | None:
        return await event_at(info, self.row.position)

    @field(description="Why: every term with its rule, the facts and the events behind it.")
    async def explanation(self, info: Info) -> Explanation:
        return await explained(info, explain_badge, self.row.player_id, self.row.badge)


@strawberry.type(description="How far a player has come in one measure.")
class BadgeProgress:
    measure: str = field(description="What is counted, such as `streak`, `capicuas` or `recoveries_50`.")
    reached: int = field(
        description="What counts toward the next badge: the best value so far; for streaks the current streak."
    )
    best: int = field(description="The highest value so far.")
    next: Badge | None = field(description="The next badge to earn; null when all are earned.")
    earned: list[EarnedBadge] = field(description="The badges already earned in this measure, the latest first.")


async def shown_badges(info: Info) -> list[Badge]:
    """The badges of the edition that is shown; none without one."""
    rules = await _rules(info, None)
    found = () if rules is None else measures_of(rules)
    return [Badge.of(measure.key, threshold) for measure in found for threshold in measure.thresholds]


async def badges_of(info: Info, player: str) -> list[EarnedBadge]:
    """The badges of a player, the latest first."""
    return [EarnedBadge.of(row) for row in await info.context.reader.load(reads.badges_by_player, player) or ()]


async def progress_of(info: Info, player: str) -> list[BadgeProgress]:
    """How far a player is in every measure of the edition that is shown; nothing without one."""
    rules = await _rules(info, None)
    if rules is None:
        return []
    earned = await badges_of(info, player)
    measured = await info.context.reader.load(reads.measured_by_player, player) or reads.Measured()
    held = {mine.badge.key for mine in earned}
    return [
        BadgeProgress(
            measure=one.measure,
            reached=one.reached,
            best=one.best,
            next=None if one.next is None else Badge.of(one.measure, one.next),
            earned=[mine for mine in earned if mine.badge.measure == one.measure],
        )
        for one in reads.progress_of(measured, held, rules)
    ]


async def _rules(info: Info, edition_hash: str | None) -> Badges | None:
    if edition_hash is None:
        return await info.context.reader.once(reads.shown_rules)
    return await info.context.reader.load(reads.rules_by_edition, edition_hash)


@strawberry.type
class BadgeQueries:
    @field(description="The badges that can be earned under the rules of the latest decided match; none before it.")
    async def badges(self, info: Info, after_position: AfterPosition = None) -> list[Badge]:
        return await shown_badges(info)

    @field(description="One of the badges that can be earned; null when there is none with this key.")
    async def badge(
        self,
        info: Info,
        key: Annotated[str, strawberry.argument(description="The measure and the threshold, such as `streak-5`.")],
        after_position: AfterPosition = None,
    ) -> Badge | None:
        return next((badge for badge in await shown_badges(info) if badge.key == key), None)
