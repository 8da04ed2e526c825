"""Fold 2, careers: what players have achieved so far, and the badges earned by matches and by closed months."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain.result import PlayerTally
from league.domain.rules import BadgeRules, Rulebook
from league.projections.folds.badges import MATCH_BADGES, MONTH_BADGES, Appearance, BadgeMeasure, Career, MatchBadge
from league.projections.folds.league_fold import RATED_MODES, LedgerChange
from league.projections.folds.match_fold import DecidedMatch, RulesTimeline


class MonthClosure(Struct, frozen=True):
    """A month that was closed."""

    month: str
    ends_at: datetime
    position: int
    """The position of the event that closed it."""


class LeagueCalendar(Struct, frozen=True):
    """The months of the league as of a log position."""

    zone: ZoneInfo
    closings: tuple[MonthClosure, ...] = ()


# ---------------------------------------------------------------- badges of matches


class AwardedBadge(Struct, frozen=True, array_like=True):
    """A badge, and the match that earned it."""

    player: str
    badge: str
    measure: str
    threshold: int
    earned_at: datetime
    match: str | None
    """None if a month earned it."""
    position: int
    """The position of the event that decided the match or closed the month."""


Careers = dict[str, Career]
Measures = tuple[tuple[MatchBadge, BadgeMeasure, tuple[tuple[int, str], ...]], ...]
"""The measures of an edition that matches count. Each has its badge kind, and its thresholds with the badges earned."""


def evolve(
    careers: Careers, match: DecidedMatch, changes: Sequence[LedgerChange], rulebook: Rulebook
) -> list[AwardedBadge]:
    """Apply a decided match to the careers of its players and return the badges that it earns (CDS text 1.5, 7).

    Changes `careers` in place for speed, as `league_fold.evolve` does; no I/O, no clock.
    """
    badges: list[AwardedBadge] = []
    measures = _measures(rulebook.badges)
    gained = {change.id: change for change in changes if change.subject == "player"}
    averages = [_average([gained[p].before for p in players]) for players in match.sides] if gained else []
    for side, players in enumerate(match.sides):
        for player, tally in zip(players, match.tallies_of(side), strict=True):
            career = careers.setdefault(player, Career())
            _count(career, match, side, tally)
            if match.mode in RATED_MODES:
                # Nobody has beaten a side that gave up.
                rated_higher = 0.0 if match.status == "forfeited" else averages[1 - side] - averages[side]
                appearance = _appearance(match, side, tally, rated_higher)
                rating = _established(gained[player], rulebook.rating.provisional_below)
                career.streak = career.streak + 1 if appearance.won else 0
                for badge, measure, _steps in measures:
                    badge.take(career, appearance, measure, rating)
                badges += _earned(career, player, match, measures)
    return badges


@lru_cache(maxsize=16)
def _measures(badges: BadgeRules) -> Measures:
    """The measures of an edition that matches count; cached, since every match needs them."""
    return tuple(
        (badge, measure, tuple((threshold, f"{measure.key}-{threshold}") for threshold in measure.thresholds))
        for badge in MATCH_BADGES
        for measure in badge.measures(badges)
    )


def _count(career: Career, match: DecidedMatch, side: int, tally: PlayerTally) -> None:
    career.matches += 1
    career.hands_won += tally.hands_won
    career.capicuas += tally.capicuas
    career.viajeras += tally.viajeras
    career.pollonas += match.achievements.pollona and side == match.winner
    career.wins += side == match.winner


def _appearance(match: DecidedMatch, side: int, tally: PlayerTally, rated_higher: float) -> Appearance:
    won = side == match.winner
    return Appearance(
        won=won,
        hands_won=tally.hands_won,
        hands_won_by_block=tally.hands_won_by_block,
        capicuas=tally.capicuas,
        viajeras=tally.viajeras,
        blocks=tally.blocks,
        pollona=won and match.achievements.pollona,
        trailed_by=match.achievements.trailed_by if won else 0,
        rated_higher=rated_higher,
    )


def _established(change: LedgerChange, provisional_below: int) -> int | None:
    """The rating after a match, rounded down; None while provisional."""
    return int(change.after) if change.matches_before + 1 >= provisional_below else None


def _average(ratings: Sequence[float]) -> float:
    return sum(ratings) / len(ratings)


def _earned(career: Career, player: str, match: DecidedMatch, measures: Measures) -> Iterator[AwardedBadge]:
    for _, measure, steps in measures:
        value = career.best.get(measure.key, 0)
        for threshold, badge in steps:
            if value >= threshold and badge not in career.earned:
                career.earned.append(badge)
                yield AwardedBadge(player, badge, measure.key, threshold, match.decided_at, match.match, match.position)


# ---------------------------------------------------------------- badges of closed months


class Honour(Struct, frozen=True):
    """An honour of a player in a month; both partners of a pair have it. `mode` is None if it covers both modes.

    The fields are in the order of the columns of the table `honours`, since rows are made of them.
    """

    player: str
    measure: str
    month: str
    mode: str | None


def badges_of(
    closings: Iterable[MonthClosure], honours: Iterable[Honour], rules: RulesTimeline
) -> Iterator[AwardedBadge]:
    """The badges that honours earn, in the order in which the months were closed, under the rules of each month."""
    by_month: dict[str, list[Honour]] = {}
    for honour in honours:
        by_month.setdefault(honour.month, []).append(honour)
    counts: dict[tuple[str, str], int] = {}
    earned: set[tuple[str, str]] = set()
    for closing in sorted(closings, key=lambda closing: closing.position):
        edition = badges_at(closing, rules)
        thresholds = {one.key: one.thresholds for badge in MONTH_BADGES for one in badge.measures(edition)}
        for honour in by_month.get(closing.month, ()):
            held = (honour.player, honour.measure)
            counts[held] = counts.get(held, 0) + 1
            for threshold in thresholds[honour.measure]:
                badge = f"{honour.measure}-{threshold}"
                if counts[held] >= threshold and (honour.player, badge) not in earned:
                    earned.add((honour.player, badge))
                    yield AwardedBadge(
                        honour.player, badge, honour.measure, threshold, closing.ends_at, None, closing.position
                    )


def badges_at(closing: MonthClosure, rules: RulesTimeline) -> BadgeRules:
    """The badge rules of a month, which are in the edition that applies to a match at the very end of the month."""
    return rules.at(closing.ends_at - timedelta(microseconds=1)).rulebook.badges
