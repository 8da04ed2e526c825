"""The embedded PostgreSQL and Redis are killed under load: the league comes back, and nothing answered is lost."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from kills import kill_database, kill_redis

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

KILLS = 2
"""`python tests/kills.py 30` kills more often."""


def test_the_league_outlives_kills_of_its_database(migrated_data_dir: Path, rng: random.Random) -> None:
    """`serve` starts it again by itself; what was answered is in the log once, at the position that was answered."""
    outcome = kill_database(KILLS, migrated_data_dir, rng)
    assert outcome.answered > 0


def test_the_league_outlives_kills_of_redis(migrated_data_dir: Path, rng: random.Random) -> None:
    """It stays ready without Redis, and every replay that was asked for is folded."""
    if shutil.which("redis-server") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("there is no redis-server on the path")
    outcome = kill_redis(KILLS, migrated_data_dir, rng)
    assert outcome.answered > 0
