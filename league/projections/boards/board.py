"""The definition of a board: its competitors, its value, its order, and its display. `definitions` lists the boards.

The edition of the latest decided match decides how ratings and boards are displayed.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, column, func, literal, select, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.bonuses import Clause
from league.domain.rating import shown as rounded
from league.domain.rules import Rulebook
from league.domain.seating import Subject
from league.domain.sentences import say
from league.projections import tables as t

# ---------------------------------------------------------------- display rules


_rulebooks: dict[str, Rulebook] = {}
"""Cache of the editions by hash. They are immutable, so a process reads each one once."""


class AlteredEdition(Exception):
    """The document that was read for an edition is not the one that its hash was made of."""

    def __init__(self, hash_: str, found: str) -> None:
        self.hash, self.found = hash_, found
        text = say(
            "The rules that were read for edition {hash} have the hash {found}; `league verify` finds what was "
            "altered, and `league project --rebuild` stores published editions anew",
            hash=hash_,
            found=found,
        )
        super().__init__(text)


class DisplayRules(Struct, frozen=True):
    """A moment of play, and the edition of the latest match that was decided by then."""

    at: datetime
    rulebook: Rulebook
    edition: str
    """Its hash."""

    @property
    def active_since(self) -> datetime:
        """Competitors who finished a match at or after this time are active."""
        return self.at - timedelta(days=self.rulebook.boards.active_days)


def unread_document(hash_: ColumnElement[Any]) -> ColumnElement[Any]:
    """The document of an edition, as a column; null if this process has read it before."""
    # Under an alias: in a statement that also reads editions, `hash_` would otherwise be the subquery's own column.
    e = t.editions.alias()
    # Looked up when the statement is executed, since statements are cached.
    read = bindparam("read", callable_=lambda: list(_rulebooks), type_=ARRAY(t.Text), unique=True)
    unread = e.c.hash != func.all(read)
    return select(e.c.document).where(e.c.hash == hash_, unread).correlate_except(e).scalar_subquery()


def known_rulebook(hash_: str) -> Rulebook | None:
    """The edition with a hash, if this process has read it before."""
    return _rulebooks.get(hash_)


def rulebook_of(hash_: str, document: bytes | None) -> Rulebook:
    """The edition with a hash, from a document that was read with `unread_document`. Raises AlteredEdition."""
    if document is not None:
        found = hashlib.sha256(document).hexdigest()
        if found != hash_:
            raise AlteredEdition(hash_, found)
        _rulebooks[hash_] = msgspec.json.decode(document, type=Rulebook)
    return _rulebooks[hash_]


def read_edition(conn: Connection, hash_: str) -> Rulebook:
    """The edition with a hash that a row refers to. Raises AlteredEdition."""
    known = known_rulebook(hash_)
    if known is not None:
        return known
    return rulebook_of(hash_, conn.scalar(select(unread_document(literal(hash_, t.Id)))))


def display_rules_now(conn: Connection, run: int) -> DisplayRules | None:
    """The display rules of a run, at the moment of its latest decided match. None without a match."""
    r = t.runs.c
    query = select(r.latest_decided_at, r.shown_edition, unread_document(r.shown_edition).label("document")).where(
        r.run == run
    )
    return display_rules_of_row(conn.execute(query).one())


def display_rules_of_row(row: Any) -> DisplayRules | None:
    """Display rules from a row with `latest_decided_at`, `shown_edition` and its `document`; None without a match."""
    # A run of an older program has no `shown_edition` until it is folded again.
    if row.latest_decided_at is None or row.shown_edition is None:
        return None
    return DisplayRules(row.latest_decided_at, rulebook_of(row.shown_edition, row.document), row.shown_edition)


def display_rules_at(conn: Connection, run: int, moments: Sequence[datetime]) -> Mapping[datetime, DisplayRules]:
    """The display rules of a run at moments of play; moments before its first decided match are left out."""
    rows = conn.execute(_shown_at(), {"run": run, "moments": list(moments)})
    return {row.at: DisplayRules(row.at, rulebook_of(row.edition, row.document), row.edition) for row in rows}


@cache
def _shown_at() -> Select[Any]:
    m = t.matches.c
    times = bindparam("moments", type_=ARRAY(t.Time))
    asked = func.unnest(times).table_valued(column("at", t.Time)).render_derived(name="asked")
    latest = (
        select(m.edition)
        .where(and_(m.run == bindparam("run"), m.decided.is_not(None), m.decided_at <= asked.c.at))
        .order_by(m.decided_at.desc(), m.match_id.desc())
        .limit(1)
        .lateral("latest")
    )
    query = select(asked.c.at, latest.c.edition, unread_document(latest.c.edition).label("document"))
    return query.select_from(asked.join(latest, true()))


# ---------------------------------------------------------------- boards


class BoardKey(Struct, frozen=True, omit_defaults=True):
    """Identifies a board by its kind, part and moment. The API makes the ids of boards from it."""

    kind: str
    """A key of `definitions.BOARDS`."""
    region: str | None = None
    """Only players of this region, or pairs whose players both belong to it; None: the whole league."""
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
    is_exported: bool = True
    """Whether `league export boards` writes it. Its format is a promise, so it has the boards of the rules alone."""
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
    def standings(self, run: int, board: BoardKey, shown: DisplayRules) -> Select[Any]:
        """The competitors of all regions: `id`, `value`, `matches`, `provisional`, and `below`, which is `-value`.

        Further columns are allowed. The current board needs an index on (provisional, below, id); without it each page
        sorts the whole board.
        """

    @abstractmethod
    def last_decided_at(self, run: int, board: BoardKey, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
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
    return and_(*(partner.in_(players) for partner in t.partners_of(id_)))
