"""Rows that are loaded by COPY are read as they were."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from leagues import own_database

from league.infra.database import connect
from league.projections import tables as t
from league.projections.copy_rows import ROWS_AT_ONCE, copy_rows
from league.projections.runs import Conn

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
times = st.datetimes(datetime(1, 1, 2), datetime(9998, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # bounds are naive


@pytest.fixture(scope="module")
def conn(embedded_server: str) -> Iterator[Conn]:
    with own_database(embedded_server) as url, connect(url) as made:
        yield made


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.none() | texts, st.none() | texts, times), max_size=5))
@example([("null", "", datetime(2026, 1, 1, tzinfo=UTC)), (None, "\\.", datetime(2026, 1, 1, tzinfo=UTC))])
@example([('a"b\\"c\\\\', "]\n[", datetime(2026, 1, 1, tzinfo=UTC)), ("\\n", "\x1f\t\\u0041", datetime.now(UTC))])
def test_texts_and_times(conn: Conn, rows: list[tuple[str | None, str | None, datetime]]) -> None:
    """Texts with quotes, backslashes, line breaks or control characters, or that look like null, stay as they are."""
    numbered = [(str(number), *row) for number, row in enumerate(rows)]
    copy_rows(conn, t.players, numbered)
    query = "SELECT player_id, name, region, registered_at FROM players ORDER BY player_id"
    found = conn.execute(query).fetchall()
    conn.rollback()
    assert found == numbered


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=20), max_size=3), st.integers(-(2**63), 2**63 - 1))
def test_bytes_and_numbers(conn: Conn, states: list[bytes], position: int) -> None:
    """Bytes and numbers are read as written, whether there are rows or not."""
    began = datetime(2026, 1, 1, tzinfo=UTC)
    copy_rows(conn, t.match_facts, ((str(number), began, position, state) for number, state in enumerate(states)))
    found = conn.execute("SELECT state, changed_position FROM match_facts ORDER BY match_id").fetchall()
    conn.rollback()
    assert found == [(state, position) for state in states]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.none() | st.floats(allow_nan=False, allow_infinity=False))
def test_floats_bit_for_bit(conn: Conn, before: float, after: float | None) -> None:
    """A rating is read as it was computed."""
    copy_rows(conn, t.journal, [(1, "match", "player", "ana", "1v1", None, before, after)])
    found = conn.execute("SELECT before, after FROM journal").fetchall()
    conn.rollback()
    assert repr(found) == repr([(before, after)])


def test_more_rows_than_are_sent_at_once(conn: Conn) -> None:
    """More rows than one block holds are all loaded, each once."""
    began = datetime(2026, 1, 1, tzinfo=UTC)
    count = 2 * ROWS_AT_ONCE + 1
    copy_rows(conn, t.match_players, (("ana", began, f"m{number}") for number in range(count)))
    found = conn.execute("SELECT count(*), count(DISTINCT match_id) FROM match_players").fetchone()
    conn.rollback()
    assert found == (count, count)
