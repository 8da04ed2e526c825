"""Sentences about the difference of two runs."""

from league.projections.difference.two_runs import TwoRuns
from league.wording.language import _


def position_warning(two: TwoRuns) -> str | None:
    """A warning if the runs are folded up to different positions; None if they are not."""
    events = two.events_in_one_run
    if events is None:
        return None
    first, last = events
    run = two.first if two.first_position > two.second_position else two.second
    which = (
        _("Event {first} is", first=first)
        if first == last
        else _("Events {first} to {last} are", first=first, last=last)
    )
    return _(
        "Run {first} is folded up to position {first_position}, run {second} up to {second_position}. "
        "{which} in run {run} only, and may be the cause of differences.",
        first=two.first,
        first_position=two.first_position,
        second=two.second,
        second_position=two.second_position,
        which=which,
        run=run,
    )
