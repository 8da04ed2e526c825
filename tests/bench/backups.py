"""`league backup` and `league restore` beside bare copies of the same tables."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from league.application.bootstrap import League, clock
from league.infra.database import connect, migrate
from league.transfer.backup import write_backup
from league.transfer.backup_format import NAMES_OF_SECTIONS, BackupReader
from league.transfer.restore import load_backup
from tests.bench.measure import copy_in, copy_out, one, peak_memory, say, timed
from tests.bench.rebuild import apart, made


def bench_backups(hands: int, players: int) -> None:
    """A league of a tenth of these hands, and of all of them. Folding a restored league is a rebuild, see there."""
    say("backups           hands     events      MiB  backup s  floor: COPY  restore s  floor: COPY    peak, MiB")
    for size in (hands // 10, hands):
        with made(size, players) as league:
            league.project()
            say(line_of(league, size))
    say()


def line_of(league: League, hands: int) -> str:
    """What the backup of a league costs, and loading it."""
    url = league.database.url
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder:
        file = Path(folder) / "league.backup"
        backing_up, peak = apart(back_up, url, file)
        name = urlsplit(url).path.removeprefix("/") + "_restored"
        with psycopg.connect(url, autocommit=True) as superuser:
            superuser.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        target = urlsplit(url)._replace(path=f"/{name}").geturl()
        migrate(target)
        restoring, other_peak = apart(load, target, file)
        with connect(url, autocommit=True) as conn:
            events = one(conn, "SELECT count(*) FROM stored_events")
            out, into = copies(conn)
        size = file.stat().st_size / 2**20
    return (
        f"{hands:>23,} {events:>10,} {size:>8.1f} {backing_up:>9.2f} {out:>12.2f} {restoring:>10.2f} {into:>12.2f}"
        f" {peak:>6} {other_peak:>5}   ratios {out / backing_up:.3f} {into / restoring:.3f}"
    )


def back_up(url: str, file: Path) -> tuple[float, int]:
    """Seconds that a backup takes, and the memory."""
    with file.open("wb") as out:
        return timed(lambda: write_backup(url, out, clock())), peak_memory()


def load(url: str, file: Path) -> tuple[float, int]:
    """Seconds that loading it takes, and the memory."""
    with file.open("rb") as source, BackupReader(source) as backup:
        return timed(lambda: load_backup(url, backup)), peak_memory()


def copies(conn: psycopg.Connection[Any]) -> tuple[float, float]:
    """Seconds to COPY the same tables out, and into tables with the same indexes."""
    out = into = 0.0
    for table in NAMES_OF_SECTIONS:
        blocks = list[bytes]()
        out += timed(lambda table=table, to=blocks: to.append(copy_out(conn, sql.SQL("TABLE {}").format(_id(table)))))  # type: ignore[misc]
        with conn.transaction(force_rollback=True):
            conn.execute("SET LOCAL ROLE league_owner")
            conn.execute(
                sql.SQL("CREATE TABLE floor_rows (LIKE {} INCLUDING ALL EXCLUDING GENERATED)").format(_id(table))
            )
            into += timed(lambda rows=blocks[0]: copy_in(conn, sql.SQL("floor_rows"), rows))  # type: ignore[misc]
    return out, into


def _id(table: str) -> sql.Identifier:
    return sql.Identifier(table)
