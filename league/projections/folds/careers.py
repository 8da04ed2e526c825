"""Fold 2, careers: what each player has done so far, and the badges that it earns."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct, field

from league.domain.result import Tally
from league.domain.rules import Badges, Rulebook
from league.projections.folds.match_fold import DecidedMatch
from league.projections.folds.ratings import RATED_MODES, Change


class Career(Struct, array_like=True):
    """A player's career; `best` holds what badges measure, over both rated modes together."""

    matches: int = 0
    """Of any kind, with those of individuals."""
    hands_won: int = 0
    capicuas: int = 0
    viajeras: int = 0
    pollonas: int = 0
    streak: int = 0
    """Rated matches won in a row, up to now."""
    best: dict[str, int] = field(default_factory=dict)
    """By measure, the highest value so far."""
    earned: list[str] = field(default_factory=list)
    """The badges."""


class Badge(Struct, frozen=True, array_like=True):
    """A badge, and the match that earned it."""

    player: str
    badge: str
    measure: str
    threshold: int
    earned_at: datetime
    match: str | None
    """None: it was earned by a month."""
    position: int
    """Of the event that decided the match, or that closed the month."""


Careers = dict[str, Career]


def evolve(careers: Careers, match: DecidedMatch, changes: Sequence[Change], rulebook: Rulebook) -> list[Badge]:
    """Take a decided match into the careers of its players and return the badges that it earns (CDS text 1.5, 7).

    Changes `careers` in place, for the speed of the fold, as `ratings.evolve` does; no I/O, no clock.
    """
    badges: list[Badge] = []
    thresholds = tuple(thresholds_of(rulebook.badges))
    gained = {change.id: change for change in changes if change.subject == "player"}
    averages = [_average([gained[p].before for p in players]) for players in match.sides] if gained else []
    for side, players in enumerate(match.sides):
        for player, tally in zip(players, match.tallies_of(side), strict=True):
            career = careers.setdefault(player, Career())
            _count(career, match, side, tally)
            if match.mode in RATED_MODES:
                _measure(career, match, side, tally, gained[player], rulebook)
                higher = averages[1 - side] - averages[side]
                _add(career.best, "upset", side == match.winner and higher >= rulebook.badges.upset.gap)
                badges += _earned(career, player, match, thresholds)
    return badges


def _count(career: Career, match: DecidedMatch, side: int, tally: Tally) -> None:
    career.matches += 1
    career.hands_won += tally.hands_won
    career.capicuas += tally.capicuas
    career.viajeras += tally.viajeras
    career.pollonas += match.achievements.pollona and side == match.winner


def _measure(career: Career, match: DecidedMatch, side: int, tally: Tally, change: Change, rulebook: Rulebook) -> None:
    """Bring what badges measure up to date."""
    won, best = side == match.winner, career.best
    career.streak = career.streak + 1 if won else 0
    _add(best, "matches", 1)
    _add(best, "wins", won)
    _add(best, "pollonas", match.achievements.pollona and won)
    best["streak"] = max(best.get("streak", 0), career.streak)
    _add(best, "capicuas", tally.capicuas)
    _add(best, "viajeras", tally.viajeras)
    _add(best, "blocks", tally.blocks)
    for step in rulebook.badges.recoveries:
        _add(best, f"recoveries_{step.behind}", won and match.achievements.trailed_by >= step.behind)
    if change.matches_before + 1 >= rulebook.rating.provisional_below:
        best["rating"] = max(best.get("rating", 0), int(change.after))


def _average(ratings: Sequence[float]) -> float:
    return sum(ratings) / len(ratings)


def _add(best: dict[str, int], measure: str, more: int) -> None:
    if more:
        best[measure] = best.get(measure, 0) + more


def _earned(
    career: Career, player: str, match: DecidedMatch, thresholds: Sequence[tuple[str, tuple[int, ...]]]
) -> Iterator[Badge]:
    for measure, steps in thresholds:
        value = career.best.get(measure, 0)
        for threshold in steps:
            if value >= threshold and (badge := f"{measure}-{threshold}") not in career.earned:
                career.earned.append(badge)
                yield Badge(player, badge, measure, threshold, match.decided_at, match.match, match.position)


def thresholds_of(rules: Badges) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every measure of an edition with its thresholds; a recovery has a measure for each step."""
    for measure in ("streak", "matches", "wins", "pollonas", "capicuas", "viajeras", "blocks", "rating"):
        yield measure, getattr(rules, measure)
    for step in rules.recoveries:
        yield f"recoveries_{step.behind}", step.thresholds
    yield "upset", rules.upset.thresholds
