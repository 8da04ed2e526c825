"""Rows with a type: what a query selects, as a NamedTuple that is defined beside the query.

A NamedTuple, because SQLAlchemy types a row by the positions of its columns, and readers use their names.
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Row

R = TypeVar("R", bound=NamedTuple)


def typed(kind: type[R], rows: Iterable[Row[Any]]) -> Iterator[R]:
    """The rows as a NamedTuple of two or more fields; each field is the column of that name, others are left out."""
    return map(kind._make, map(attrgetter(*kind._fields), rows))
