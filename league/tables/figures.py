"""Figures of live tables for Prometheus."""

from collections.abc import Iterator
from typing import Any

import psycopg
from prometheus_client.core import GaugeMetricFamily

_TABLES = "SELECT phase, count(*) AS tables FROM live_tables GROUP BY phase"
_AI_TURNS = (
    "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(changed_at)), 0)::float8"
    " FROM live_tables WHERE ai_seat IS NOT NULL"
)
_OVERDUE = "SELECT count(*) FROM live_tables WHERE due_at < clock_timestamp() - interval '1 second'"
_PHASES = ("open", "shuffling", "offering", "playing", "paused")


def figures(conn: psycopg.Connection[Any]) -> Iterator[GaugeMetricFamily]:
    """What the tables do, which deadlines were missed, and how long AIs think."""
    tables: dict[str, int] = dict(conn.execute(_TABLES).fetchall())
    phases = GaugeMetricFamily("league_live_tables", "Live tables, by what they are doing.", labels=["phase"])
    for phase in _PHASES:
        phases.add_metric([phase], tables.get(phase, 0))
    yield phases
    [(overdue,)] = conn.execute(_OVERDUE)
    yield GaugeMetricFamily("league_overdue_tables", "Live tables whose deadline passed a second ago.", overdue)
    [(ai_turns, oldest)] = conn.execute(_AI_TURNS)
    yield GaugeMetricFamily("league_ai_turns", "Live tables at which it is the turn of an AI.", ai_turns)
    yield GaugeMetricFamily("league_ai_turn_seconds", "How long the longest of these turns has lasted.", oldest)
