"""The entry of a match in the series of its pair and month, beside the events that open the match."""

from datetime import datetime

from league.application.decision import Decided, Decision
from league.application.stream_states import StreamStates
from league.domain import series
from league.domain.rules import Competition, Mode, Series
from league.domain.seating import sides_of
from league.domain.series import Encounter, bounds


def entry_in_series(
    match: str,
    mode: Mode,
    competition: Competition,
    seats: tuple[str, ...],
    began_at: datetime,
    rules: Series,
    states: StreamStates,
) -> Decision:
    """The entry of a match that begins then; none where such a match does not count. Raises SeriesLocked."""
    if not series.is_entered(mode, competition, rules):
        return []
    encounter = Encounter.of(mode, sides_of(mode, states.read_as(seats)), began_at, states.zone())
    _, free_at = bounds(encounter.month, states.zone())
    entered = series.enter_match(match, encounter, states.entered(encounter), rules, free_at)
    return [Decided(encounter.stream, entered)]
