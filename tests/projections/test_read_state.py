"""Each commit that changes the state of the read side announces it; the last announcement is the current state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import msgspec
import psycopg
import pytest
from leagues import catch_up, league_at
from waiting import LIMIT, wait_until

from league.infra.database import connect
from league.projections.runs import CHANNEL, Conn, ReadState, raise_generation, tell_state

pytestmark = pytest.mark.also_on_server


def moves_the_position(conn: Conn) -> None:
    """Change the state as the projector does."""
    conn.execute("UPDATE runs SET position = position + 1 WHERE run = (SELECT run FROM official_run)")
    tell_state(conn)


@pytest.fixture
def connections(league_url: str) -> Iterator[list[Conn]]:
    """Three connections to the database of a league: two that write, and one that listens and reads."""
    with league_at(league_url) as league, ExitStack() as opened:
        catch_up(league)
        writers = [opened.enter_context(connect(league_url)) for _ in range(2)]
        # Only a superuser sees what others wait for.
        looks: Conn = opened.enter_context(psycopg.connect(league_url, autocommit=True))
        looks.execute(f"LISTEN {CHANNEL}")
        yield [*writers, looks]


@pytest.mark.parametrize(
    ("first", "second"), [(moves_the_position, raise_generation), (raise_generation, moves_the_position)]
)
def test_of_two_that_change_the_state_at_once_the_last_one_tells_of_both(
    connections: list[Conn], first: Callable[[Conn], None], second: Callable[[Conn], None]
) -> None:
    """The second one waits for the first, whichever it is, and then reads what that has committed."""
    one, other, looks = connections
    waits = f"SELECT FROM pg_stat_activity WHERE pid = {other.info.backend_pid} AND wait_event_type = 'Lock'"

    def change() -> None:
        second(other)
        other.commit()

    first(one)
    with ThreadPoolExecutor(1) as apart:
        changing = apart.submit(change)
        wait_until(lambda: changing.done() or looks.execute(waits.encode()).rowcount)
        one.commit()
        changing.result()
    told = [msgspec.json.decode(heard.payload, type=ReadState) for heard in looks.notifies(timeout=LIMIT, stop_after=2)]
    row = looks.execute("SELECT read_state()").fetchone()
    assert row is not None
    assert told == sorted(told)
    assert told[-1] == msgspec.json.decode(row[0], type=ReadState)
