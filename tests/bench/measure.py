"""What the parts of the bench share: to time work, to copy rows, to print."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def best(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs: what else the machine does only makes one slower."""
    return min(timed(work) for _ in range(times))


def peak_memory() -> int:
    """The most memory that this process has held, in MiB; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


def copy_out(conn: psycopg.Connection[Any], query: sql.Composable) -> bytes:
    """The rows of a query, as PostgreSQL sends them."""
    with conn.cursor() as cursor, cursor.copy(sql.SQL("COPY ({}) TO STDOUT").format(query)) as copy:
        return b"".join(copy)


def copy_in(conn: psycopg.Connection[Any], target: sql.Composable, block: bytes) -> None:
    """Rows that were copied out, into a table."""
    with conn.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
        copy.write(block)


def one(conn: psycopg.Connection[Any], query: str) -> Any:
    """The one value of a query."""
    row = conn.execute(query).fetchone()
    assert row is not None
    return row[0]


def npm_installed(project: Path, folder: Path) -> bool:
    """Install the packages of a project of node into a folder, as its lock file has them. Returns False without npm."""
    if shutil.which("npm") is None:
        return False
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(project / name, folder)
    subprocess.run(["npm", "ci", "--silent"], cwd=folder, check=True)
    return True


def say(line: str = "") -> None:
    """Print at once: a bench is watched."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
