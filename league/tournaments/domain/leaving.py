"""Who left a round robin or a group with too few meetings played, so that none counts (rules, Tournaments, Leaving)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from league.tournaments.domain.plan import withdrawals_of
from league.tournaments.domain.results import OPEN, Results
from league.tournaments.domain.schedule import (
    published_meetings,
    rounds_of,
    rounds_of_groups,
    scheduled_meetings,
    scheduled_round_by_round,
)
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState, state_after


def annulled(state: TournamentState, results: Results) -> frozenset[str]:
    """Who is out of the standing because they left with fewer than half of their meetings played.

    None of their meetings counts for anybody. It follows from the log as it is now, so it ends when they return, and
    when the number of rounds or a result changes accordingly. A withdrawal after the last round was published annuls
    nothing (rules, Tournaments, Leaving).
    """
    left = _left_before(state, rounds_of(state))
    if not left:
        return frozenset()
    meetings, played = scheduled_meetings(state), _played(state.published, results)
    return frozenset(id_ for id_ in left if 2 * played[id_] < meetings[id_])


def annulled_round_by_round(
    state: TournamentState, results: Results
) -> Iterator[tuple[TournamentState, frozenset[str]]]:
    """The tournament as it was after each published round, and who was out of the standing then: see `annulled`."""
    if withdrawals_of(state.known_plan) != "annul_below_half":
        for of in state.published:
            yield state_after(state, of.number), frozenset()
        return
    played = Counter[str]()
    for of, meetings in zip(state.published, scheduled_round_by_round(state), strict=True):
        then = state_after(state, of.number)
        left = _left_before(then, rounds_of(then))
        played.update(_played([of], results))
        yield then, frozenset(id_ for id_ in left if 2 * played[id_] < meetings[id_])


def may_count_again(state: TournamentState, results: Results, out: frozenset[str]) -> frozenset[str]:
    """Who of `out` has meetings that may still count: open tables may be played, and rounds to come may be cut."""
    if not out:
        return frozenset()
    published = len(state.published)
    in_groups = state.known_plan.format == "groups"
    meetings = scheduled_meetings(state) if in_groups else published_meetings(state)
    played = _played(state.published, results)
    for _, table in state.tables():
        if table.best_of is None and _is_playable(table, results):
            played.update(table.competitors)
    left = _left_before(state, published)
    return frozenset(id_ for id_ in out if id_ not in left or 2 * played[id_] >= meetings[id_])


def _left_before(state: TournamentState, last: int) -> set[str]:
    """Who left, unless it was after the publication of round `last`. Empty if the plan annuls nothing."""
    if not state.published or withdrawals_of(state.known_plan) != "annul_below_half":
        return set()
    if state.known_plan.format == "groups":
        # Once the knock-out was announced, nobody's results change any more, even if its round is withdrawn.
        drawn = state.drawings_of(rounds_of_groups(state.groups, state.known_plan.legs) + 1)
    else:
        drawn = [of for of in state.published if of.number == last]
    closing = min((of.published_at for of in drawn if of.published_at is not None), default=None)
    withdrawn = {id_: entry.withdrawn_at for id_, entry in state.entries.items() if entry.withdrawn_at is not None}
    return {id_ for id_, at in withdrawn.items() if closing is None or at <= closing}


def _played(rounds: Iterable[RoundState], results: Results) -> Counter[str]:
    """How many meetings each competitor has played in rounds: those with a hand or a result that is not voided."""
    tables = (table for of in rounds for table in of.tables if table.best_of is None)
    return Counter(id_ for table in tables if _is_played(table, results) for id_ in table.competitors)


def _is_played(table: TableOfRound, results: Results) -> bool:
    if table.absent or table.match is None:
        return False
    found = results.get(table.match, OPEN)
    return found.begun and found.status != "voided"


def _is_playable(table: TableOfRound, results: Results) -> bool:
    """Whether play can still begin at a table."""
    return not table.absent and not _is_played(table, results)
