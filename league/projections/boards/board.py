"""What a board is: its competitors, its value and its order. `definitions` lists the boards."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, and_, func, select

from league.domain.clauses import Clause
from league.domain.competitor import Subject
from league.domain.rating import shown as rounded
from league.domain.rules import Rulebook
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.display_rules import Shown


class Board(Struct, frozen=True, omit_defaults=True):
    """Identifies a board: its kind, and the part of it that is wanted. The API makes its ids of it."""

    kind: str
    """A key of `definitions.BOARDS`."""
    region: str | None = None
    """Only players of this region, or pairs with both players of it; None: the whole league."""
    include_inactive: bool = False
    """On boards that leave out inactive players: include them."""
    as_of: datetime | None = None
    """The board at this moment of play; None: now."""
    month: str = ""
    """On boards of a month: the month, such as `2026-03`."""
    mode: str = ""
    """On boards of a month: the mode."""


@dataclass(frozen=True, kw_only=True)
class BoardDefinition(ABC):
    """The definition of a kind of board: its names, its sources, its query."""

    kind: str
    """Names the board in exports and on the command line; the enum of the API is made from it."""
    title: str
    """The heading for people."""
    description: str
    """One sentence for the API documentation: which competitors are listed, by which value."""
    clause: Clause
    """The section of the source text that requires this board, and the settings that the value depends on."""
    unit: str
    """The unit of the value, for people."""
    heading: str
    """The heading of the value's column in a table."""
    decimals: int = 0
    """Decimal places of the displayed value."""
    monthly: bool = False
    """Whether each month and mode has a board of this kind."""
    drops_inactive: bool = False
    """Whether players without a finished match for `boards.active_days` are left out, unless `include_inactive`."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes whose ratings the value is computed from; empty for boards without ratings."""
        return ()

    @abstractmethod
    def competitor(self, mode: str) -> Subject:
        """Whether the board lists players or pairs; `mode`: the mode of a monthly board."""

    @abstractmethod
    def standings(self, run: int, board: Board, shown: Shown) -> Select[Any]:
        """The competitors of all regions: `id`, `value`, `matches`, `provisional`, and `below`, which is `-value`.

        Further columns are allowed. The current board needs an index on (provisional, below, id); without it each page
        sorts the whole board.
        """

    @abstractmethod
    def last_decided_at(self, run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """When each competitor's latest match that counts here was decided; `at`: the moment that the board shows."""

    @abstractmethod
    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Whether a decided match may move its players on this board; `rules`: the edition of the match."""

    def is_moved_by_rating(self, subject: str, mode: str) -> bool:
        """Whether a changed rating of a `player` or a `team` in a mode may move competitors on this board."""
        return False

    def in_words(self, value: float) -> str:
        """A value as displayed: rounded half up to the board's decimal places."""
        return f"{value:.{self.decimals}f}" if self.decimals else str(rounded(value))


def last_match_at(run: int, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
    """When a player's latest match of any kind was decided."""
    x = t.appearances.c
    theirs = (x.run == run, x.player_id == id_, x.decided_at <= at)
    return select(func.max(x.decided_at)).where(*theirs).scalar_subquery()


def last_rated_at(run: int, subject: str, mode: str, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
    """When a player's or a team's latest rated match in a mode was decided."""
    c = t.changes.c
    theirs = (c.run == run, c.subject == subject, c.id == id_, c.mode == mode, c.decided_at <= at)
    return select(func.max(c.decided_at)).where(*theirs).scalar_subquery()


def is_of_region(competitor: Subject, id_: ColumnElement[str], region: str) -> ColumnElement[bool]:
    """Whether a player, or both partners of a pair, belong to a region."""
    p = t.players.c
    players = select(p.player_id).where(p.region == region)
    if competitor == "player":
        return id_.in_(players)
    return and_(*(partner.in_(players) for partner in competitor_columns.partners_of(id_)))
