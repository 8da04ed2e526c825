"""Sentences about the difference of two runs."""

from league.projections.difference.two_runs import TwoRuns


def position_warning(two: TwoRuns) -> str | None:
    """A warning if the runs are folded up to different positions; None if they are not."""
    events = two.events_in_one_run
    if events is None:
        return None
    first, last = events
    run = two.first if two.first_position > two.second_position else two.second
    which = f"Event {first} is" if first == last else f"Events {first} to {last} are"
    return (
        f"Run {two.first} is folded up to position {two.first_position}, run {two.second} up to {two.second_position}. "
        f"{which} in run {run} only, and may be the cause of differences."
    )
