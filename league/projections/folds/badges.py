"""The badges of the league: each kind defined once, with what it counts, its wording and its progress.

A new measure is an entry in `_BADGES`, a setting with its thresholds in `league.domain.rules.BadgeRules`, and the
setting's default in `league.domain.rulebook_defaults.ADDED_AFTER_EDITION_1`.
"""

from abc import ABC
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import asdict

from league.domain.rules import BadgeRules, RulebookSection
from league.domain.sentences import say


class Appearance(NamedTuple):
    """What a player did in a rated match. The table `appearances` has columns of these names, except `rated_higher`."""

    won: bool
    hands_won: int
    """Hands won by the player's side."""
    hands_won_by_block: int
    capicuas: int
    viajeras: int
    blocks: int
    """Hands won by a block, where this seat is credited with the block."""
    pollona: bool
    """Whether the player's side won and the other side had 0."""
    trailed_by: int
    """The most points by which the winner was behind at the end of a hand; 0 for losers."""
    rated_higher: float
    """The mean rating of the other side minus that of the player's side, before the match; 0 after a forfeit."""


class Career(Struct, array_like=True):
    """A player's career; `best` holds the highest value of each measure, over both rated modes together."""

    matches: int = 0
    """Matches of any kind, including those of individuals."""
    hands_won: int = 0
    capicuas: int = 0
    viajeras: int = 0
    pollonas: int = 0
    streak: int = 0
    """Rated matches won in a row, up to now."""
    best: dict[str, int] = field(default_factory=dict)
    """The highest value of each measure so far."""
    earned: list[str] = field(default_factory=list)
    """The badges earned so far."""
    wins: int = 0
    """Matches of any kind that were won."""


class BadgeMeasure(Struct, frozen=True):
    """A number that an edition counts for a badge, with the thresholds that earn the badge."""

    key: str
    """The name of the badge. If an edition has several steps of it, the number of the step follows the name."""
    definition: "BadgeDefinition"
    thresholds: tuple[int, ...]
    numbers: Mapping[str, int] = {}
    """The badge's other numbers in the edition, such as `gap`."""

    def in_words(self, threshold: int) -> str:
        """What a badge with this threshold is awarded for."""
        return self.definition.in_words(threshold, self.numbers)


@dataclass(frozen=True, kw_only=True)
class BadgeDefinition(ABC):
    """The definition of a kind of badge: its setting, its wording, how it is counted."""

    name: str
    """The setting of `BadgeRules` that holds the thresholds."""
    one: str
    """What a badge with the threshold 1 is awarded for; `{gap}` and the like are numbers of the edition."""
    many: str
    """What a badge with the threshold `{n}` is awarded for."""
    settings: Mapping[str, str]
    """Every setting of the badge by its key in `BadgeRules`, with a description."""
    steps_by: str | None = None
    """The setting that distinguishes the steps of an edition, for badges that may have several steps."""
    also_depends_on: tuple[str, ...] = ()
    """Settings of other sections that the badge depends on, as dotted keys."""

    def measures(self, badges: BadgeRules) -> Iterator[BadgeMeasure]:
        """The measures of an edition for this badge."""
        setting = getattr(badges, self.name)
        if self.steps_by is not None:
            for step in setting:
                yield BadgeMeasure(f"{self.name}_{getattr(step, self.steps_by)}", self, step.thresholds, _numbers(step))
        elif isinstance(setting, RulebookSection):
            yield BadgeMeasure(self.name, self, setting.thresholds, _numbers(setting))  # type: ignore[attr-defined]  # each such section has them
        else:
            yield BadgeMeasure(self.name, self, setting)

    def in_words(self, threshold: int, numbers: Mapping[str, int]) -> str:
        """What a badge is awarded for; `numbers`: the badge's numbers in its edition."""
        return say(self.one if threshold == 1 else self.many, n=threshold, **numbers)

    @property
    def setting_keys(self) -> tuple[str, ...]:
        """The dotted keys of the settings that define the badge."""
        return (*(f"badges.{key}" for key in self.settings), *self.also_depends_on)

    def reached(self, career: Any, key: str) -> int:
        """The player's progress toward the next badge; `career` has `streak` and `best`."""
        best: int = career.best.get(key, 0)
        return best


