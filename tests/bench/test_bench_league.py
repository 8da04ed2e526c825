"""The part of the bench that rebuilds a made league, at a size that takes no time."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
import structlog
from leagues import league_at, own_database

from league.infra.database import connect
from league.projections import runs
from tests.bench import arithmetic, backups, beside_tables, explanations, promotion
from tests.bench.arithmetic import bench_arithmetic
from tests.bench.made_league import make_league
from tests.bench.measure import one
from tests.bench.rebuild import growth_of, line_of, rebuilt

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

HANDS, PLAYERS = 160, 40


def test_the_bench_of_a_made_league_runs(
    database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many hands as asked for, every match decided, half of them 1v1; and every reported figure has a value."""
    monkeypatch.setattr(arithmetic, "TIMES", 1)
    with league_at(database_url) as league:
        league.create("Bench", "UTC", "bench")
        make_league(league, HANDS, PLAYERS)
        found = rebuilt(league, HANDS)
        with connect(database_url) as conn:
            bench_arithmetic(conn)
            run = runs.official_run(conn)
            matches = {
                (mode, status): count
                for mode, status, count in conn.execute(
                    f"SELECT mode, status, count(*) FROM matches_{run} GROUP BY mode, status"  # noqa: S608
                )
            }
            assert one(conn, f"SELECT count(*) FROM hands_{run} WHERE counted") == HANDS - 8  # noqa: S608
    # The first match, of eight hands, was voided at the end.
    assert matches == {("1v1", "completed"): 9, ("2v2", "completed"): 10, ("1v1", "voided"): 1}
    assert found.events > HANDS
    assert min(found.seconds, found.floor, found.correction) > 0
    assert re.search(r"of a rebuild, promoted in \d+ ms, back in \d+ ms$", line_of(found))
    assert "1.00" in growth_of(found, found, found)
    assert "both modes" in capsys.readouterr().out


def test_the_bench_of_backups_runs(database_url: str) -> None:
    """Every figure of a line has a value, and what was loaded is the whole log."""
    with league_at(database_url) as league:
        league.create("Bench", "UTC", "bench")
        make_league(league, HANDS, PLAYERS)
        league.project()
        line = backups.line_of(league, HANDS)
        restored = f"{urlsplit(database_url).path}_restored"
        with connect(urlsplit(database_url)._replace(path=restored).geturl()) as conn:
            assert one(conn, "SELECT max(position) FROM stored_events") == league.store.head()
    assert re.fullmatch(r"(\s+[\d,.]+){9}   ratios \d\.\d+ \d\.\d+", line)


def test_the_bench_of_promotion_runs(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one writer, for a moment: a run is promoted and rolled back, and the line has every figure."""
    monkeypatch.setattr(promotion, "WRITERS", 1)
    structlog.reset_defaults()  # a server of an earlier test may have left a level that hides the figures
    with league_at(database_url) as league:
        league.create("Bench", "UTC", "bench")
        make_league(league, HANDS, PLAYERS)
        league.project()
        found = promotion.promoted_under_load(league, PLAYERS, rounds=1, calm=0.1)
    assert min(found.promotion, found.rolling_back) > 0
    assert re.search(r"writers wait \d+ ms at most\n  \d+ writes/s before, \d+ writes/s", promotion.line_of(found))


def test_the_bench_of_explanations_runs(
    database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kind has a median and a 95th percentile, in a league of so many hands and in one of a tenth."""
    monkeypatch.setattr(explanations, "SAMPLE", 5)
    with league_at(database_url) as league:
        league.create("Bench", "UTC", "bench")
        make_league(league, 800, PLAYERS)
        league.project()
        found = explanations.costs(league)
    assert all(0 < median <= worst for median, worst in found.values())
    monkeypatch.setattr(explanations, "made_league_costs", lambda _: found)
    explanations.bench_explanations(8_000)
    said = capsys.readouterr().out
    assert re.search(r"^  hand .* 1\.00  1\.00$", said, re.MULTILINE)
    assert {"change", "hand", "standing", "badge", "place"} <= set(found)


def test_the_bench_of_tables_runs(embedded_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench folds a league twice, once with events of tables between the matches. No fold uses those events."""
    monkeypatch.setattr(beside_tables, "ROUNDS", 1)
    with (
        own_database(embedded_server) as first,
        own_database(embedded_server) as second,
        league_at(first) as without,
        league_at(second) as with_tables,
    ):
        for league in (without, with_tables):
            league.create("Bench", "UTC", "bench")
        make_league(without, HANDS, PLAYERS)
        beside_tables.make_with_tables(with_tables, HANDS, PLAYERS, 300)
        assert with_tables.store.head() == without.store.head() + 300
        found = beside_tables.in_the_way(without, with_tables, 300)
    assert min(found.rebuild_without, found.rebuild_with, found.catching_up, found.promotion) > 0
    assert re.search(r"ratio \d+\.\d\d .*\n.*projected in \d+ ms.*\n.*while \d", beside_tables.line_of(found, HANDS))
