"""The verdict on two sets of rules, of a comparison of runs or of the laboratory."""

from enum import Enum

import strawberry
from strawberry import field

from league.api.graphql.leaf_types import word
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.domain.verdict import Verdict
from league.wording.forecast_verdict import in_words


@strawberry.enum(description="What the judged matches say of two sets of rules.")
class VerdictKind(Enum):
    BETTER = word("better", "The second rules foresee results better: the interval of the difference is below 0.")
    WORSE = word("worse", "The second rules foresee results worse: the interval of the difference is above 0.")
    NO_DIFFERENCE = word("no_difference", "The interval contains 0: these matches show no difference.")
    TOO_FEW_DAYS = word("too_few_days", "The judged matches were decided on fewer than ten days.")
    SAME = word("same", "No forecast of a judged match moves.")
    TWO_TRUTHS = word("two_truths", "A judged match has another winner under the second rules: losses do not compare.")
    FITTED = word("fitted", "`league tune` fitted one of the rules on judged months, so the losses flatter them.")


@strawberry.type(description="The mean losses of forecasts over the judged matches. A lower loss is better.")
class ForecastLoss(FromRow):
    log_loss: float = field(
        description="Log loss: the mean of -ln(forecast), in nats; 0.693 for tossing a coin. A forecast counts as "
        "1e-15 at least."
    )
    brier: float = field(description="Brier score: the mean of (1 - forecast)², from 0 to 1; 0.25 for tossing a coin.")


@strawberry.type(
    description="Which of two sets of rules foresaw results better. Each match is forecast from the matches before it; "
    "judged are the last three months with rated matches, by log loss. The interval is drawn from whole days, always "
    "the same way: the same matches give the same verdict."
)
class ForecastVerdict(FromRow):
    kind: VerdictKind = field(description="The verdict.")
    sentence: str = field(
        description="The verdict in words, in the reader's language; and that a coin does better, if it does."
    )
    meaning: str = field(description="What the verdict means, in one line.")
    basis: str = field(description="What was judged, and the interval, in words.")
    notes: list[str] = field(
        description="What to know beside, in words: what `league tune` said of rules that it fitted."
    )
    first_month: str = field(description="The first judged month, such as `2026-03`.")
    last_month: str = field(description="The last judged month.")
    matches: int = field(description="How many matches were judged.")
    days: int = field(description="On how many days they were decided, in the time zone of the league.")
    before: ForecastLoss = field(description="The losses under the first rules.")
    after: ForecastLoss = field(description="The losses under the second rules.")
    plain_elo: ForecastLoss = field(description="The losses of Elo with one K and nothing else.")
    plain_k: int = field(description="K of plain Elo: of 8, 16, 24, 32, 40 and 48 the best on the months before.")
    is_plain_k_chosen: bool = field(description="Whether there were months before to choose K by; else K is 32.")
    coin: ForecastLoss = field(description="The losses of tossing a coin.")
    difference: float = field(
        description="The log loss under the second rules minus that under the first; below 0 is better."
    )
    low: float | None = field(
        description="Where the 95 % interval of the difference begins. Null where the losses do not compare, and with "
        "fewer than ten days."
    )
    high: float | None = field(description="Where the interval ends.")
    tuned: "ForecastVerdict | None" = field(
        description="For rules that were fitted on judged months: the verdict of `league tune` on months that its "
        "search had not seen. Null for others."
    )

    @classmethod
    def of_rules(cls, verdict: Verdict, *, first_is_in_force: bool = True) -> "ForecastVerdict":
        """The verdict with its words. `first_is_in_force`: whether the first rules are those in force."""
        words = in_words(verdict, first_is_in_force=first_is_in_force)
        fitted = verdict.second_fitted or verdict.first_fitted
        return made_of(
            cls,
            verdict,
            sentence=words.sentence,
            meaning=words.meaning,
            basis=words.basis,
            notes=list(words.notes),
            before=ForecastLoss.of(verdict.first),
            after=ForecastLoss.of(verdict.second),
            is_plain_k_chosen=verdict.is_k_chosen,
            difference=verdict.difference.mean,
            low=verdict.difference.low,
            high=verdict.difference.high,
            tuned=None if fitted is None else cls.of_rules(fitted.held_out),
        )
