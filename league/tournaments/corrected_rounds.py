"""What corrections of results would have changed: whether a round has other inputs now, and the tables it would have.

A published round never changes by itself.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Event, Lock

from msgspec.structs import replace

from league.tournaments.apart import pair_within_limits
from league.tournaments.domain.drawn import PairedTable, RankedCompetitor, RoundPairings, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import as_compared, inputs, rank_of, to_draw, would_differ
from league.tournaments.domain.outcomes import Outcomes
from league.tournaments.domain.plan import GIVEN_MEETINGS, WITH_KNOCKOUT, Plan, tie_breaks_of
from league.tournaments.domain.standing import ranks_of, won
from league.tournaments.domain.state import CompetitorEntry, RoundState, state_after
from league.tournaments.matching import is_fast
from league.tournaments.pairing import in_cycle, pair
from league.tournaments.seen_tournaments import SeenTournament

MOST = 64
"""Limit on competitors of a round that is paired again while a request waits."""
MOST_IN_THREAD = 32
"""Limit on competitors of such a round that networkx pairs in a thread of the server, within 50 ms of CPU.

rustworkx takes less for `MOST`.
"""

_one_process_at_a_time = Lock()


def would_change(
    plan: Plan,
    drawing: RoundDrawn,
    seed: str,
    schedule: Schedule,
    entries: Mapping[str, CompetitorEntry],
    now: Outcomes,
    pairing: Callable[..., RoundPairings] = pair,
) -> list[PairedTable]:
    """The tables that the round does not have, but would have with the results `now` of the rounds before it.

    `pairing`: `pair`, or what runs it elsewhere.
    """
    if not has_other_inputs(plan, drawing, seed, schedule, entries, now):
        return []
    return _other_tables(plan, drawing, _as_now(plan, drawing, entries, now), seed, schedule, pairing)


def _other_tables(
    plan: Plan,
    drawing: RoundDrawn,
    corrected: RoundDrawn,
    seed: str,
    schedule: Schedule,
    pairing: Callable[..., RoundPairings],
) -> list[PairedTable]:
    """The tables that a corrected drawing gives, and the drawing does not."""
    met = {_who(table) for table in pairing(plan, drawing, seed, schedule).tables}
    return [table for table in pairing(plan, corrected, seed, schedule).tables if _who(table) not in met]


def has_other_inputs(
    plan: Plan,
    drawing: RoundDrawn,
    seed: str,
    schedule: Schedule,
    entries: Mapping[str, CompetitorEntry],
    now: Outcomes,
) -> bool:
    """Whether results of earlier rounds would give the drawing other inputs now: matches won, or places.

    Always False if the format or a full cycle says who meets: then no result would change that.
    """
    is_given = plan.format in GIVEN_MEETINGS | WITH_KNOCKOUT or in_cycle(plan, drawing, schedule.order)
    if drawing.round == 1 or is_given:
        return False
    corrected = _as_now(plan, drawing, entries, now)
    return as_compared(corrected.competitors, seed) != as_compared(drawing.competitors, seed)


def _as_now(plan: Plan, drawing: RoundDrawn, entries: Mapping[str, CompetitorEntry], now: Outcomes) -> RoundDrawn:
    """The drawing with the matches won and ranks that it would have now."""
    ranks = ranks_of(now, tie_breaks_of(plan))
    corrected = tuple(
        replace(one, won=won(now[one.id]), rank=rank_of(entries[one.id], ranks, now)) for one in drawing.competitors
    )
    return replace(drawing, competitors=corrected)


def _who(table: PairedTable) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(side) for side in table.sides)


# ---------------------------------------------------------------- a round of the read side


def is_outdated(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> bool:
    """Whether a round would have other inputs now. For a published round only results that decide who meets count."""
    if of.status == "drawn":
        return would_differ(seen.state, drawing, of.seed, seen.results, seen.points, seen.ratings)
    if _begins_after_groups(of):
        return _seeds(_entering_today(seen, of)) != _seeds(drawing.competitors)
    state, before = seen.state, seen.outcomes(before=of.number)
    return has_other_inputs(state.known_plan, drawing, of.seed, state.schedule(of.number), state.entries, before)


def tables_today(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> list[PairedTable]:
    """The tables that a round does not have, but would have on today's results. Empty with more than `MOST`. Blocks.

    They are computed once for one state of the tournament. A process with limits computes what takes long, because a
    thread of the server would starve its event loop.
    """
    if len(of.order) > MOST:
        return []
    known, key = seen.tables_today, (of.number, of.drawings)
    if key not in known:
        if is_fast() or len(of.order) <= MOST_IN_THREAD:
            known[key] = _tables_today(seen, of, drawing, pair)
        else:
            with _one_process_at_a_time:
                if key not in known:
                    known[key] = _tables_today(seen, of, drawing, partial(pair_within_limits, ending=Event()))
    return known[key]


def _tables_today(
    seen: SeenTournament, of: RoundState, drawing: RoundDrawn, pairing: Callable[..., RoundPairings]
) -> list[PairedTable]:
    state, schedule = seen.state, seen.state.schedule(of.number)
    if _begins_after_groups(of):
        corrected = replace(drawing, competitors=_entering_today(seen, of))
        return _other_tables(state.known_plan, drawing, corrected, of.seed, schedule, pairing)
    before = seen.outcomes(before=of.number)
    return would_change(state.known_plan, drawing, of.seed, schedule, state.entries, before, pairing)


def _begins_after_groups(of: RoundState) -> bool:
    """Whether a round is the first of the knock-out after groups, so that results in the groups decide who meets."""
    return bool(of.bracket) and of.number > 1


def _entering_today(seen: SeenTournament, of: RoundState) -> tuple[RankedCompetitor, ...]:
    """Who would enter the knock-out by today's results of the groups. Who left after its publication is still there."""
    before = state_after(seen.state, of.number - 1)
    return inputs(before, of.number, to_draw(before, seen.results, seen.points), seen.results, seen.points, {})


def _seeds(competitors: Iterable[RankedCompetitor]) -> set[tuple[str, int | None, int | None]]:
    return {(one.id, one.group_rank, one.strength) for one in competitors}
