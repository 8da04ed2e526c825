"""The review of a league's own rules in the API, for admins and auditors."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, RatingMode, argument, word
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.replays.forecast_verdict import ForecastVerdict
from league.lab.rules_review import FavouriteRecord, RulesFit, RulesReview
from league.lab.stored_rules_reviews import stored_rules_review


@strawberry.enum(description="How far the review of the rules is, or why there is none.")
class RulesReviewStatus(Enum):
    UNSTARTED = word("unstarted", "No worker has looked at the month since it was closed.")
    WAITING = word("waiting", "A worker reviews the rules, or goes on with it soon.")
    DONE = word("done", "The review is there.")
    OFF = word("off", "The operator has switched reviews of the rules off.")
    FEW_MATCHES = word("few_matches", "The league has fewer than 500 rated matches.")
    NO_LAB = word("no_lab", "The worker lacks the extra `lab`.")
    NOT_ENDED = word("not_ended", "It could not end within a minute of one core.")
    FAILED = word("failed", "The computation stopped several times; the log of the worker says more.")


@strawberry.type(
    description="How often favourites won in the judged months, beside how often they were expected to. Matches "
    "between equals have no favourite."
)
class FavouritesRecord(FromRow):
    matches: int = field(description="Matches with a favourite.")
    days: int = field(description="Days on which they were decided, in the time zone of the league.")
    expected: float = field(description="The mean of the favourites' expected scores, from 0 to 1.")
    won: float = field(description="The share of these matches that favourites won.")
    low: float | None = field(
        description="Where the 95 % interval of `won` minus `expected` begins. Null with fewer than ten days."
    )
    high: float | None = field(description="Where the interval ends.")

    @classmethod
    def of(cls, record: FavouriteRecord) -> "FavouritesRecord":
        """The record with its interval."""
        return made_of(cls, record, low=record.difference.low, high=record.difference.high)


@strawberry.type(description="How the mean rating of the players of a mode moved over the judged months.")
class MeanRatingMove(FromRow, before="first", after="last"):
    mode: RatingMode = field(description="The mode.")
    before: float = field(description="The mean before the judged months.")
    after: float = field(description="The mean at their end.")


@strawberry.type(description="What a search for better settings found. The league does not change by it.")
class FittedChange(FromRow):
    settings: str = field(
        description="The settings that would change, as TOML for `whatIf` or `startReplay`; empty if none."
    )
    tried: int = field(description="How many settings the search tried.")
    judged: ForecastVerdict = field(
        description="The verdict on months that the search had not read: fitted rules against those in force."
    )

    @classmethod
    def of(cls, fit: RulesFit) -> "FittedChange":
        """The fit with the words of its verdict."""
        return made_of(cls, fit, judged=ForecastVerdict.of_rules(fit.verdict))


@strawberry.type(description="What a review of the rules found.")
class RulesReviewFindings(FromRow):
    matches: int = field(description="Rated matches that it has read: those decided before the end of the month.")
    first_month: str = field(description="The first judged month, such as `2026-03`.")
    last_month: str = field(description="The last judged month: at most three with rated matches are judged.")
    favourites: FavouritesRecord = field(description="Whether forecasts are right.")
    mean_ratings: list[MeanRatingMove] = field(description="Whether ratings drift, by mode.")
    fit: FittedChange | None = field(
        description="Whether a fitted change would help. Null with rated matches in fewer than four months."
    )

    @classmethod
    def of(cls, found: RulesReview) -> "RulesReviewFindings":
        """The findings by their names in the schema."""
        return made_of(cls, found, mean_ratings=[MeanRatingMove.of(move) for move in found.means])


@strawberry.type(
    name="RulesReview",
    description="The review of the league's own rules after a month was closed. A worker makes it, and nothing is "
    "changed by it.",
)
class RulesReviewOfMonth(FromRow):
    month: str = field(description="The closed month, such as `2026-03`.")
    closed_at: datetime = field(description="When it was closed.")
    status: RulesReviewStatus = field(description="How far the review is, or why there is none.")
    sentences: list[str] = field(
        description="The review in three sentences, in the reader's language; or one line that says why there is none."
    )
    position: BigInt | None = field(description="The position of the log up to which it has read; null without one.")
    found: RulesReviewFindings | None = field(description="The numbers; null unless the status is DONE.")


@strawberry.type
class RulesReviewQueries:
    @field(
        description="The review of the league's own rules after a month was closed. Null if the month is not closed. "
        "Roles: admin, auditor; " + REFUSED_TO_OTHERS
    )
    async def rules_review(
        self,
        info: Info,
        month: Annotated[str | None, argument("Such as `2026-03`; null means the month that was closed last.")] = None,
    ) -> RulesReviewOfMonth | None:
        check_may_read(info.context.viewer, "readRulesReview")
        stored = await info.context.reader.read(stored_rules_review, month)
        return None if stored is None else RulesReviewOfMonth.of(stored)
