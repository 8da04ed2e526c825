"""Fold 2, the monthly series: decided matches become games between two competitors, month by month."""

from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain.competitor import competitor_of
from league.domain.rules import Series
from league.domain.series import game_points, is_locked, series_points, stake
from league.domain.series_entry import Encounter
from league.projections.folds.match_fold import DecidedMatch

BEYOND_LIMIT = "beyond_limit"
"""Why a game counts zero; any other reason is the name of a competition that the edition does not count."""


class Game(Struct, frozen=True, gc=False, array_like=True):
    """A decided match in the series of its month."""

    encounter: Encounter
    match: str
    decided_at: datetime
    a_won: bool
    counts_zero: str | None
    """The reason for counting zero; None if the game counts."""
    edition: str

    @property
    def takes_part(self) -> bool:
        """Whether it is a game of the series, including games beyond the limit."""
        return takes_part(self.counts_zero)


class Pair(Struct, frozen=True, gc=False):
    """What two competitors have played against each other in a month; points are those of `a`, `b` has the negative."""

    entered_at: datetime
    entered_match: str
    start: int
    """The entry points of either competitor, if this was the first game of their month."""
    a_wins: int = 0
    b_wins: int = 0
    ignored: int = 0
    """Games beyond the limit."""
    a_series_points: int = 0
    a_game_points: int = 0
    locked: bool = False
    stake: int = 0
    """The difference between winning and losing the next game."""


def game_of(pair: Pair | None, match: DecidedMatch, rules: Series, zone: ZoneInfo) -> Game:
    """The game that a match of two players or two pairs is, given their earlier games."""
    encounter = encounter_of(match, zone)
    why: str | None = None
    if match.competition not in rules.competitions:
        why = match.competition
    elif pair is not None and is_locked(pair.a_wins, pair.b_wins, rules):
        why = BEYOND_LIMIT
    a_won = encounter.a == competitor_of(match.sides[match.winner])
    return Game(encounter, match.match, match.decided_at, a_won, why, match.edition)


def takes_part(counts_zero: str | None) -> bool:
    """Whether a game that counts zero for this reason (None: it counts) belongs to a competition that counts."""
    return counts_zero is None or counts_zero == BEYOND_LIMIT


def encounter_of(match: DecidedMatch, zone: ZoneInfo) -> Encounter:
    """Who met in which month."""
    return Encounter.of(match.mode, match.sides, match.began_at, zone)


def evolve(pair: Pair | None, game: Game, rules: Series) -> Pair | None:
    """The pair after a game. Points are recomputed, not added up, under the rules of the latest game."""
    if not game.takes_part:
        return pair
    if pair is None:
        pair = Pair(game.decided_at, game.match, rules.start)
    ignored = pair.ignored + (game.counts_zero == BEYOND_LIMIT)
    a_wins = pair.a_wins + (game.a_won and game.counts_zero is None)
    b_wins = pair.b_wins + (not game.a_won and game.counts_zero is None)
    return Pair(
        entered_at=pair.entered_at,
        entered_match=pair.entered_match,
        start=pair.start,
        a_wins=a_wins,
        b_wins=b_wins,
        ignored=ignored,
        a_series_points=series_points(a_wins, b_wins, rules),
        a_game_points=game_points(a_wins, b_wins, rules),
        locked=is_locked(a_wins, b_wins, rules),
        stake=stake(a_wins, b_wins, rules),
    )
