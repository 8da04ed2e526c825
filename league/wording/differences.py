"""Sentences about the difference of two runs."""

from collections.abc import Sequence

from league.domain.sentences import say
from league.projections.difference.ratings import Prediction
from league.projections.difference.two_runs import TwoRuns
from league.wording.language import _
from league.wording.numbers import number


def position_warning(two: TwoRuns) -> str | None:
    """A warning if the runs are folded up to different positions; None if they are not."""
    events = two.events_in_one_run
    if events is None:
        return None
    first, last = events
    run = two.first if two.first_position > two.second_position else two.second
    if first == last:
        text = say(
            "Run {first} is folded up to position {first_position}, run {second} up to {second_position}. "
            "Event {event} is in run {run} only, and may be the cause of differences."
        )
    else:
        text = say(
            "Run {first} is folded up to position {first_position}, run {second} up to {second_position}. "
            "Events {event} to {last} are in run {run} only, and may be the cause of differences."
        )
    return _(
        text,
        first=two.first,
        first_position=two.first_position,
        second=two.second,
        second_position=two.second_position,
        event=first,
        last=last,
        run=run,
    )


SLIGHT = 0.01
"""A change of the Brier score up to this part of it is a slight one."""


def predictions_verdict(predictions: Sequence[Prediction]) -> str | None:
    """Whether the second run predicts results better than the first, by the Brier score of all matches."""
    whole = next((one for one in predictions if one.mode is None), None) or next(iter(predictions), None)
    if whole is None or whole.brier_before is None or whole.brier_after is None:
        return None
    before, after = number(whole.brier_before, 4), number(whole.brier_after, 4)
    if before == after:
        return _("Predictions are as good as before: Brier {brier}.", brier=after)
    slight = abs(whole.brier_after - whole.brier_before) <= SLIGHT * whole.brier_before
    if whole.brier_after > whole.brier_before:
        if slight:
            return _("Predictions get slightly worse: Brier {before} → {after}.", before=before, after=after)
        return _("Predictions get worse: Brier {before} → {after}.", before=before, after=after)
    if slight:
        return _("Predictions get slightly better: Brier {before} → {after}.", before=before, after=after)
    return _("Predictions get better: Brier {before} → {after}.", before=before, after=after)
