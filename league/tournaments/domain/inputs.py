"""The inputs of a round: what its drawing stores of everybody who is available (rules, Tournaments, Drawing)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from league.tournaments.domain.drawn import Met, Ranked
from league.tournaments.domain.results import Points, Results, outcomes
from league.tournaments.domain.standing import Outcomes, standing, won
from league.tournaments.domain.state import Entry, TournamentState


def inputs(
    state: TournamentState,
    number: int,
    available: Sequence[Entry],
    results: Results,
    points: Points,
    ratings: Mapping[str, float],
) -> tuple[Ranked, ...]:
    """Everybody who is available for a round, with what came of the rounds before it.

    `ratings`: in the plan's mode, of those who have one; they rank the first round if the plan says so.
    """
    assert state.plan is not None, "it is planned"
    found = outcomes(state, results, points, before=number)
    ranks = {place.id: place.rank for place in standing(found, state.plan.tie_breaks)}
    if not any(of.number < number for of in state.published):
        ranks = _by_rating(state, ratings) if state.plan.first_round == "rating" else dict.fromkeys(state.entries, 1)
    met, partners = encounters(state, number)
    byes = byes_before(state, number)
    return tuple(
        Ranked(
            entry.id,
            won(found[entry.id]),
            rank_of(entry, ranks, found),
            entry.region,
            byes[entry.id],
            tuple(met[entry.id]),
            tuple(partners[entry.id]),
        )
        for entry in available
    )


def rank_of(entry: Entry, ranks: Mapping[str, int], found: Outcomes) -> int:
    """The rank that a competitor is drawn with: of a substitute without results the one of whom they replace."""
    return ranks[entry.id if entry.replaces is None or found[entry.id] else entry.replaces]


def encounters(state: TournamentState, before: int) -> tuple[Mapping[str, list[Met]], Mapping[str, list[Met]]]:
    """Opponents and partners of everybody at published tables before a round.

    A table counts even if its match was voided; a walkover does not.
    """
    met: dict[str, list[Met]] = defaultdict(list)
    partners: dict[str, list[Met]] = defaultdict(list)
    for of, table in state.tables():
        if of.number >= before or table.absent:
            continue
        for side in (0, 1):
            for id_ in table.sides[side]:
                met[id_] += _at(table.sides[1 - side], of.number, table.number)
                partners[id_] += _at((other for other in table.sides[side] if other != id_), of.number, table.number)
    return met, partners


def byes_before(state: TournamentState, before: int) -> Mapping[str, int]:
    """How often everybody sat out before a round."""
    byes: dict[str, int] = defaultdict(int)
    for of in state.published:
        if of.number < before:
            for id_ in of.byes:
                byes[id_] += 1
    return byes


def _at(others: Iterable[str], number: int, table: int) -> list[Met]:
    return [Met(other, number, table) for other in others]


def _by_rating(state: TournamentState, ratings: Mapping[str, float]) -> dict[str, int]:
    """Ranks by rating, the highest one first; those without a rating come last and share a rank."""
    values = [ratings.get(id_, float("-inf")) for id_ in state.entries]
    return {id_: 1 + sum(other > ratings.get(id_, float("-inf")) for other in values) for id_ in state.entries}
