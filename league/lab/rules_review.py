"""The review of a league's own rules: are forecasts right, do ratings drift, would a fitted change help.

It reads the matches that were decided before the end of a closed month. The matches decide all of the review. It
changes nothing.
"""

from collections.abc import Sequence

from msgspec import Struct

from league.domain.verdict import ROUNDING, JudgedMatch, MeanInterval, Verdict, intervals

LEAST_MATCHES = 500
"""Fewest rated matches for a review."""
LEAST_DRIFT = 5.0
"""A mean rating that moves by fewer points than this in the judged months hardly moves."""


class FavouriteRecord(Struct, frozen=True):
    """How often favourites won, beside how often they were expected to. Matches between equals have no favourite."""

    matches: int
    days: int
    """Days on which these matches were decided."""
    expected: float
    """The mean of their expected scores; 0 without a match."""
    won: float
    """The share of the matches that they won; 0 without a match."""
    difference: MeanInterval
    """`won` minus `expected`, with its interval."""


class MeanRatingMove(Struct, frozen=True):
    """The mean rating of the players of a mode, before the judged months and at their end."""

    mode: str
    first: float
    last: float

    @property
    def points(self) -> float:
        """Rating points by which it rose; negative if it fell."""
        return self.last - self.first


class RulesFit(Struct, frozen=True):
    """What a search for better settings found."""

    verdict: Verdict
    """The verdict on months that the search had not read: the fitted rules against those in force."""
    settings: str
    """The settings that the search over all matches would change, as TOML; empty if none."""
    changed: int
    """How many settings these are."""
    tried: int
    """Settings tried in all searches."""
    first_month: str
    """The first month that the search has read."""
    last_month: str


class RulesReview(Struct, frozen=True):
    """The review of a league's own rules."""

    matches: int
    """Rated matches that it has read."""
    rated_months: int
    """Months with rated matches."""
    first_month: str
    """The first judged month, such as `2026-03`: a review judges the last three months with rated matches."""
    last_month: str
    favourites: FavouriteRecord
    means: tuple[MeanRatingMove, ...]
    """By mode; modes without a rated match are left out."""
    fit: RulesFit | None
    """None if the league has too few months with rated matches."""


def favourite_record(matches: Sequence[JudgedMatch]) -> FavouriteRecord:
    """How often favourites won, by the first forecasts of judged matches."""
    with_favourite = [match for match in matches if abs(match.first - 0.5) >= ROUNDING]
    days = [match.day for match in with_favourite]
    expected = [max(match.first, 1 - match.first) for match in with_favourite]
    won = [float(match.first > 0.5) for match in with_favourite]  # noqa: PLR2004  # an even match
    (difference,) = intervals(days, [[one - other for one, other in zip(won, expected, strict=True)]])
    count = max(1, len(days))
    return FavouriteRecord(len(days), len(set(days)), sum(expected) / count, sum(won) / count, difference)
