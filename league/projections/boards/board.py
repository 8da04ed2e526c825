"""What a board is: who stands on it, by which value, in which order. The boards themselves are in `definitions`."""

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


class Board(Struct, frozen=True):
    """Names a board: which kind, and which part of it."""

    kind: str
    """A key of `definitions.BOARDS`."""
    region: str | None = None
    """Only players of this region, of a pair both; None: the whole league."""
    include_inactive: bool = False
    """On boards that leave out inactive players: show these too."""
    as_of: datetime | None = None
    """The board at this moment of play; None: now."""
    month: str = ""
    """On boards of a month: which one, such as `2026-03` ..."""
    mode: str = ""
    """... and in which mode."""


@dataclass(frozen=True, kw_only=True)
class BoardDefinition(ABC):
    """Everything that the program knows of a kind of board."""

    kind: str
    """Names the board in exports and on the command line; the enum of the API is made from it."""
    title: str
    """In words, as a heading."""
    description: str
    """One sentence for the documentation of the API: who stands here, by which value."""
    clause: Clause
    """The section of the source text that asks for this board, and the settings that the value depends on."""
    unit: str
    """Of the value."""
    heading: str
    """Of the value's column in a table."""
    decimals: int = 0
    """Decimal places of the value that people see."""
    monthly: bool = False
    """There is one such board for each month and mode."""
    drops_inactive: bool = False
    """Players are left out who have not finished a match for `boards.active_days`; `include_inactive` shows them."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes whose ratings make the value; none where no rating does."""
        return ()

    @abstractmethod
    def competitor(self, mode: str) -> Subject:
        """What stands on the board; `mode`: that of the month, where the board is monthly."""

    @abstractmethod
    def standings(self, run: int, board: Board, shown: Shown) -> Select[Any]:
        """The competitors of all regions: `id`, `value`, `matches`, `provisional`, and `below`, which is `-value`.

        Further columns are allowed. An index has to yield the rows of now by (provisional, below, id); without it each
        page sorts the whole board.
        """

    @abstractmethod
    def last_decided_at(self, run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """When the latest match of a competitor was decided that counts here; `at`: the moment that the board shows."""

    @abstractmethod
    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Whether a decided match may move its players on this board; `rules`: of its edition."""

    def is_moved_by_rating(self, subject: str, mode: str) -> bool:
        """Whether another rating of a `player` or a `team` in a mode may move them on this board."""
        return False

    def in_words(self, value: float) -> str:
        """A value as people see it: rounded half up, or with the decimal places of the board."""
        return f"{value:.{self.decimals}f}" if self.decimals else str(rounded(value))


def last_match_at(run: int, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
    """When the latest match of a player was decided, of any kind."""
    x = t.appearances.c
    theirs = (x.run == run, x.player_id == id_, x.decided_at <= at)
    return select(func.max(x.decided_at)).where(*theirs).scalar_subquery()


def last_rated_at(run: int, subject: str, mode: str, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
    """When the latest match was decided that rated a player or a team in a mode."""
    c = t.changes.c
    theirs = (c.run == run, c.subject == subject, c.id == id_, c.mode == mode, c.decided_at <= at)
    return select(func.max(c.decided_at)).where(*theirs).scalar_subquery()


def is_of_region(competitor: Subject, id_: ColumnElement[str], region: str) -> ColumnElement[bool]:
    """Whether a player, or both partners of a pair, are of a region."""
    p = t.players.c
    players = select(p.player_id).where(p.region == region)
    if competitor == "player":
        return id_.in_(players)
    return and_(*(partner.in_(players) for partner in competitor_columns.partners_of(id_)))
