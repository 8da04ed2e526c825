"""Why two sit together, in at most two sentences: what is known of them, and what the next best round would cost."""

from collections.abc import Mapping, Sequence

from league.tournaments.pairing.why import Choice, NextBest
from league.wording.joining import joined
from league.wording.language import _, counted


def said(choice: Choice, names: Mapping[str, str]) -> str:
    """The sentences about a choice, in the language in use; `names`: of competitors, by id."""
    one, other = (" & ".join(names.get(id_, id_) for id_ in ids) for ids in (choice.one, choice.other))
    if choice.stage == "fixed":
        return _("The format says who meets: nothing was chosen.")
    what = (
        _("{both} are partners", both=joined((one, other)))
        if choice.stage == "partners"
        else _("{both} meet", both=joined((one, other)))
    )
    first = _("{what}, {how}.", what=what, how=_how(choice))
    return first if choice.next_best is None else f"{first} {_instead(choice.next_best)}"


def _how(choice: Choice) -> str:
    """What holds of them, as a clause."""
    costs: dict[str, int] = {cost.criterion: cost.value for cost in choice.costs}
    if costs.get("series"):
        return {
            "opponents": _(
                "though the series of this month is over for them, since no round keeps all such pairs apart"
            ),
            "tables": _(
                "though the series of this month is over for them, since with these partners no round keeps all such "
                "pairs apart"
            ),
        }[choice.stage]
    if choice.again:
        return _again(choice, _in_rounds(choice.again))
    if costs.get("won"):
        near = _("who are as near in matches won as the round allows")
    else:
        near = _("whom the lot has chosen") if choice.by_lot else _("who have won as often")
    if choice.before:
        return _("{near}; {earlier}", near=near, earlier=_earlier(choice, _in_rounds(choice.before)))
    return _("{near}, and it is new for them", near=near)


def _again(choice: Choice, rounds: str) -> str:
    """What gave way: it is the least there is, given what weighs more."""
    return {
        "opponents": _(
            "though they met {rounds}, since otherwise others would meet again, or something that weighs more would "
            "give way",
            rounds=rounds,
        ),
        "partners": _(
            "though they were partners {rounds}, since otherwise others would have an earlier partner", rounds=rounds
        ),
        "tables": _(
            "though some of them met {rounds}, since with these partners others would meet again otherwise, or "
            "something that weighs more would give way",
            rounds=rounds,
        ),
    }[choice.stage]


def _earlier(choice: Choice, rounds: str) -> str:
    return {
        "opponents": _("that they met {rounds} does not count any more", rounds=rounds),
        "partners": _("that they were partners {rounds} does not count any more", rounds=rounds),
        "tables": _("that some of them met {rounds} does not count any more", rounds=rounds),
    }[choice.stage]


def _in_rounds(rounds: Sequence[int]) -> str:
    return counted("in round {rounds}", "in rounds {rounds}", len(rounds), rounds=", ".join(map(str, rounds)))


def _instead(best: NextBest) -> str:
    words = {
        "series": counted(
            "Without it, {count} more pair that is locked in the series would meet.",
            "Without it, {count} more pairs that are locked in the series would meet.",
            best.more,
        ),
        "byes": _("Otherwise a competitor with more byes, or a better place, would sit out."),
        "meetings": counted(
            "Without it, there would be {count} more repeated meeting.",
            "Without it, there would be {count} more repeated meetings.",
            best.more,
        ),
        "partners": counted(
            "Without it, there would be {count} more repeated partnership.",
            "Without it, there would be {count} more repeated partnerships.",
            best.more,
        ),
        "won": _(
            "Without it, the differences of matches won would add up to {more} more (as squares).", more=best.more
        ),
        "region": counted(
            "Without it, {count} more meeting would be within one region.",
            "Without it, {count} more meetings would be within one region.",
            best.more,
        ),
        "places": _("Without it, the differences of places would add up to {more} more (as squares).", more=best.more),
        "chance": _("Another round would have been as good, and the lot decided."),
    }
    return words[best.criterion]
