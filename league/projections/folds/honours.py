"""The badges that honours of closed months earn."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from msgspec import Struct

from league.domain.rules import Badges
from league.projections.folds.badges import MONTH_BADGES
from league.projections.folds.calendar import Closing
from league.projections.folds.careers import Badge
from league.projections.folds.match_fold import Rules


class Honour(Struct, frozen=True):
    """An honour of a player in a month; both partners of a pair have it. `mode` is None if it covers both modes."""

    player: str
    measure: str
    month: str
    mode: str | None


def badges_of(closings: Iterable[Closing], honours: Iterable[Honour], rules: Rules) -> Iterator[Badge]:
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
                    yield Badge(
                        honour.player, badge, honour.measure, threshold, closing.ends_at, None, closing.position
                    )


def badges_at(closing: Closing, rules: Rules) -> Badges:
    """The badges of a month: those of the edition that applies to a match at the very end of the month."""
    return rules.at(closing.ends_at - timedelta(microseconds=1)).rulebook.badges