@dataclass(frozen=True, kw_only=True)
class MatchBadge(BadgeDefinition, ABC):
    """A badge that is earned by a rated match."""

    def take(self, career: Career, appearance: Appearance, measure: BadgeMeasure, rating: int | None) -> None:
        """Update a measure after a match; `rating`: the player's new rating, None while provisional."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class CountedBadge(MatchBadge):
    """A badge that counts what matches add up to."""

    added: Callable[[Any, Mapping[str, int]], Any]
    """What a match adds, from an `Appearance` and the numbers of the measure.

    Explanations also call it with the columns of the table, so conditions are joined by `&` and `|`, not by `and` and
    `or`.
    """

    def take(self, career: Career, appearance: Appearance, measure: BadgeMeasure, rating: int | None) -> None:
        """Add what the match counts."""
        if added := self.added(appearance, measure.numbers):
            career.best[measure.key] = career.best.get(measure.key, 0) + added


@dataclass(frozen=True, kw_only=True)
class StreakBadge(MatchBadge):
    """Matches won in a row: the longest streak earns badges, the current one counts toward the next."""

    def take(self, career: Career, appearance: Appearance, measure: BadgeMeasure, rating: int | None) -> None:
        """Update the longest streak."""
        career.best[measure.key] = max(career.best.get(measure.key, 0), career.streak)

    def reached(self, career: Any, key: str) -> int:
        """The current streak."""
        streak: int = career.streak
        return streak


@dataclass(frozen=True, kw_only=True)
class RatingBadge(MatchBadge):
    """The highest rating in any mode while established."""

    def take(self, career: Career, appearance: Appearance, measure: BadgeMeasure, rating: int | None) -> None:
        """Update the highest rating."""
        if rating is not None:
            career.best[measure.key] = max(career.best.get(measure.key, 0), rating)


@dataclass(frozen=True, kw_only=True)
class MonthBadge(BadgeDefinition):
    """Counts honours of closed months; `writers.series_rows` finds them in the standings and games."""


_BADGES: tuple[BadgeDefinition, ...] = (
    StreakBadge(
        name="streak",
        one=say("a match won"),
        many=say("{n} matches won in a row"),
        settings={"streak": say("matches won in a row")},
    ),
    CountedBadge(
        name="matches",
        one=say("a match played"),
        many=say("{n} matches played"),
        settings={"matches": say("matches played")},
        added=lambda _match, _: 1,
    ),
    CountedBadge(
        name="wins",
        one=say("a match won"),
        many=say("{n} matches won"),
        settings={"wins": say("matches won")},
        added=lambda match, _: match.won,
    ),
    CountedBadge(
        name="pollonas",
        one=say("a pollona"),
        many=say("{n} pollonas"),
        settings={"pollonas": say("pollonas")},
        added=lambda match, _: match.pollona,
    ),
    CountedBadge(
        name="capicuas",
        one=say("a capicúa"),
        many=say("{n} capicúas"),
        settings={"capicuas": say("capicúas")},
        added=lambda match, _: match.capicuas,
    ),
    CountedBadge(
        name="viajeras",
        one=say("a viajera"),
        many=say("{n} viajeras"),
        settings={"viajeras": say("viajeras")},
        added=lambda match, _: match.viajeras,
    ),
    CountedBadge(
        name="blocks",
        one=say("a hand won by a block credited to the player"),
        many=say("{n} hands won by blocks credited to the player"),
        settings={"blocks": say("hands won by a block and credited to the player")},
        added=lambda match, _: match.blocks,
    ),
    RatingBadge(
        name="rating",
        one=say("a rating of {n} in a mode while established"),
        many=say("a rating of {n} in a mode while established"),
        settings={"rating": say("rating reached in a mode while established")},
        also_depends_on=("rating.provisional_below",),
    ),
    CountedBadge(
        name="recoveries",
        one=say("a match won after trailing by {behind} points or more"),
        many=say("{n} matches won after trailing by {behind} points or more"),
        settings={"recoveries": say("matches won after trailing")},
        steps_by="behind",
        added=lambda match, numbers: match.won & (match.trailed_by >= numbers["behind"]),
    ),
    CountedBadge(
        name="upset",
        one=say("a win against a side rated {gap} or more higher"),
        many=say("{n} wins against a side rated {gap} or more higher"),
        settings={
            "upset.gap": say("an upset is a win against a side rated higher by"),
            "upset.thresholds": say("upsets"),
        },
        added=lambda match, numbers: match.won & (match.rated_higher >= numbers["gap"]),
    ),
    MonthBadge(
        name="month_won",
        one=say("first in a closed month of a mode"),
        many=say("first in {n} closed months of a mode"),
        settings={"month_won": say("closed months in whose standings they were first, each mode counts")},
    ),
    MonthBadge(
        name="unbeaten_month",
        one=say("a closed month of {games} competitive matches or more without a loss"),
        many=say("{n} closed months of {games} competitive matches or more without a loss"),
        settings={
            "unbeaten_month.games": say("competitive matches that an unbeaten month has at least"),
            "unbeaten_month.thresholds": say("closed months without a lost competitive match"),
        },
    ),
)

BADGES: dict[str, BadgeDefinition] = {badge.name: badge for badge in _BADGES}
"""The badges by name, in display order."""

MATCH_BADGES: tuple[MatchBadge, ...] = tuple(badge for badge in _BADGES if isinstance(badge, MatchBadge))
MONTH_BADGES: tuple[MonthBadge, ...] = tuple(badge for badge in _BADGES if isinstance(badge, MonthBadge))


def measures_of(badges: BadgeRules) -> Iterator[BadgeMeasure]:
    """Every measure of an edition, in the order of the badges."""
    for badge in _BADGES:
        yield from badge.measures(badges)


def measure_of(badges: BadgeRules, key: str) -> BadgeMeasure:
    """The measure of an edition with this key, such as `recoveries_50`. Raises KeyError if the edition has none."""
    return {measure.key: measure for measure in measures_of(badges)}[key]


def _numbers(section: RulebookSection) -> dict[str, int]:
    return {name: value for name, value in asdict(section).items() if name != "thresholds"}
