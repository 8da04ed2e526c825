"""Explains in sentences why a table of a round came about."""

from collections.abc import Mapping, Sequence

from league.domain.sentences import joined as side_by_side
from league.domain.sentences import say, say_count
from league.tournaments.why_paired import ExplainedChoice, NextBestRound
from league.wording.matches import joined


def said(choice: ExplainedChoice, names: Mapping[str, str]) -> str:
    """The sentences about a choice. `names`: names of competitors by id."""
    one, other = (" & ".join(names.get(id_, id_) for id_ in ids) for ids in (choice.one, choice.other))
    if choice.stage == "fixed":
        return say("The format says who meets: nothing was chosen.")
    what = (
        say("{both} are partners", both=joined((one, other)))
        if choice.stage == "partners"
        else say("{both} meet", both=joined((one, other)))
    )
    first = say("{what}, {how}.", what=what, how=_how(choice))
    return first if choice.next_best is None else side_by_side(" ", (first, _instead(choice.next_best)))


def _how(choice: ExplainedChoice) -> str:
    """A clause that says how the two fit together."""
    costs: dict[str, int] = {cost.criterion: cost.value for cost in choice.costs}
    if costs.get("series"):
        return {
            "opponents": say(
                "though the series of this month is over for them, since no round keeps all such pairs apart"
            ),
            "tables": say(
                "though the series of this month is over for them, since with these partners no round keeps all such "
                "pairs apart"
            ),
        }[choice.stage]
    if choice.again:
        return _again(choice, _in_rounds(choice.again))
    if costs.get("won"):
        near = say("who are as near in matches won as the round allows")
    else:
        near = say("whom the lot has chosen") if choice.by_lot else say("who have won as often")
    if choice.before:
        return say("{near}; {earlier}", near=near, earlier=_earlier(choice, _in_rounds(choice.before)))
    return say("{near}, and it is new for them", near=near)


def _again(choice: ExplainedChoice, rounds: str) -> str:
    """A clause that names the earlier rounds and says why the criterion gave way."""
    return {
        "opponents": say(
            "though they met {rounds}, since otherwise others would meet again, or something that weighs more would "
            "give way",
            rounds=rounds,
        ),
        "partners": say(
            "though they were partners {rounds}, since otherwise others would have an earlier partner", rounds=rounds
        ),
        "tables": say(
            "though some of them met {rounds}, since with these partners others would meet again otherwise, or "
            "something that weighs more would give way",
            rounds=rounds,
        ),
    }[choice.stage]


def _earlier(choice: ExplainedChoice, rounds: str) -> str:
    return {
        "opponents": say("that they met {rounds} does not count any more", rounds=rounds),
        "partners": say("that they were partners {rounds} does not count any more", rounds=rounds),
        "tables": say("that some of them met {rounds} does not count any more", rounds=rounds),
    }[choice.stage]


def _in_rounds(rounds: Sequence[int]) -> str:
    return say_count("in round {rounds}", "in rounds {rounds}", len(rounds), rounds=", ".join(map(str, rounds)))


def _instead(best: NextBestRound) -> str:
    words = {
        "series": say_count(
            "Without it, {count} more pair that is locked in the series would meet.",
            "Without it, {count} more pairs that are locked in the series would meet.",
            best.more,
        ),
        "byes": say("Otherwise a competitor with more byes, or a better place, would sit out."),
        "meetings": say_count(
            "Without it, there would be {count} more repeated meeting.",
            "Without it, there would be {count} more repeated meetings.",
            best.more,
        ),
        "partners": say_count(
            "Without it, there would be {count} more repeated partnership.",
            "Without it, there would be {count} more repeated partnerships.",
            best.more,
        ),
        "won": say(
            "Without it, the differences of matches won would add up to {more} more (as squares).", more=best.more
        ),
        "region": say_count(
            "Without it, {count} more meeting would be within one region.",
            "Without it, {count} more meetings would be within one region.",
            best.more,
        ),
        "places": say(
            "Without it, the differences of places would add up to {more} more (as squares).", more=best.more
        ),
        "chance": say("Another round would have been as good, and the lot decided."),
    }
    return words[best.criterion]
