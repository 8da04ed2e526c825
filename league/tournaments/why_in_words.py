"""Why two sit together, in at most two sentences: what is known of them, and what the next best round would cost."""

from collections.abc import Mapping

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
    costs: dict[str, int] = {cost.criterion: cost.value for cost in choice.costs}
    first = _("{what}, {how}.", what=what, how=_how(choice, costs))
    return first if choice.next_best is None else f"{first} {_instead(choice.next_best)}"


def _how(choice: Choice, costs: Mapping[str, int]) -> str:
    again = costs.get("meetings", 0) + costs.get("partners", 0)
    if costs.get("series"):
        return _("though the series of this month is over for them, since no round keeps all such pairs apart")
    if again and choice.stage == "partners":
        return _("though they were partners shortly before, since no round gives everybody a new partner")
    if again:
        return _("though they met shortly before, since no round gives everybody new opponents")
    if costs.get("won"):
        return _("who are as near in matches won as the round allows")
    return _("who have won as often, and it is new for them")


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
