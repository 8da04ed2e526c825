"""`make bench`: each part of the league beside a floor or a peer of the same run."""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from psycopg import sql

from league.application.bootstrap import League, clock, open_league
from league.infra.database import connect
from league.infra.settings import Settings
from league.transfer.recorded_season import import_season
from tests.bench.answers import bench_answers
from tests.bench.appends import bench_appends
from tests.bench.backups import bench_backups
from tests.bench.beside_postgraphile import bench_postgraphile
from tests.bench.beside_tables import bench_beside_tables
from tests.bench.boards import bench_boards
from tests.bench.counted_photos import bench_photos
from tests.bench.explanations import bench_explanations
from tests.bench.hands import bench_hands
from tests.bench.home_page import bench_home_page
from tests.bench.laboratory import SIZES, bench_laboratory
from tests.bench.measure import copy_in, copy_out, say, timed
from tests.bench.page_weight import bench_page_weight
from tests.bench.pairing import COUNTS as PAIRED
from tests.bench.pairing import FULL as PAIRED_IN_FULL
from tests.bench.pairing import bench_pairing
from tests.bench.promotion import bench_promotion
from tests.bench.publishing import bench_publishing
from tests.bench.reading import bench_reading
from tests.bench.rebuild import bench_rebuild
from tests.bench.recording import bench_recording
from tests.bench.requests import bench_requests
from tests.bench.reviews import bench_reviews
from tests.bench.sockets import bench_sockets
from tests.bench.tables_at_once import bench_tables
from tests.bench.tournaments import bench_tournaments
from tests.bench.verify import bench_verify

SEASON = Path("examples/cuban-2026")
FULL = 1_000_000


def main() -> None:
    """Measure one part after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, default=20, help="of the recorded season (423 matches each), to import")
    parser.add_argument("--hands", type=int, default=100_000, help="of the made league that is rebuilt")
    parser.add_argument("--full", action="store_const", dest="hands", const=FULL, help=f"that is, --hands {FULL}")
    parser.add_argument("--matches", type=int, nargs="+", default=SIZES, help="of the leagues of the laboratory")
    parser.add_argument("--members", type=int, default=5_000, help="players of the made league")
    parser.add_argument(
        "--table-events", type=int, default=1_000_000, help="of live tables, beside a tenth of the hands"
    )
    parser.add_argument("--players", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="on the boards")
    parser.add_argument("--tables", type=int, default=200, help="live tables that play at once, of four players each")
    parser.add_argument("--seconds", type=float, default=60, help="for which they play, before some fall silent")
    parser.add_argument("--photos", type=int, default=40, help="of each style of tiles, whose pips are counted")
    given = parser.parse_args()
    say("figures are the best of several runs where they are cheap to repeat\n")
    bench_hands()
    bench_photos(given.photos)
    bench_pairing(PAIRED_IN_FULL if given.hands >= FULL else PAIRED)
    bench_reviews()
    bench_rebuild(given.hands, given.members)
    bench_laboratory(tuple(given.matches))
    bench_explanations(given.hands)
    bench_backups(given.hands, given.members)
    bench_promotion(given.hands // 10, given.members)
    bench_beside_tables(given.hands // 10, given.members, given.table_events)
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder, quiet_league(Path(folder)) as league:
        bench_import(league, copied_season(Path(folder) / "season", given.copies))
        bench_verify(league)
        league.project()
        bench_boards(league, given.players)
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder, quiet_league(Path(folder)) as league:
        import_season(SEASON, league.store, clock, "bench")
        league.project()
        bench_requests(league)
    bench_tournaments()
    bench_publishing()
    bench_appends()
    bench_recording()
    bench_answers()
    bench_postgraphile()
    bench_home_page()
    bench_page_weight()
    bench_reading()
    bench_sockets()
    bench_tables(given.tables, given.seconds)


@contextmanager
def quiet_league(folder: Path) -> Iterator[League]:
    """An empty league in an embedded database of its own."""
    with open_league(Settings(data_dir=folder / "data"), prepare=True) as league:
        league.create("Bench", "UTC", "bench")
        yield league


def bench_import(league: League, season: Path) -> None:
    """A recorded season, checked and stored whole; the floor is a bare COPY of the same rows into the same indexes."""
    started = time.perf_counter()
    report = import_season(season, league.store, clock, "bench")
    ours = time.perf_counter() - started
    with connect(league.database.url, autocommit=True) as conn:
        block = copy_out(conn, sql.SQL("TABLE stored_events"))
        conn.execute("SET ROLE league_owner")
        conn.execute("CREATE TABLE floor_events (LIKE stored_events INCLUDING ALL)")
        floor = timed(lambda: copy_in(conn, sql.SQL("floor_events"), block))
        conn.execute("DROP TABLE floor_events")
    events, hands = report.events, report.hands_added
    say(f"import        {events / ours:>10,.0f} events/s   ({events:,} events, {hands:,} hands, {ours:.1f} s)")
    say(f"  floor: COPY {events / floor:>10,.0f} events/s   ratio {floor / ours:.3f}\n")


def copied_season(folder: Path, copies: int) -> Path:
    """The recorded season several times over: other players and matches each time, the same hands."""
    folder.mkdir()
    with (folder / "players.jsonl").open("w") as out:
        for line in (SEASON / "players.jsonl").read_text().splitlines():
            player = json.loads(line)
            for copy in range(copies):
                out.write(json.dumps({**player, "player": f"{player['player']}.{copy}"}) + "\n")
    with (folder / "matches.jsonl").open("w") as out:
        for line in (SEASON / "matches.jsonl").read_text().splitlines():
            match = json.loads(line)
            played_at = datetime.fromisoformat(match["played_at"])
            for copy in range(copies):
                match["match"] = f"{match['match'].partition('.')[0]}.{copy}"
                match["seats"] = [f"{seat.partition('.')[0]}.{copy}" for seat in match["seats"]]
                match["played_at"] = (played_at + timedelta(seconds=copy)).isoformat()
                out.write(json.dumps(match) + "\n")
    return folder


if __name__ == "__main__":  # the processes that the bench starts import this module
    main()
