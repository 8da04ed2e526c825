"""The monthly series (ToT text): the series points of two competitors, and the stream of their encounter in a month.

The stream lists their matches that count. Its version serves as a lock: of two writers that enter a match at the same
time, one fails and decides again.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import product
from typing import get_args
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from league.domain.match_refusals import SeriesLocked
from league.domain.player import Merges, competitors_ever
from league.domain.refusals import InvalidInput
from league.domain.rules import Competition, Mode, SeriesMode, SeriesRules
from league.domain.seating import CompetitorId, competitor_of
from league.domain.sentences import say

# ---------------------------------------------------------------- series points


def series_points(wins: int, losses: int, rules: SeriesRules) -> int:
    """The series points from the pool for the competitor with these wins; the other has the negative (ToT text 3).

    `pool * wins / (wins + losses) - pool / 2`, rounded to whole points, half away from zero.
    """
    games = wins + losses
    if games == 0 or games < rules.pool_from_game:
        return 0
    share = rules.pool * (wins - losses)  # in parts of 2 x games
    rounded = (2 * abs(share) + 2 * games) // (4 * games)
    return rounded if share >= 0 else -rounded


def game_points(wins: int, losses: int, rules: SeriesRules) -> int:
    """The series points from single games: a win gives as many as a loss takes (ToT text 2)."""
    return rules.game_points * (wins - losses)


def holding(wins: int, losses: int, rules: SeriesRules) -> int:
    """All series points that a competitor has gained from another; negative if they were lost."""
    return series_points(wins, losses, rules) + game_points(wins, losses, rules)


def is_locked(wins: int, losses: int, rules: SeriesRules) -> bool:
    """Whether the two have played all games of the month that count (ToT text 2)."""
    return max(wins, losses) >= rules.limit


def most_games(rules: SeriesRules) -> int:
    """The most games of two competitors in a month that can count: the last one locks them."""
    return 2 * rules.limit - 1


def stake(wins: int, losses: int, rules: SeriesRules) -> int:
    """The difference in series points between winning and losing the next game.

    It is equal for both competitors, and 0 once they are locked.
    """
    if is_locked(wins, losses, rules):
        return 0
    return holding(wins + 1, losses, rules) - holding(wins, losses + 1, rules)


# ---------------------------------------------------------------- months

NO_MONTH = say("{month!r} is not a month; an example is 2026-03")


def month_of(time: datetime, zone: ZoneInfo) -> str:
    """The calendar month of a time in the league's time zone, such as `2026-03`."""
    local = time.astimezone(zone)
    return f"{local.year:04}-{local.month:02}"


def months_around(month: str) -> tuple[str, str, str]:
    """The month before, the month, and the month after. Local times of two time zones never differ by more."""
    number = 12 * int(month[:4]) + int(month[5:]) - 1
    before, same, after = (f"{n // 12:04}-{n % 12 + 1:02}" for n in (number - 1, number, number + 1))
    return before, same, after


def bounds(month: str, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The beginnings of a month and of the next one, in UTC. Raises InvalidInput for a text that is not a month."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}", month) is None:
        raise InvalidInput("month", say(NO_MONTH, month=month))
    year, number = int(month[:4]), int(month[5:])
    try:
        begins = datetime(year, number, 1, tzinfo=zone)
        ends = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=zone)
        return begins.astimezone(UTC), ends.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput("month", say(NO_MONTH, month=month)) from None


SERIES_MODES: tuple[SeriesMode, ...] = get_args(SeriesMode)

# ---------------------------------------------------------------- events


class MatchEntered(Struct, frozen=True):
    """A match that counts was opened between the two in this month. The event has only the id, so it stays true."""

    match: str


SeriesEvent = MatchEntered

# ---------------------------------------------------------------- state


class Encounter(Struct, frozen=True):
    """Two competitors in a month; `a` is the lower id."""

    mode: Mode
    month: str
    a: CompetitorId
    b: CompetitorId

    @property
    def stream(self) -> str:
        """Its stream in the log."""
        return f"series:{self.mode}:{self.month}:{self.a}:{self.b}"

    @property
    def streams_around(self) -> list[str]:
        """Its stream, and those of the months before and after, where its matches are if the time zone has changed."""
        return [replace(self, month=month).stream for month in months_around(self.month)]

    @classmethod
    def of(cls, mode: Mode, sides: tuple[tuple[str, ...], ...], began_at: datetime, zone: ZoneInfo) -> "Encounter":
        """The encounter of a match: its competitors, and the month in which it began in the league's time zone."""
        a, b = sorted(competitor_of(side) for side in sides)
        return cls(mode, month_of(began_at, zone), a, b)


class EnteredMatch(Struct, frozen=True):
    """The state of an entered match. `decided_at` is None while it is open or pending."""

    match: str
    decided_at: datetime | None = None
    a_won: bool = False


def encounters_ever(encounter: Encounter, merges: Merges) -> list[Encounter]:
    """The encounters of all ids that these players have had, before or after any merge."""
    met = product(competitors_ever(encounter.a, merges), competitors_ever(encounter.b, merges))
    return [replace(encounter, a=a, b=b) for a, b in sorted({(min(two), max(two)) for two in met})]


def is_entered(mode: Mode, competition: Competition, rules: SeriesRules) -> bool:
    """Whether a match of this kind is entered in the series; `rules` are those in force when it begins."""
    return mode in SERIES_MODES and competition in rules.competitions


def games_of(entered: Sequence[EnteredMatch], rules: SeriesRules) -> tuple[int, int]:
    """The games that `a` and `b` have won, in the order decided. Games beyond the limit do not count."""
    a_wins = b_wins = 0
    decided = [(match.decided_at, match.match.encode(), match.a_won) for match in entered if match.decided_at]
    for _, _, a_won in sorted(decided):
        if not is_locked(a_wins, b_wins, rules):
            a_wins, b_wins = a_wins + a_won, b_wins + (not a_won)
    return a_wins, b_wins


# ---------------------------------------------------------------- decide


def enter_match(
    match: str, encounter: Encounter, entered: Sequence[EnteredMatch], rules: SeriesRules, free_at: datetime
) -> list[MatchEntered]:
    """Enter a match that is about to be played; `entered`: the earlier matches that are not voided.

    `free_at`: the end of the month. Raises SeriesLocked if the larger number of wins plus the number of open matches
    has reached the limit (ToT text 2).
    """
    a_wins, b_wins = games_of(entered, rules)
    open_matches = sum(before.decided_at is None for before in entered)
    if max(a_wins, b_wins) + open_matches >= rules.limit:
        e = encounter
        locked = is_locked(a_wins, b_wins, rules)
        casual = "casual" in rules.competitions
        raise SeriesLocked(
            "competition", e.a, e.b, e.mode, e.month, a_wins, b_wins, open_matches, locked, free_at, casual
        )
    return [MatchEntered(match)]
