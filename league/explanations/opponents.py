"""Who played against whom in a match, by the ids under which they compete."""

from collections.abc import Sequence

from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.domain.rules import Mode
from league.domain.seating import sides_of


def sides(mode: Mode, seats: Sequence[str]) -> tuple[str, ...]:
    """The sides of a match, players or pairs."""
    return tuple(map(competitor_of, sides_of(mode, tuple(seats))))


def opponents(mode: Mode, seats: Sequence[str], of: str) -> tuple[str, ...]:
    """The sides against which a player or a pair played."""
    own = set(players_of(CompetitorId(of)))
    return tuple(side for side in sides(mode, seats) if own.isdisjoint(players_of(CompetitorId(side))))
