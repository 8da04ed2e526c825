"""What corrections of results would have changed: whether a round has other inputs now, and the tables it would have.

A published round never changes by itself.
"""

from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Lock

from msgspec.structs import replace

from league.tournaments.apart import pair_within_limits
from league.tournaments.domain.drawn import PairedTable, RoundPairings, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import as_compared, rank_of, would_differ
from league.tournaments.domain.outcomes import Outcomes
from league.tournaments.domain.plan import GIVEN_MEETINGS, WITH_KNOCKOUT, Plan, tie_breaks_of
from league.tournaments.domain.standing import ranks_of, won
from league.tournaments.domain.state import CompetitorEntry, RoundState
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
    corrected = _as_now(plan, drawing, entries, now)
    as_drawn = pairing(plan, drawing, seed, schedule)
    instead = pairing(plan, corrected, seed, schedule)
    met = {_who(table) for table in as_drawn.tables}
    return [table for table in instead.tables if _who(table) not in met]


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
    state, before = seen.state, seen.outcomes(before=of.number)
    schedule = state.schedule(of.number)
    return would_change(state.known_plan, drawing, of.seed, schedule, state.entries, before, pairing)
