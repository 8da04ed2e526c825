"""Boards of achievements: what each player has counted over all decided matches, of every kind."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    FromClause,
    Integer,
    Select,
    and_,
    cast,
    func,
    literal_column,
    select,
)

from league.domain.competitor import Subject
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.boards.board import Board, BoardDefinition, last_match_at
from league.projections.display_rules import Shown

x = t.appearances.c

ADDED: dict[str, ColumnElement[Any]] = {
    "matches": literal_column("1", Integer),
    "hands_won": x.hands_won,
    "capicuas": x.capicuas,
    "viajeras": x.viajeras,
    "pollonas": cast(x.pollona, Integer),
}
"""Keyed by column of the achievements table: what one appearance in a decided match adds to the column."""


@dataclass(frozen=True, kw_only=True)
class AchievementBoard(BoardDefinition):
    """Players by one achievement, or by its share of another one.

    Players with a count of 0 are not listed.
    """

    counted: str
    """The column of the table of achievements that is counted."""
    per: str | None = None
    """The column to divide by; None: the board shows the plain count."""
    per_from: str | None = None
    """The setting of the boards with the smallest `per` that a player needs."""
    heading: str = say("number")

    @property
    def counts(self) -> tuple[str, ...]:
        """The columns that the value is computed from."""
        return (self.counted,) if self.per is None else (self.counted, self.per)

    def competitor(self, mode: str) -> Subject:
        """Always players."""
        return "player"

    def standings(self, run: int, board: Board, shown: Shown) -> Select[Any]:
        """Players with at least one; on a board of shares, players with enough of the divisor."""
        a: Any = t.achievements.c if board.as_of is None else achievements_then(run, shown.at).c
        value: ColumnElement[Any] = a[self.counted]
        listed = value > literal_column("0")
        if self.per is not None:
            value = cast(value, Float(53)) / cast(func.nullif(a[self.per], literal_column("0")), Float(53))
        if self.per is not None and self.per_from is not None:
            listed = and_(listed, a[self.per] >= getattr(shown.rulebook.boards, self.per_from))
        query = select(
            a.player_id.label("id"),
            value.label("value"),
            a.matches,
            literal_column("false", Boolean).label("provisional"),
            (-value).label("below"),
        )
        return query.where(a.run == run, listed)

    def last_decided_at(self, run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest match of any kind."""
        return last_match_at(run, id_, at)

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Every decided match, including matches of individuals."""
        return True


def achievements_then(run: int, at: datetime) -> FromClause:
    """The achievements table at a moment of play: the present table minus what was added later."""
    a = t.achievements.c
    later = (
        select(x.player_id, *(func.sum(added).label(name) for name, added in ADDED.items()))
        .where(x.run == run, x.decided_at > at)
        .group_by(x.player_id)
        .subquery("later")
    )
    then = [cast(a[name] - func.coalesce(later.c[name], 0), Integer).label(name) for name in ADDED]
    joined = t.achievements.outerjoin(later, later.c.player_id == a.player_id)
    return select(a.run, a.player_id, *then).select_from(joined).where(a.run == run).subquery("then")
