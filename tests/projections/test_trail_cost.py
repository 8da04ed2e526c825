"""A page of the trail is found by indexes: it costs the same however long the log is, whatever the filter."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from bench.made_league import BEGAN, make_league
from leagues import catch_up, league_at, own_database
from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql

from league.application.bootstrap import League
from league.domain.audit_trail import RowsExported, TokenMade
from league.eventlog.records import Append, AppendRequest
from league.infra.database import engine
from league.projections.queries.pages import PageRequest, count, limited
from league.projections.queries.trail import TrailFilter, order_of, trail

pytestmark = pytest.mark.heavy

SIZE = 20
MOST_ROWS = 5 * SIZE
"""The most events that any step of a plan may read, out of many thousands."""
JUNE = BEGAN + timedelta(days=150)


@pytest.fixture(scope="module")
def reading(embedded_server: str) -> Iterator[Connection]:
    """A league of which the first half was imported long ago, and the rest came live, with acts at either end."""
    with own_database(embedded_server) as url, league_at(url) as league:
        league.create("Liga", "UTC", "test")
        acted(league, 0, "first")
        make_league(league, 8_000, 40)
        live = [
            Append(f"match:live-{n}", 0, tuple(RowsExported("x", "csv", None) for _ in range(9))) for n in range(900)
        ]
        league.store.append(live, AppendRequest("live", "live"))
        acted(league, 600, "last")
        catch_up(league)
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("ANALYZE stored_events")
            # As statistics say that date from a league of five players.
            owner.execute(
                "ALTER TABLE match_players ALTER player_id SET (n_distinct = 5), ALTER player_id SET STATISTICS 1"
            )
            owner.execute("ANALYZE match_players")
        pool = engine(url)
        with pool.connect() as conn:
            yield conn
        pool.dispose()


def acted(league: League, version: int, actor: str) -> None:
    """Six hundred acts."""
    exported = [RowsExported("log", "log", None) for _ in range(300)]
    made = [TokenMade(f"{actor}-{n}", "kim", ("player",), datetime(2030, 1, 1, tzinfo=UTC)) for n in range(300)]
    league.store.append([Append("trail", version, (*exported, *made))], AppendRequest(actor, "manual"))


FILTERS: dict[str, TrailFilter] = {
    "none": TrailFilter(),
    "match": TrailFilter(match="m0000100"),
    "actor of long ago": TrailFilter(actor="bench"),
    "actor of some": TrailFilter(actor="first"),
    "nobody": TrailFilter(actor="nobody"),
    "door of long ago": TrailFilter(source="import"),
    "door of some": TrailFilter(source="manual"),
    "kind of long ago": TrailFilter(kind="hand-recorded"),
    "kind of some": TrailFilter(kind="token-made"),
    "kind of none": TrailFilter(kind="match-voided"),
    "acts": TrailFilter(stream="trail"),
    "stream": TrailFilter(stream="match:m0000100"),
    "played from": TrailFilter(played_from=JUNE),
    "played before": TrailFilter(played_before=JUNE),
    "played on a day": TrailFilter(played_from=JUNE, played_before=JUNE + timedelta(days=1)),
    "recorded from": TrailFilter(recorded_from=JUNE),
    "recorded before": TrailFilter(recorded_before=datetime(2100, 1, 1, tzinfo=UTC)),
}


@pytest.mark.parametrize("latest_first", [True, False], ids=["latest first", "oldest first"])
@pytest.mark.parametrize("wanted", FILTERS.values(), ids=FILTERS)
def test_a_page_looks_at_few_events(reading: Connection, wanted: TrailFilter, *, latest_first: bool) -> None:
    """No step of its plan reads many more than the page has."""
    assert most_looked_at(reading, wanted, latest_first=latest_first) <= MOST_ROWS


@pytest.mark.parametrize("latest_first", [True, False], ids=["latest first", "oldest first"])
@pytest.mark.parametrize(
    "wanted",
    [
        TrailFilter(player="p00001"),
        TrailFilter(player="p00001", played_from=BEGAN),
        TrailFilter(player="p00001", kind="match-opened"),
        TrailFilter(player="p00001", match="m0000100"),
    ],
    ids=["all", "played from", "kind", "in a match"],
)
def test_a_page_about_a_player_looks_at_what_is_about_them(
    reading: Connection, wanted: TrailFilter, *, latest_first: bool
) -> None:
    """A page about a player reads only events about them: what others did costs nothing."""
    about = count(reading, trail(TrailFilter(player="p00001")))
    assert MOST_ROWS < about < count(reading, trail(TrailFilter())) / 5
    assert most_looked_at(reading, wanted, latest_first=latest_first) <= about


def most_looked_at(reading: Connection, wanted: TrailFilter, *, latest_first: bool) -> float:
    """The rows that the step of its plan reads that reads most."""
    order = order_of(wanted, latest_first=latest_first)
    query = limited(trail(wanted), order, PageRequest(SIZE)).compile(
        dialect=postgresql.dialect(paramstyle="pyformat"), compile_kwargs={"render_postcompile": True}
    )
    (plan,) = reading.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", query.params).scalar_one()
    return max(looked_at(step) for step in steps(plan["Plan"]))


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A plan and all that it rests on."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from steps(part)


def looked_at(step: dict[str, Any]) -> float:
    """How many rows a step has read."""
    rows: float = (step["Actual Rows"] + step.get("Rows Removed by Filter", 0)) * step["Actual Loops"]
    return rows
