"""Rating boards: established competitors with ranks, then provisional ones without; inactive ones only on request."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, select

from league.domain.competitor import Subject
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.boards.board import Board, BoardDefinition, last_match_at, last_rated_at
from league.projections.boards.past_ratings import ratings_then
from league.projections.display_rules import Shown
from league.projections.folds.ratings import RATED_MODES


@dataclass(frozen=True, kw_only=True)
class RatingBoard(BoardDefinition):
    """Ratings of players, or of teams, in one mode or overall."""

    subject: Subject
    mode: str
    """`1v1`, `2v2`, or `overall`."""
    unit: str = say("rating points")
    heading: str = say("rating")
    drops_inactive: bool = True

    @property
    def modes(self) -> tuple[str, ...]:
        """The board's mode; both modes for the overall rating."""
        return RATED_MODES if self.mode == "overall" else (self.mode,)

    def competitor(self, mode: str) -> Subject:
        """The subject of the ratings, a player or a team."""
        return self.subject

    def standings(self, run: int, board: Board, shown: Shown) -> Select[Any]:
        """Stored ratings, or ratings as of a moment; inactive competitors only if the board includes them."""
        r: Any
        if board.as_of is None:
            r = t.ratings.c
            value, active = r.rating, r.last_decided_at >= shown.active_since
            query = select(r.id, value.label("value"), r.matches, r.provisional, r.last_decided_at)
            query = query.where(r.run == run, r.subject == self.subject, r.mode == self.mode)
        else:
            r = ratings_then(run, self.subject, self.mode, shown).c
            value, active = r.value, r.active
            query = select(r.id, value, r.matches, r.provisional)
        query = query.add_columns((-value).label("below"))
        return query if board.include_inactive else query.where(active)

    def last_decided_at(self, run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest rated match in the mode; on the overall board the latest match of any kind."""
        if self.mode == "overall":
            return last_match_at(run, id_, at)
        return last_rated_at(run, self.subject, self.mode, id_, at)

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Matches of the mode; on the overall board any match, since it keeps a player active."""
        return self.mode in ("overall", mode)

    def is_moved_by_rating(self, subject: str, mode: str) -> bool:
        """Ratings of the subject in the mode; on the overall board in either mode."""
        return subject == self.subject and self.mode in ("overall", mode)
