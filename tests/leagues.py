"""Small leagues for tests: facts in few words, matches in one line, and rows to compare."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from databases import MIGRATED, Template, borrowed, copy_of, give_back, lent, pool_of
from psycopg import sql
from waiting import LIMIT

from league.application.bootstrap import League, clock, league_in
from league.domain.hand import Closing, HandFacts, Held
from league.domain.match import OpenMatch, RecordHand, RecordResult
from league.domain.player import RegisterPlayer
from league.domain.refusals import Refusal
from league.domain.result import AnnouncedResult
from league.domain.rulebook import AdoptEdition, PublishEdition, content_hash, parse_rulebook
from league.domain.rules import Competition, Mode, Rulebook
from league.infra.database import Database
from league.infra.settings import Settings
from league.projections import runs
from league.projections.folds.match_fold import HashedEdition
from league.projections.projector import ADVISORY_LOCK, AnotherProjector, Projector
from league.projections.queries.snapshot import Snapshot, chosen_run, snapshot_of
from league.projections.rows_again import write_again
from league.projections.runs import raise_generation, run_digest
from league.projections.writers import catalogue
from league.rulebook import shipped_edition
from league.transfer import export
from league.transfer.recorded_season import import_season

EXAMPLES = Path(__file__).parent.parent / "examples"
CUBAN = EXAMPLES / "cuban-2026"
SEASONS = ("cuban-2026", "caribbean-2026", "dominican-2026")
REVISED = EXAMPLES / "revisions" / "cuban-ratings.toml"

BASE = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAYERS = ("ana", "bea", "cira", "dora", "eva", "flor")
REGIONS = ("Matanzas", "Matanzas", "Matanzas", "Granma", "Granma", None)

UNGUARDED = "SET session_replication_role = replica"
"""Lets a superuser change what only grows, for as long as the connection lives."""

# ---------------------------------------------------------------- facts and commands


def at(hours: float) -> datetime:
    """A time of play, in hours after the first one."""
    return BASE + timedelta(hours=hours)


def domino(seat: int, *held: Held, both: bool | None = False, blocks: bool | None = False) -> HandFacts:
    """A hand that a seat ended with its last tile; what each seat holds, by seat."""
    closing = Closing(None, both, ends_equal=False, blocks_too=blocks)
    return HandFacts(0, "domino", seat, held, closing, opening_pass=False, corridos=(), drew=())


def block(locker: int | None, *held: Held) -> HandFacts:
    """A hand that a seat's tile blocked; what each seat holds, by seat."""
    closing = Closing(None, fits_both_ends=False, ends_equal=None, blocks_too=True)
    return HandFacts(0, "block", locker, held, closing, opening_pass=False, corridos=(), drew=())


def meeting(number: int) -> tuple[str, str]:
    """Ana against another one each time: twenty such matches of a month all count in its series."""
    return ("ana", PLAYERS[1 + number % 5])


def mode_for(seats: Sequence[str]) -> Mode:
    """Two play 1v1, four play 2v2."""
    return "1v1" if len(seats) == 2 else "2v2"


def opened(match: str, seats: Sequence[str], hours: float, competition: Competition = "competitive") -> OpenMatch:
    """A Cuban match that begins so many hours after the first one."""
    return OpenMatch(match, "cuban-150", mode_for(seats), competition, tuple(seats), None, at(hours))


def played(
    match: str,
    seats: Sequence[str],
    hours: float,
    *hands: HandFacts,
    competition: Competition = "competitive",
) -> list[Any]:
    """A Cuban match with its hands, decided an hour after it began."""
    recorded = [RecordHand(match, facts, None, at(hours + 1)) for facts in hands]
    return [opened(match, seats, hours, competition), *recorded]


def announced(
    match: str,
    seats: Sequence[str],
    hours: float,
    score: tuple[int, int] = (150, 100),
    *,
    winner: int | None = None,
    competition: Competition = "competitive",
) -> list[Any]:
    """A Cuban match that is known by its result only, decided an hour after it began."""
    result = AnnouncedResult(int(score[1] > score[0]) if winner is None else winner, score)
    return [opened(match, seats, hours, competition), RecordResult(match, result, at(hours + 1))]


def revised(text: str) -> Rulebook:
    """Edition 1 with changes."""
    return parse_rulebook(text, shipped_edition(1))


TABLE_SECRET = "the secret of the tables of tests"  # noqa: S105  # for tests
# ---------------------------------------------------------------- leagues


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """A migrated database on a server, for tests that share one. Yields its URL."""
    with copy_of(server, MIGRATED) as url:
        yield url


