"""What a change of a player's rating in one mode did to the overall rating."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Self

from sqlalchemy import ARRAY, DateTime, Text, bindparam, text

from league.domain.rating import overall_rating, overall_weights
from league.domain.rules import Overall
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries.matches import ChangeRow
from league.projections.queries.snapshot import Snapshot


class ModeChange(NamedTuple):
    """A change of a player's rating in a mode, as far as the overall rating depends on it."""

    id: str
    mode: str
    decided_at: datetime
    match_id: str
    before: float
    after: float
    matches_before: int

    @classmethod
    def of(cls, row: ChangeRow) -> Self | None:
        """The change of a row; None for a pair's own rating, which is no part of an overall one."""
        return cls(*(getattr(row, name) for name in cls._fields)) if row.subject == "player" else None


class OverallChange(NamedTuple):
    """An overall rating before and after a change: `weight * rating after it + other_weight * other` is `after`."""

    before: float
    after: float
    weight: float
    other: float | None
    """The rating in the other mode at that time; None before its first rated match."""
    other_weight: float | None


# `n` counts from 1. The other mode's latest change before each.
_OTHERS = text("""
    SELECT asked.n, other.after, other.matches_before + 1 AS matches
    FROM unnest(:ids, :modes, :times, :matches) WITH ORDINALITY AS asked (id, mode, decided_at, match_id, n),
    LATERAL (
        SELECT after, matches_before FROM changes
        WHERE run = :run AND subject = 'player' AND id = asked.id AND mode <> asked.mode
            AND (decided_at, match_id) < (asked.decided_at, asked.match_id)
        ORDER BY decided_at DESC, match_id DESC LIMIT 1
    ) AS other
""").bindparams(
    bindparam("ids", type_=ARRAY(Text(collation="C"))),
    bindparam("modes", type_=ARRAY(Text(collation="C"))),
    bindparam("times", type_=ARRAY(DateTime(timezone=True))),
    bindparam("matches", type_=ARRAY(Text(collation="C"))),
)


def overall_changes(snapshot: Snapshot, changes: Sequence[ModeChange]) -> dict[ModeChange, OverallChange]:
    """What each change did to its player's overall rating, under the edition of the latest decided match."""
    if snapshot.shown is None:
        return {}
    columns = {
        "ids": [one.id for one in changes],
        "modes": [one.mode for one in changes],
        "times": [one.decided_at for one in changes],
        "matches": [one.match_id for one in changes],
    }
    rows = snapshot.conn.execute(_OTHERS, {"run": snapshot.run, **columns})
    others = {changes[row.n - 1]: (float(row.after), int(row.matches)) for row in rows}
    rules = snapshot.shown.rulebook.rating.overall
    return {one: _change(one, others.get(one), rules) for one in changes}


def _change(of: ModeChange, other: tuple[float, int] | None, rules: Overall) -> OverallChange:
    """The overall rating is that of one mode until both have been played."""
    if other is None:
        return OverallChange(of.before, of.after, 1.0, None, None)
    is_first = of.mode == RATED_MODES[0]

    def overall(rating: float, matches: int) -> float:
        (a, a_matches), (b, b_matches) = ((rating, matches), other) if is_first else (other, (rating, matches))
        return overall_rating(a, a_matches, b, b_matches, rules)

    before = overall(of.before, of.matches_before) if of.matches_before else other[0]
    matches = of.matches_before + 1
    weights = overall_weights(*((matches, other[1]) if is_first else (other[1], matches)), rules)
    weight, other_weight = weights if is_first else weights[::-1]
    return OverallChange(before, overall(of.after, matches), weight, other[0], other_weight)
