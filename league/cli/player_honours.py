"""A player's boards and badges on their page: ranks, earned badges, progress toward the next."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from league.domain.competitor import CompetitorId, subject_of
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries import badges as reads
from league.projections.queries.badges import BadgeRow
from league.projections.queries.places import PlaceRow, read_around
from league.projections.queries.snapshot import Snapshot
from league.wording.rulebook import badge_in_words


def ranks(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> dict[str, int]:
    """The ranks by board; boards without a rank are left out."""
    subject = subject_of(id_)
    kinds = [kind for kind, board in BOARDS.items() if not board.monthly and board.competitor("") == subject]
    found: dict[str, int] = {}
    for kind in kinds:
        for place in read_around(snapshot, PlaceRow, Board(kind, as_of=as_of), id_, 0):
            if place.rank is not None:
                found[kind] = place.rank
    return found


def badges(snapshot: Snapshot, player: str, as_of: datetime | None) -> list[dict[str, Any]]:
    """The badges of a player in words, latest first."""
    earned = [row for row in _earned(snapshot, player) if as_of is None or row.earned_at <= as_of]
    now = reads.shown_rules(snapshot)
    if now is None:
        return []
    rules = reads.rules_by_edition(snapshot, [row.edition for row in earned if row.edition is not None])
    return [
        {
            "badge": row.badge,
            # A closed month has no edition of its own.
            "for": badge_in_words(
                row.measure, row.threshold, now if row.edition is None else rules.get(row.edition, now)
            ),
            "earned_at": row.earned_at,
        }
        for row in earned
    ]


def next_badges(snapshot: Snapshot, player: str) -> list[dict[str, Any]]:
    """The next badge of every measure in which the player has made progress."""
    rules, measured = reads.shown_rules(snapshot), reads.measured_by_player(snapshot, [player]).get(player)
    if rules is None or measured is None:
        return []
    held = {row.badge for row in _earned(snapshot, player)}
    return [
        {
            "badge": f"{one.measure}-{one.next}",
            "for": badge_in_words(one.measure, one.next, rules),
            "reached": one.reached,
            "of": one.next,
        }
        for one in reads.progress_of(measured, held, rules)
        if one.next is not None and one.reached > 0
    ]


def _earned(snapshot: Snapshot, player: str) -> Sequence[BadgeRow]:
    return reads.badges_by_player(snapshot, [player])[player]
