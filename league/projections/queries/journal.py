"""The journal of a rating: every official change, including corrections and their ripples."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query

j = t.journal.c

LATEST_FIRST = Order((j.entry,), descending=True)


class JournalRow(NamedTuple):
    """A change of an official rating; `position` is that of the event that caused it."""

    entry: int
    position: int
    cause: str
    mode: str
    match_id: str | None
    before: float
    after: float | None


def entries_of(subject: str, id_: ColumnElement[str], mode: str | None) -> Query:
    """The entries for the rating of a player (`player`) or a pair (`team`), in one mode or in both."""
    query = select(t.journal).where(j.subject == subject, j.id == id_)
    return query if mode is None else query.where(j.mode == mode)
