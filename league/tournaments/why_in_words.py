"""Explains in sentences why a table of a round came about."""

from collections.abc import Mapping, Sequence

from league.domain.sentences import joined as side_by_side
from league.domain.sentences import say, say_count
from league.tournaments.why_paired import ExplainedChoice, NextBestRound
from league.wording.matches import joined


def said(choice: ExplainedChoice, names: Mapping[str, str]) -> str:
    """The sentences about a choice. `names`: names of competitors by id."""
    one, other = (" & ".join(names.get(id_, id_) for id_ in ids) for ids in (choice.one, choice.other))
    first = say("{what}, {how}.", what=what, how=_how(choice)) if (what := _together(choice, one, other)) else ""
    first = first or _placed(choice, one, other)
    return first if choice.next_best is None else side_by_side(" ", (first, _instead(choice)))


def _together(choice: ExplainedChoice, one: str, other: str) -> str:
    """That two were put together; empty if the choice is about something else."""
    match choice.stage:
        case "partners":
            return say("{both} are partners", both=joined((one, other)))
        case "opponents" | "tables":
            return say("{both} meet", both=joined((one, other)))
    return ""


def _placed(choice: ExplainedChoice, one: str, other: str) -> str:
    """A sentence about a schedule, a group, a bracket, or one who sits out."""
    of_stage = {
        "fixed": _scheduled,
        "sits_out": _sits_out,
        "group": _in_group,
        "bracket": _in_bracket,
        "first_tie": _beside_each_other,
        "next_tie": _beside_each_other,
    }
    return of_stage.get(choice.stage, _came_from)(choice, one, other)


def _sits_out(choice: ExplainedChoice, one: str, _other: str) -> str:
    return say_count(
        "{competitor} sits out, with {count} bye so far and place {place}: the fewest byes decide, then the lowest "
        "place.",
        "{competitor} sits out, with {count} byes so far and place {place}: the fewest byes decide, then the lowest "
        "place.",
        sum(cost.value for cost in choice.costs if cost.criterion == "byes"),
        competitor=one,
        place=choice.place,
    )


def _beside_each_other(choice: ExplainedChoice, _one: str, other: str) -> str:
    """Which places of the bracket, or which ties of the round before, meet."""
    numbers = joined(map(str, choice.numbers))
    if choice.stage == "next_tie":
        return say("The winners of ties {numbers} meet, counted from the top of the bracket.", numbers=numbers)
    if other:
        return say("Places {numbers} of the bracket meet first.", numbers=numbers)
    own, free = choice.numbers
    return say("Place {own} of the bracket would meet place {place}, which nobody has.", own=own, place=free)


def _scheduled(choice: ExplainedChoice, one: str, other: str) -> str:
    """What the format says."""
    if choice.round is None:
        return say("The full cycle says who plays with whom: nothing was chosen.")
    when = say("round {round}", round=choice.round)
    if (choice.leg or 1) > 1:
        when = say("round {round} of leg {leg}", round=choice.round, leg=choice.leg)
    if not other:
        return say(
            "In {when} of Berger's table number {number} has nobody to meet: {competitor}.",
            when=when,
            number=choice.numbers[0],
            competitor=one,
        )
    numbers, both = joined(map(str, choice.numbers)), joined((one, other))
    return say("In {when} of Berger's table numbers {numbers} meet: {both}.", when=when, numbers=numbers, both=both)


def _seeded(choice: ExplainedChoice, competitor: str) -> str:
    given = {"competitor": competitor, "seed": choice.seed}
    if choice.by_lot:
        return say("{competitor} was drawn as seed {seed}", **given)
    return say("{competitor} is seed {seed} by rating", **given)


def _in_group(choice: ExplainedChoice, one: str, other: str) -> str:
    given = {"seeded": _seeded(choice, one), "pot": choice.pot, "group": choice.group}
    if choice.pot == 1:
        return say("{seeded}: those of pot 1 go to the groups in their order, here to group {group}.", **given)
    if other:
        return say(
            "{seeded}, in pot {pot}, and came to group {group}, with {others} of the same region.",
            others=other,
            **given,
        )
    return say("{seeded}, in pot {pot}, and came to group {group}.", **given)


def _in_bracket(choice: ExplainedChoice, one: str, other: str) -> str:
    if choice.group is None:
        return say("{seeded} and has that place of the bracket.", seeded=_seeded(choice, one))
    given = {"competitor": one, "group": choice.group, "seed": choice.seed, "place": choice.place}
    if choice.group_rank == 1:
        return say("{competitor} won group {group} and is seed {seed}, with that place of the bracket.", **given)
    given["rank"] = choice.group_rank
    if other:
        return say(
            "{competitor} entered as number {rank} of group {group}, is seed {seed} and has place {place}, opposite "
            "{other} of the same group.",
            other=other,
            **given,
        )
    return say("{competitor} entered as number {rank} of group {group}, is seed {seed} and has place {place}.", **given)


def _came_from(choice: ExplainedChoice, one: str, other: str) -> str:
    """From which table of an earlier round somebody came, or that nobody did."""
    if choice.stage == "left":
        return say("{competitor} was through and has withdrawn, so the tie is a walkover.", competitor=one)
    given = {"competitor": one, "other": other, "table": choice.table, "round": choice.round}
    if choice.stage == "no_opponent":
        if choice.table is None:
            return say("Nobody came through to meet {competitor}.", **given)
        return say("From table {table} of round {round} ({other}) nobody came to meet {competitor}.", **given)
    if choice.table is None:
        return say("{competitor} had no opponent in round {round}.", **given)
    if choice.stage == "semi_final":
        return say("{competitor} lost at table {table} of round {round} against {other}: a semi-final.", **given)
    return say("{competitor} came through at table {table} of round {round}, against {other}.", **given)


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


def _instead(choice: ExplainedChoice) -> str:
    """In what the next best round, or the next best draw of a pot or a class, is worse."""
    best = choice.next_best
    assert best is not None, "it was searched"
    if choice.stage == "group":
        return _instead_in_group(best)
    if choice.stage == "bracket":
        return _instead_in_bracket(best)
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


def _instead_in_group(best: NextBestRound) -> str:
    if best.criterion == "region":
        return say_count(
            "In another group, {count} more pair of one region would share a group.",
            "In another group, {count} more pairs of one region would share a group.",
            best.more,
        )
    return say("Another group would have been as good, and the lot decided.")


def _instead_in_bracket(best: NextBestRound) -> str:
    if best.criterion == "meetings":
        return say_count(
            "In another place, {count} more would meet somebody of their own group first.",
            "In another place, {count} more would meet somebody of their own group first.",
            best.more,
        )
    if best.criterion == "places":
        return say("In another place of the bracket they would be further from the place of their seed.")
    return say("Another place would have been as good, and the lot decided.")
