"""How well a player or a pair has played in the hands that were reviewed: points lost a decision, with an interval."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from math import sqrt
from typing import TypeVar

from msgspec import Struct

from league.review.moves import Kind
from league.review.options import SURE, Estimate

Key = TypeVar("Key", bound=Hashable)


class HandLosses(Struct, frozen=True):
    """What the decisions of one kind have cost a seat in one hand. A turn with a single play is no decision."""

    match: str
    hand: int
    seat: int
    kind: Kind
    month: str
    """In which the match began, such as `2026-03`."""
    decisions: int
    mistakes: int
    lost: float
    """Points."""


class PlayFigure(Struct, frozen=True):
    """What decisions have cost."""

    hands: int
    decisions: int
    mistakes: int
    lost: Estimate
    """Points a decision. The interval treats hands as independent, not the decisions of a hand."""


class PlayFigures(Struct, frozen=True):
    """All decisions of a player or a pair, and the same by kind and by month."""

    total: PlayFigure | None
    """None before a hand is reviewed."""
    by_kind: dict[Kind, PlayFigure]
    by_month: dict[str, PlayFigure]


def play_figures(losses: Iterable[HandLosses]) -> PlayFigures:
    """The figures of these hands."""
    known = list(losses)
    of_all = _grouped(known, lambda _: True)
    by_kind, by_month = _grouped(known, lambda one: one.kind), _grouped(known, lambda one: one.month)
    return PlayFigures(of_all.get(True), by_kind, dict(sorted(by_month.items())))


def _grouped(losses: Iterable[HandLosses], key: Callable[[HandLosses], Key]) -> dict[Key, PlayFigure]:
    groups: dict[Key, list[HandLosses]] = defaultdict(list)
    for one in losses:
        groups[key(one)].append(one)
    return {of: _figure(group) for of, group in groups.items()}


def _figure(losses: list[HandLosses]) -> PlayFigure:
    """The ratio of points to decisions; its error is that of a ratio estimated from clusters, which are the hands."""
    hands: dict[tuple[str, int], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for one in losses:
        lost, decisions = hands[one.match, one.hand]
        hands[one.match, one.hand] = lost + one.lost, decisions + one.decisions
    total = sum(decisions for _, decisions in hands.values())
    mean = sum(lost for lost, _ in hands.values()) / total
    squares = sum((lost - mean * decisions) ** 2 for lost, decisions in hands.values())
    # One hand does not tell how much hands differ, so its interval reaches from 0 to twice the value.
    clusters = len(hands)
    error = SURE * sqrt(squares * clusters / (clusters - 1)) / total if clusters > 1 else abs(mean)
    return PlayFigure(clusters, total, sum(one.mistakes for one in losses), Estimate(mean, mean - error, mean + error))
