"""The tables of a round, by the format of the plan. The same inputs give the same tables for ever."""

from collections.abc import Mapping, Sequence

from league.tournaments.domain.drawn import WHIST_SIZES, Drawn, Paired, Round, berger, placed, whist_round
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan, opponent_window
from league.tournaments.pairing.rotating_partners import pair_name, pair_partners
from league.tournaments.pairing.swiss import given_lock, pair_swiss
from league.tournaments.pairing.table_numbers import Pairing, numbered


def pair(plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str]) -> Paired:
    """The tables that follow from a drawing. `first_order`: the places of the first round; of itself, if it is that.

    Raises WrongState where too few players are available.
    """
    of, drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
    match plan.format:
        case "fixtures":
            # Who has no meeting is free: that is no bye.
            wanted = drawing.meetings or meetings(plan, drawing.round, first_order)
            return Paired(_numbered(drawn, wanted, of).tables)
        case "round_robin":
            return _numbered(drawn, meetings(plan, drawing.round, first_order), of)
        case "swiss":
            return pair_swiss(drawn, of)
        case "rotating_partners":
            return _whist(drawn, of, first_order) if in_cycle(plan, drawing, first_order) else pair_partners(drawn, of)


def round_of(plan: Plan, drawing: RoundDrawn, seed: str) -> Round:
    """What the pairing reads beside the competitors."""
    return Round(
        seed,
        drawing.round,
        opponent_window(plan),
        None if plan.partner_window == "all" else plan.partner_window,
        plan.region_rounds,
        plan.first_round == "rating",
        plan.partners == "near",
        frozenset(frozenset(two) for two in drawing.locked),
        drawing.fixed,
    )


def meetings(plan: Plan, number: int, order: Sequence[str]) -> list[tuple[str, str]]:
    """The meetings of a round of a round robin; after the last one it begins again."""
    rounds = berger(order, plan.legs)
    return rounds[(number - 1) % len(rounds)]


def in_cycle(plan: Plan, drawing: RoundDrawn, first_order: Sequence[str]) -> bool:
    """Whether the plan has a full cycle, and all who began it play this round; else it is paired as other rounds."""
    playing = {one.id for one in drawing.competitors}
    return plan.full_cycle and len(first_order) in WHIST_SIZES and playing == set(first_order)


def _numbered(drawn: Sequence[Drawn], wanted: Sequence[tuple[str, str]], of: Round) -> Paired:
    """Meetings of those who are available; the others sit out. That two meet again is the plan: nothing gives way."""
    known: Mapping[str, Drawn] = {one.id: one for one in drawn}
    there = [(known[a], known[b]) for a, b in wanted if a in known and b in known]
    tables = [Pairing(((a,), (b,)), given_lock((a.id, b.id), of)) for a, b in there]
    playing = {one.id for table in tables for one in table.everybody}
    return Paired(numbered(tables, of), tuple(one.id for one in drawn if one.id not in playing))


def _whist(drawn: Sequence[Drawn], of: Round, order: Sequence[str]) -> Paired:
    known = {one.id: one for one in drawn}
    at = [known[id_] for id_ in order]
    pairs = [((at[a], at[b]), (at[c], at[d])) for (a, b), (c, d) in whist_round(len(order), of.number)]
    tables = [Pairing((one, other), given_lock((pair_name(one), pair_name(other)), of)) for one, other in pairs]
    return Paired(numbered(tables, of))