@contextmanager
def league_at(url: str, *, table_secret: str | None = TABLE_SECRET) -> Iterator[League]:
    """The league of a database; of one that is only migrated, not created yet."""
    # Not by `open_league`, which asks on two connections whether the database is there and has been migrated: they were
    # a third of what PostgreSQL did for a test with a small league.
    settings = Settings(database_url=url, table_secret=table_secret)
    with league_in(Database(url, embedded=False), settings) as league:
        yield league


def found(league: League) -> None:
    """Create the league and its players."""
    league.create("Liga", "America/Havana", "test")
    pairs = zip(PLAYERS, REGIONS, strict=True)
    send(league, *(RegisterPlayer(player, player.capitalize(), region) for player, region in pairs))


def _fill(url: str) -> None:
    with league_at(url) as league:
        found(league)
        catch_up(league)


SMALL_LEAGUE = Template("small", _fill, MIGRATED)
"""A league of six players in two regions (one has none), projected."""


def _six_matches(url: str) -> None:
    with league_at(url) as league:
        for number in range(6):
            seats = ("ana", "bea") if number % 2 else ("cira", "dora")
            send(league, announced(f"m{number}", seats, number, (150, 10 * number)))
        catch_up(league)


SIX_MATCHES = Template("six_matches", _six_matches, SMALL_LEAGUE)
"""The small league with six matches one on one, each decided before the next one begins, projected."""


def send(league: League, *commands: Any) -> int:
    """Carry out commands, given one by one or as lists, all together."""
    flat = [one for command in commands for one in (command if isinstance(command, list) else [command])]
    return league.dispatcher.send_all(flat, "test")


def at_once(*does: Callable[[], Any]) -> list[Any]:
    """Run all of them in threads that start together, to their ends; their answers, or the refusals they met."""
    start, answers = threading.Barrier(len(does)), [None] * len(does)

    def run(number: int, do: Callable[[], Any]) -> None:
        start.wait()
        try:
            answers[number] = do()
        except Refusal as refusal:
            answers[number] = refusal

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(does)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive()
    return answers


def adopt(league: League, text: str, start: datetime | None = None, end: datetime | None = None) -> None:
    """Publish edition 1 with changes, and let it hold over a span of play time."""
    number = len([e for e in league.store.load("rulebook") if e.name.startswith("edition-published")]) + 1
    send(league, PublishEdition(revised(text)), AdoptEdition(number, start, end))


def keep_candidates(url: str, *texts: str) -> None:
    """Store editions, edition 1 with changes, as replays that are never promoted do."""
    with lent(url) as conn:
        for candidate in map(revised, texts):
            catalogue.store_edition(conn, HashedEdition(content_hash(candidate), candidate), None)
        raise_generation(conn)


class LentProjector(Projector):
    """A projector that gives its connection back: each test has many."""

    def _open(self, url: str) -> psycopg.Connection[Any]:
        self._url, conn = url, borrowed(url)
        conn.autocommit = True
        row = conn.execute("SELECT pg_try_advisory_lock(%s)", [ADVISORY_LOCK]).fetchone()
        if row != (True,):
            give_back(url, conn)
            raise AnotherProjector("another process projects this league")
        return conn

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.close()
            return
        self._conn.execute("SELECT pg_advisory_unlock(%s)", [ADVISORY_LOCK])
        give_back(self._url, self._conn)


def catch_up(league: League, page: int | None = None) -> None:
    """Project what is in the log."""
    with LentProjector(league.database.url, league.store, *([page] if page else [])) as projector:
        projector.catch_up()


def caught_up_digest(league: League, page: int | None = None) -> str:
    """Project what is in the log. Returns the digest of the official run, which takes as long as to project."""
    catch_up(league, page)
    return digest(league.database.url)


def rebuild(league: League, page: int | None = None) -> str:
    """Fold the whole log again. Returns the digest of the official run."""
    with LentProjector(league.database.url, league.store, *([page] if page else [])) as projector:
        projector.rebuild()
    return digest(league.database.url)


def write_rows_again(league: League) -> None:
    """Make the rows again that commands write with their events, as a rebuild does first."""
    with lent(league.database.url, autocommit=True) as conn:
        write_again(conn, league.store)


def forget_projections(url: str) -> None:
    """Remove everything that was folded, as if the log had never been projected."""
    with lent(url) as conn:
        conn.execute("DELETE FROM official_run")
        for (run,) in conn.execute("SELECT run FROM runs").fetchall():
            runs.drop(conn, run)
        for table in (*catalogue.SHARED_TABLES, "editions", "journal", "play_metrics", "play_progress"):
            conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))


