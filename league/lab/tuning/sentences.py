"""What a search comes to, in three sentences for an organiser."""

from league.domain.sentences import say
from league.lab.tuning.forecasts import coin
from league.lab.tuning.intervals import FEWEST_DAYS, Interval
from league.lab.tuning.walk import Tuned
from league.wording.language import _
from league.wording.numbers import number

DIGITS = 3
WAYS = {
    say("the fitted rules"): "fitted",
    say("the rules in force"): "in_force",
    say("the shipped rules"): "shipped",
    say("plain Elo with one K"): "plain_elo",
    say("a coin"): "coin",
}
"""The ways of forecasting that are compared, each with its field of `Tuned`."""


def sentences(tuned: Tuned) -> tuple[str, str, str]:
    """What was done, what the fitted rules are to those in force, and what they are to a coin."""
    return _what_was_done(tuned), _against_rules_in_force(tuned), _against_coin(tuned)


def _what_was_done(tuned: Tuned) -> str:
    return _(
        "The search tried {tried} settings and was judged on {matches} matches of {months}, which it had not seen.",
        tried=tuned.tried,
        matches=tuned.matches,
        months=", ".join(tuned.months),
    )


def _against_rules_in_force(tuned: Tuned) -> str:
    against = tuned.in_force.against_fitted
    figures = {
        "fitted": _digits(tuned.fitted.loss.mean),
        "in_force": _digits(tuned.in_force.loss.mean),
        "interval": interval_in_words(against),
    }
    if against.low is None:
        return _(
            "The rules it found have a loss of {fitted}, those in force {in_force}; fewer than {days} days do not tell"
            " which is better.",
            days=FEWEST_DAYS,
            **figures,
        )
    if against.is_below_zero:
        return _(
            "The rules it found foresee results better than those in force: their loss is {fitted} instead of"
            " {in_force}, and the difference is real ({interval}).",
            **figures,
        )
    if against.is_above_zero:
        return _(
            "The rules it found foresee results worse than those in force: their loss is {fitted} instead of"
            " {in_force} ({interval}). Keep the rules that you have.",
            **figures,
        )
    return _(
        "Between the rules it found (loss {fitted}) and those in force ({in_force}) the difference is noise"
        " ({interval}). Keep the rules that you have.",
        **figures,
    )


def _against_coin(tuned: Tuned) -> str:
    against, loss = tuned.coin.against_fitted, _digits(coin(tuned.wanted.objective))
    if against.is_below_zero:
        return _("They also do better than a coin ({loss}): ratings say something about who wins.", loss=loss)
    return _(
        "They do no better than a coin ({loss}): in these results the search found nothing that tells who wins.",
        loss=loss,
    )


def interval_in_words(interval: Interval) -> str:
    """`-0.031 to -0.012`, or that there are too few days."""
    if interval.low is None or interval.high is None:
        return _("too few days")
    return _("{low} to {high}", low=_digits(interval.low), high=_digits(interval.high))


def _digits(value: float) -> str:
    return number(value, DIGITS)
