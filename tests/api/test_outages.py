"""The answers to a client while the database is away or has no room."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy.exc

from league.api.graphql.outages import outage_message
from league.eventlog.recorder import FullDisk, OutOfSpace


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.DiskFull("full"),
        sqlalchemy.exc.OperationalError("SELECT", None, psycopg.errors.DiskFull("full")),
        FullDisk("full"),
    ],
    ids=["driver", "reader", "store"],
)
def test_a_read_that_finds_the_disk_full_does_not_say_that_nothing_was_stored(error: Exception) -> None:
    """The read may be that of a payload, after the mutation was stored."""
    assert outage_message(error) == "The disk of the database is full; try again later."


def test_a_write_that_finds_the_disk_full_says_that_nothing_was_stored() -> None:
    """The store raises an error of its own for it."""
    assert outage_message(OutOfSpace("full")) == (
        "The disk of the database is full, so nothing was stored; try again later."
    )
