"""The verdict on two sets of rules in words: pages, the API, `league replay`, `tune` and the laboratory say the same.

`these rules` are the second ones of a comparison: those of the replay, those that are tried, those that a search found.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from league.domain.sentences import joined, say, say_count
from league.domain.verdict import FEWEST_DAYS, ForecastLoss, MeanInterval, Verdict
from league.wording.numbers import month_of, number, signed

SENTENCES = {
    "better": say("These rules foresee results better: log loss {second} instead of {first}."),
    "worse": say("These rules foresee results worse: log loss {second} instead of {first}."),
    "no_difference": say("No difference that these matches show: log loss {second} instead of {first}."),
    "same": say("The predictions are the same: log loss {first}."),
}
"""The verdict by its kind. The other kinds give none, and say why."""
BEYOND_CHANCE = say("The interval leaves out 0: chance alone hardly explains the difference.")
MEANINGS = {
    "better": BEYOND_CHANCE,
    "worse": BEYOND_CHANCE,
    "no_difference": say("The interval contains 0: chance alone can explain the difference."),
    "too_few_days": say("Matches of one evening resemble each other, so days count here, not matches."),
    "same": say("No forecast of these matches moves: decide by what else changes."),
    "two_truths": say("Each set of rules is measured by its own winners, so their losses cannot be compared."),
    "fitted": say("Rules that were chosen by these results foresee them too well."),
}
"""What the verdict means, by its kind."""
FEWEST_DIGITS, MOST_DIGITS = 4, 8


class VerdictWords(Struct, frozen=True):
    """A verdict in words, in the language that is spoken."""

    sentence: str
    """The verdict, and that a coin does better if it does."""
    meaning: str
    """What it means, in one line."""
    basis: str
    """What was judged, the interval, and how plain Elo got its K if it was not chosen."""
    notes: Sequence[str]
    """What one should know beside: what `league tune` said of rules that it fitted."""


def in_words(verdict: Verdict, *, first_is_in_force: bool = True) -> VerdictWords:
    """A verdict in words. `first_is_in_force`: whether the first rules are those in force."""
    return VerdictWords(
        sentence=joined(
            " ",
            [
                verdict_sentence(verdict, first_is_in_force=first_is_in_force),
                *_coin_does_better(verdict, first_is_in_force=first_is_in_force),
            ],
        ),
        meaning=say(MEANINGS[verdict.kind]),
        basis=_basis(verdict),
        notes=tuple(_notes(verdict)),
    )


def verdict_sentence(verdict: Verdict, *, first_is_in_force: bool = True) -> str:
    """The verdict in one sentence, without a word on the coin."""
    if verdict.kind == "too_few_days":
        return say("Too few days for a verdict: {days}; it takes {least}.", days=verdict.days, least=FEWEST_DAYS)
    if verdict.kind == "two_truths":
        return say_count(
            "No verdict: two truths are compared. {count} of the judged matches has another winner.",
            "No verdict: two truths are compared. {count} of the judged matches have another winner.",
            verdict.other_winners,
        )
    if verdict.kind == "fitted":
        if verdict.second_fitted is not None:
            return say("No verdict: these rules were fitted on these very months.")
        if first_is_in_force:
            return say("No verdict: the rules in force were fitted on these very months.")
        return say("No verdict: the rules compared with were fitted on these very months.")
    digits = _digits(verdict)
    return say(
        SENTENCES[verdict.kind],
        first=number(verdict.first.log_loss, digits),
        second=number(verdict.second.log_loss, digits),
    )


def losses_by_name(verdict: Verdict, *, first_is_in_force: bool = True) -> list[tuple[str, ForecastLoss]]:
    """The rows of the table beside a verdict: who forecast, and the losses."""
    return [
        (say("Rules in force") if first_is_in_force else say("Rules compared with"), verdict.first),
        (say("These rules"), verdict.second),
        (say("Plain Elo (K {k})", k=verdict.plain_k), verdict.plain_elo),
        (say("A coin"), verdict.coin),
    ]


def interval_in_words(interval: MeanInterval, digits: int) -> str:
    """`-0.031 to -0.012`, or that there are too few days."""
    if interval.low is None or interval.high is None:
        return say("too few days")
    return say("{low} to {high}", low=number(interval.low, digits), high=number(interval.high, digits))


def _basis(verdict: Verdict) -> str:
    matches = say_count("{count} match", "{count} matches", verdict.matches)
    days = say_count("{count} day", "{count} days", verdict.days)
    first, last = month_of(verdict.first_month), month_of(verdict.last_month)
    if first == last:
        judged = say("Judged on {matches} of {month}, played on {days}.", matches=matches, month=first, days=days)
    else:
        judged = say(
            "Judged on {matches} from {first} to {last}, played on {days}.",
            matches=matches,
            first=first,
            last=last,
            days=days,
        )
    sentences = [judged]
    if verdict.difference.low is not None:
        digits = _digits(verdict)
        sentences.append(
            say(
                "The log losses differ by {difference} (at 95%: {interval}). Below 0 these rules do better.",
                difference=signed(verdict.difference.mean, digits),
                interval=interval_in_words(verdict.difference, digits),
            )
        )
    if not verdict.is_k_chosen:
        sentences.append(
            say("Plain Elo has K {k}, because no earlier months are there to choose it by.", k=verdict.plain_k)
        )
    return joined(" ", sentences)


def _notes(verdict: Verdict) -> Iterator[str]:
    for fitted in (verdict.second_fitted, verdict.first_fitted):
        if fitted is not None:
            yield say(
                "`league tune` fitted them on the months up to {last}. Its own verdict, on months that its search had "
                "not seen: {sentence}",
                last=month_of(fitted.last_month),
                sentence=verdict_sentence(fitted.held_out),
            )


def _coin_does_better(verdict: Verdict, *, first_is_in_force: bool) -> Iterator[str]:
    """Says which of the rules do worse than a coin, if one does."""
    coin = number(verdict.coin.log_loss, 3)
    first, second = (loss.log_loss > verdict.coin.log_loss for loss in (verdict.first, verdict.second))
    if first and second:
        yield say("Both foresee these results worse than a coin does ({coin}).", coin=coin)
    elif first and first_is_in_force:
        yield say("The rules in force foresee these results worse than a coin does ({coin}).", coin=coin)
    elif first:
        yield say("The rules compared with foresee these results worse than a coin does ({coin}).", coin=coin)
    elif second:
        yield say("These rules foresee these results worse than a coin does ({coin}).", coin=coin)


def _digits(verdict: Verdict) -> int:
    """Enough decimal places that a difference that counts is seen, in the losses and in the interval."""
    if verdict.kind not in ("better", "worse"):
        return FEWEST_DIGITS
    seen = [verdict.difference.low or 0.0, verdict.difference.high or 0.0]
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        first, second = (round(loss.log_loss, digits) for loss in (verdict.first, verdict.second))
        if first != second and all(round(end, digits) for end in seen):
            return digits
    return MOST_DIGITS
