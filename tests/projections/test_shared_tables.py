"""The check of every statement that tests execute: what it finds, and what it lets pass."""

from __future__ import annotations

from typing import Any

import pytest
from shared_tables import shared_tables
from sqlalchemy import exists, select, true

from league.projections import tables as t

e, r = t.editions.c, t.runs.c
other = t.editions.alias()
DOCUMENT = select(e.document).where(e.hash == r.shown_edition)


@pytest.mark.parametrize(
    ("statement", "shared"),
    [
        (select(e.hash, select(e.document).where(e.hash == e.hash).scalar_subquery()), {"editions"}),
        (select(e.hash, select(other.c.document).where(other.c.hash == e.hash).scalar_subquery()), {"editions"}),
        (select(e.hash, select(other.c.title).where(other.c.hash == e.hash).correlate_except(other).exists()), set()),
        (select(r.run).where(DOCUMENT.exists()), {"runs"}),
        (select(r.run).where(DOCUMENT.correlate(t.runs).exists()), set()),
        (select(r.run).where(exists().where(e.hash == r.shown_edition)), {"runs"}),
        (select(r.run).where(r.run.in_(select(r.run).where(r.ready))), {"runs"}),
        (select(r.run).join(DOCUMENT.lateral("one"), true()), {"runs"}),
        (select(r.run).join(DOCUMENT.subquery("apart"), true()), set()),
    ],
)
def test_a_subquery_shares_a_table_only_if_it_says_so(statement: Any, shared: set[str]) -> None:
    """An alias or `correlate` says so. A subquery in FROM sees the statement around it only if it is lateral."""
    assert set(shared_tables(statement)) == shared
