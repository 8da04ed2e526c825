"""How ratings and boards are displayed: the edition of the latest decided match decides it."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, column, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.projections import tables as t

_rulebooks: dict[str, Rulebook] = {}
"""By hash. Editions are immutable, so a process reads each one once."""


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


class Shown(Struct, frozen=True):
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
    # By a name of its own: in a statement that reads editions, too, `hash_` would else be the subquery's own column.
    e = t.editions.alias()
    # Looked up when the statement is executed, since statements are kept.
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


def shown_now(conn: Connection, run: int) -> Shown | None:
    """The display rules of a run, at the moment of its latest decided match. None without a match."""
    r = t.runs.c
    query = select(r.latest_decided_at, r.shown_edition, unread_document(r.shown_edition).label("document")).where(
        r.run == run
    )
    return shown_of(conn.execute(query).one())


def shown_of(row: Any) -> Shown | None:
    """The same, from a row with `latest_decided_at`, `shown_edition` and its `document`."""
    # A run of an older program has no `shown_edition` until it is folded again.
    if row.latest_decided_at is None or row.shown_edition is None:
        return None
    return Shown(row.latest_decided_at, rulebook_of(row.shown_edition, row.document), row.shown_edition)


def shown_at(conn: Connection, run: int, moments: Sequence[datetime]) -> Mapping[datetime, Shown]:
    """The display rules of a run at moments of play; moments before its first decided match are left out."""
    rows = conn.execute(_shown_at(), {"run": run, "moments": list(moments)})
    return {row.at: Shown(row.at, rulebook_of(row.edition, row.document), row.edition) for row in rows}


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
