"""Who has met as often in the series of the month as it allows: among those who are available, and at one table."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from league.application.stream_states import StreamStates
from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.domain.match_refusals import SeriesLocked
from league.domain.rules import Series
from league.domain.seating import sides_of
from league.domain.series import bounds, month_of
from league.domain.series_entry import Encounter, enter_match, is_entered
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.state import Entry

Two = tuple[str, str]


def locked_pairs(plan: Plan, available: Sequence[Entry], states: StreamStates) -> tuple[Two, ...]:
    """The locked pairs, by the ids that entered.

    None where such matches do not count in the series, or may be played casually.
    """
    rules = states.rulebook().at(states.now).series
    if plan.locked_play_casually or not is_entered(plan.mode, plan.competition, rules):
        return ()
    month = month_of(states.now, states.zone())
    _, free_at = bounds(month, states.zone())
    entered_as = {player: given for entry in available for given in entry.players for player in states.read_as([given])}
    found: set[Two] = set()
    for a, b in _met(plan, month, states):
        one, other = _ours(a, entered_as), _ours(b, entered_as)
        if one is None or other is None:
            continue
        encounter = Encounter(plan.mode, month, CompetitorId(a), CompetitorId(b))
        if _is_locked(encounter, rules, free_at, states):
            found.add((min(one, other), max(one, other)))
    return tuple(sorted(found))


def are_locked(plan: Plan, players: tuple[str, ...], states: StreamStates, voided: Collection[str] = ()) -> bool:
    """Whether players in these seats have met as often as the series allows; `voided`: matches that count no more."""
    rules = states.rulebook().at(states.now).series
    if not is_entered(plan.mode, plan.competition, rules):
        return False
    encounter = Encounter.of(plan.mode, sides_of(plan.mode, states.read_as(players)), states.now, states.zone())
    _, free_at = bounds(encounter.month, states.zone())
    return _is_locked(encounter, rules, free_at, states, voided)


def _met(plan: Plan, month: str, states: StreamStates) -> set[Two]:
    """All who have met in the series of the month."""
    prefix = f"series:{plan.mode}:{month}:"
    streams = {stored.stream for stored in states.store.streams_until(prefix, states.store.head())}
    named = (stream.removeprefix(prefix).split(":") for stream in streams)
    return {(a, b) for a, b in named}


def _ours(competitor: str, entered_as: Mapping[str, str]) -> str | None:
    """The id under which these players entered, alone or as partners; None where one of them is not available."""
    players = players_of(CompetitorId(competitor))
    ours = [entered_as[player] for player in players if player in entered_as]
    return competitor_of(ours) if len(ours) == len(players) else None


def _is_locked(
    encounter: Encounter, rules: Series, free_at: datetime, states: StreamStates, voided: Collection[str] = ()
) -> bool:
    entered = [one for one in states.entered(encounter) if one.match not in voided]
    try:
        enter_match("", encounter, entered, rules, free_at)
    except SeriesLocked:
        return True
    return False
