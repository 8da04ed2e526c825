"""The inputs of a round: what its drawing stores of everybody who is available (rules, Tournaments, Drawing)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from league.tournaments.domain.drawn import Met, Ranked, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.results import UNDECIDED, Points, Results, outcomes, table_result
from league.tournaments.domain.standing import Outcomes, standing, won
from league.tournaments.domain.state import Entry, RoundState, TournamentState


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


def would_differ(
    state: TournamentState,
    drawing: RoundDrawn,
    seed: str,
    results: Results,
    points: Points,
    ratings: Mapping[str, float],
) -> bool:
    """Whether a drawing that is not published would have other inputs now, or could not be made now.

    It could not while a table of an earlier round is in play again. `ratings`: as in `inputs`. Locked pairs are left
    out: the series refuses those at publication.
    """
    before = [of for of in state.published if of.number < drawing.round]
    if any(tables_without_result(of, results, points) for of in before):
        return True
    available = state.available()
    now = inputs(state, drawing.round, available, results, points, ratings)
    # Ranks may differ where places do not: a recorded season has places only.
    return fixed_tables(available) != drawing.fixed or placed(now, seed) != placed(drawing.competitors, seed)


def fixed_tables(available: Iterable[Entry]) -> dict[str, int]:
    """The tables that those who are available keep."""
    return {entry.id: entry.fixed_table for entry in available if entry.fixed_table is not None}


def tables_without_result(of: RoundState, results: Results, points: Points) -> list[int]:
    """The numbers of the tables in play or to be played; a voided match is none of them."""
    return [
        table.number for table in of.tables if table_result(table, results, points).status in UNDECIDED - {"voided"}
    ]


def ratings_of_competitors(state: TournamentState, found: Mapping[str, float], start: float) -> dict[str, float]:
    """The rating of each competitor; of a pair the mean of both. A player without one has that of a beginner."""
    return {
        entry.id: sum(found.get(player, start) for player in entry.players) / len(entry.players)
        for entry in state.entries.values()
    }


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
