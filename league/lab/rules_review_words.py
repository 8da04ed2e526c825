"""The review of a league's own rules in three sentences, or one line that says why there is none."""

from msgspec import Struct

from league.domain.sentences import joined, say, say_count
from league.domain.verdict import FEWEST_DAYS, MONTHS
from league.lab.rules_review import LEAST_DRIFT, LEAST_MATCHES, FavouriteRecord, MeanRatingMove, RulesFit, RulesReview
from league.wording.forecast_verdict import interval_in_words
from league.wording.numbers import month_of, number, percent, rating, signed

MODES = {"1v1": say("one on one"), "2v2": say("two on two")}
DIGITS = 4

WITHOUT = {
    "unstarted": say(
        "Nothing has run for {month} yet: a worker reviews the rules soon after a month is closed. Does one run "
        "(`league worker`)?"
    ),
    "waiting": say("A worker reviews the rules after {month}. That takes a minute at most of one core."),
    "off": say("The rules were not reviewed after {month}: the operator has switched that off (LEAGUE_RULES_REVIEW)."),
    "few_matches": say(
        "The rules were not reviewed after {month}: it takes {least} rated matches, and the league has {matches}."
    ),
    "no_lab": say(
        "The rules were not reviewed after {month}: the worker lacks the extra `lab` (`pip install {package}`)."
    ),
    "not_ended": say(
        "The review of the rules after {month} could not end within a minute of one core: the league is too large for "
        "it. `league tune` takes the time that it needs."
    ),
    "failed": say("The review of the rules after {month} stopped several times; the log of the worker says more."),
}
"""The line in place of a review, by its status."""
FITS = {
    "worse": say("A fitted change would make forecasts worse: {losses}."),
    "no_difference": say("A fitted change would not help beyond chance: {losses}."),
    "too_few_days": say(
        "Whether a fitted change would help cannot be said: the months that it is judged on have {days} days with "
        "matches, and it takes {least}."
    ),
    "same": say("A fit finds nothing to change: its forecasts are those of the rules in force."),
}
"""What a fit that does not help has found, by the kind of its verdict."""


class ReviewNumbers(Struct, frozen=True):
    """The numbers of a line in place of a review."""

    month: str
    matches: int | None
    """Rated matches, if they were counted."""


def line_without(status: str, numbers: ReviewNumbers) -> str:
    """Why there is no review of a month."""
    return say(
        WITHOUT[status],
        month=month_of(numbers.month),
        least=LEAST_MATCHES,
        matches=number(numbers.matches or 0),
        package="'domino-league[lab]'",
    )


def sentences(review: RulesReview) -> tuple[str, str, str]:
    """What a review says: of forecasts, of the mean rating, and of a fit."""
    return _calibration(review, review.favourites), _drift(review), _fit(review)


def _when(review: RulesReview) -> str:
    first, last = month_of(review.first_month), month_of(review.last_month)
    return say("in {month}", month=first) if first == last else say("from {first} to {last}", first=first, last=last)


def _calibration(review: RulesReview, record: FavouriteRecord) -> str:
    when = _when(review)
    if not record.matches:
        return say("No match {when} had a favourite, so there is no forecast to check.", when=when)
    if record.difference.low is None:
        return say(
            "Too few days {when} to check the forecasts: {days}; it takes {least}.",
            when=when,
            days=record.days,
            least=FEWEST_DAYS,
        )
    if record.difference.is_below_zero:
        verdict = say("The ratings promise too much")
    elif record.difference.is_above_zero:
        verdict = say("The ratings promise too little")
    else:
        verdict = say("The forecasts are right within chance")
    return say(
        "{verdict}: {when} favourites were expected to win {expected} of {matches}, and won {won} (the "
        "difference at 95%: {low} to {high}).",
        when=when,
        verdict=verdict,
        expected=percent(record.expected, 1),
        won=percent(record.won, 1),
        matches=say_count("{count} match", "{count} matches", record.matches),
        low=percent(record.difference.low, 1),
        high=percent(record.difference.high or 0.0, 1),
    )


def _drift(review: RulesReview) -> str:
    moves = joined(", ", [_move(move) for move in review.means])
    if all(abs(move.points) < LEAST_DRIFT for move in review.means):
        return say("The mean rating hardly moved {when}: {moves}.", when=_when(review), moves=moves)
    return say("The mean rating moved {when}: {moves}.", when=_when(review), moves=moves)


def _move(move: MeanRatingMove) -> str:
    return say(
        "{mode} from {first} to {last} ({points})",
        mode=say(MODES[move.mode]),
        first=rating(move.first),
        last=rating(move.last),
        points=signed(move.points, 1),
    )


def _fit(review: RulesReview) -> str:
    fit = review.fit
    if fit is None:
        return say_count(
            "No fit was tried: the league has rated matches in {count} month, and it takes {least}.",
            "No fit was tried: the league has rated matches in {count} months, and it takes {least}.",
            review.rated_months,
            least=MONTHS + 1,
        )
    kind = fit.verdict.kind
    if kind == "better":
        return _better(fit)
    return say(FITS[kind], losses=_losses(fit), days=fit.verdict.days, least=FEWEST_DAYS)


def _better(fit: RulesFit) -> str:
    coin = fit.verdict.coin.log_loss
    if fit.verdict.second.log_loss >= coin:
        return say(
            "A fitted change would help beyond chance, but a coin does at least as well ({coin}): these results show "
            "no skill; {losses}.",
            coin=number(coin, DIGITS),
            losses=_losses(fit),
        )
    if not fit.changed:
        return say(
            "A fit on earlier months helped beyond chance, but fitted on all months it keeps the rules in force: "
            "{losses}.",
            losses=_losses(fit),
        )
    return say(
        "A fitted change would help beyond chance: {losses}; fitted on all months it changes {settings}.",
        losses=_losses(fit),
        settings=say_count("{count} setting", "{count} settings", fit.changed),
    )


def _losses(fit: RulesFit) -> str:
    verdict = fit.verdict
    return say(
        "log loss {second} instead of {first} on {matches} that it had not read (the difference at 95%: {interval})",
        first=number(verdict.first.log_loss, DIGITS),
        second=number(verdict.second.log_loss, DIGITS),
        matches=say_count("{count} match", "{count} matches", verdict.matches),
        interval=interval_in_words(verdict.difference, DIGITS),
    )
