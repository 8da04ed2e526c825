"""The journal of a rating: how it came about in the official league, corrections and their ripples too."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query

j = t.journal.c

LATEST_FIRST = Order((j.entry,), descending=True)


class JournalRow(NamedTuple):
    """A move of an official rating; `position` is that of the event behind it."""

    entry: int
    position: int
    cause: str
    mode: str
    match_id: str | None
    before: float
    after: float | None


def entries_of(subject: str, id_: ColumnElement[str], mode: str | None) -> Query:
    """What moved the rating of a player (`player`) or a pair (`team`), in one mode or in both."""
    query = select(t.journal).where(j.subject == subject, j.id == id_)
    return query if mode is None else query.where(j.mode == mode)