def start_anew(url: str) -> None:
    """Empty the log and everything that was folded."""
    forget_projections(url)
    with psycopg.connect(url) as owner:
        owner.execute(UNGUARDED)
        owner.execute(
            "TRUNCATE stored_events, signed_heads, requests, sealing_keys, replays, shown_replays, adoptions,"
            " promotions, promotion_moves, notices, notice_players"
        )


# ---------------------------------------------------------------- what a run says


def official(url: str) -> int:
    """The official run."""
    with lent(url) as conn:
        run = runs.official_run(conn)
    assert run is not None
    return run


def digest(url: str, run: int | None = None) -> str:
    """The digest of a run, by default of the official one."""
    with lent(url) as conn:
        return run_digest(conn, run or official(url))


def shared_rows(url: str) -> dict[str, list[Any]]:
    """The rows that all runs share, in a fixed order."""
    with lent(url) as conn:
        found = {}
        for table in (*catalogue.SHARED_TABLES, "editions"):
            # Up to which event facts were folded together is a matter of pages.
            rows = conn.execute(sql.SQL("SELECT to_jsonb(t) - 'changed_position' FROM {} AS t").format(_id(table)))
            found[table] = sorted((row[0] for row in rows), key=json.dumps)
        return found


def exported(url: str, what: str, run: int | None = None) -> list[dict[str, Any]]:
    """The rows of an export, as the file has them."""
    return _exported(url, [what], run)[what]


def _exported(url: str, names: Iterable[str], run: int | None) -> dict[str, list[dict[str, Any]]]:
    """The rows of some exports of a run, by the name of the export."""
    found = {}
    with pool_of(url).connect() as conn:
        for name in names:
            text = StringIO()
            export.write_jsonl(export.exports_by_name()[name].rows(conn, chosen_run(conn, run, drafts=True)), text)
            found[name] = [json.loads(line) for line in text.getvalue().splitlines()]
            conn.rollback()
    return found


def without(rows: list[dict[str, Any]], *columns: str) -> list[dict[str, Any]]:
    """Rows without some of their columns."""
    return [{name: value for name, value in row.items() if name not in columns} for row in rows]


def everything(url: str, run: int | None = None, *, but: Sequence[str] = ("position",)) -> dict[str, Any]:
    """All exports of a run but voided matches, without the columns that tell how the rows came about."""
    found = {what: without(rows, *but) for what, rows in _exported(url, export.exports_by_name(), run).items()}
    found["matches"] = [row for row in found["matches"] if row["status"] != "voided"]
    return found


def fingerprint(rows: list[dict[str, Any]]) -> str:
    """A short SHA-256 of rows."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


def ratings(url: str, run: int | None = None) -> dict[tuple[str, str], float]:
    """Ratings by id and mode."""
    return {(row["id"], row["mode"]): row["rating"] for row in exported(url, "ratings", run)}


@contextmanager
def reading(url: str) -> Iterator[Snapshot]:
    """What a reader of the official run sees."""
    with pool_of(url).connect() as conn:
        yield snapshot_of(conn, chosen_run(conn, None))


def position(url: str) -> int:
    """The position up to which the official run is folded."""
    with lent(url) as conn:
        return runs.position_of(conn, official(url))


# ---------------------------------------------------------------- the recorded season


def import_cuban(league: League, folder: Path = CUBAN) -> None:
    """Import a recorded season."""
    import_season(folder, league.store, clock, "test")


def _import(url: str, *folders: Path) -> None:
    with league_at(url) as league:
        league.create("Liga", "America/Havana", "test")
        for folder in folders:
            import_cuban(league, folder)
        catch_up(league)


def _sixty_matches(url: str) -> None:
    with TemporaryDirectory() as folder:
        _import(url, part_of_season(Path(folder), 60))


CUBAN_SEASON = Template("cuban_season", lambda url: _import(url, CUBAN), MIGRATED)
"""The recorded Cuban season, imported and projected."""
SIXTY_MATCHES = Template("sixty_matches", _sixty_matches, MIGRATED)
"""Its first 60 matches, and all its players."""
THREE_SEASONS = Template("three_seasons", lambda url: _import(url, *(EXAMPLES / name for name in SEASONS)), MIGRATED)
"""All three recorded seasons, imported and projected."""


def part_of_season(folder: Path, matches: int) -> Path:
    """A folder with the first matches of the recorded season, and all its players."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "players.jsonl").write_bytes((CUBAN / "players.jsonl").read_bytes())
    lines = (CUBAN / "matches.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "matches.jsonl").write_bytes(b"".join(lines[:matches]))
    return folder


def _id(table: str) -> sql.Identifier:
    return sql.Identifier(table)
