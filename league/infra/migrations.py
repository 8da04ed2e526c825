"""The migrations that ship with this program, without Alembic: it takes longer to import than most commands run."""

from __future__ import annotations

import functools
import re
from datetime import date, datetime

from league.infra.shipped_files import shipped


@functools.cache
def known_migrations() -> frozenset[str]:
    """The revisions of this program. Raises FileMissing."""
    return frozenset(re.findall('^revision = "(\\w+)"', _texts(), re.MULTILINE))


@functools.cache
def newest_migration() -> str:
    """The revision that `migrate` upgrades a database to. Raises FileMissing."""
    (newest,) = known_migrations() - set(re.findall('^down_revision = "(\\w+)"', _texts(), re.MULTILINE))
    return newest


def date_of(revision: str) -> date | None:
    """The date that the name of a revision begins with, which is no earlier than those before it. None: it has none."""
    try:
        return datetime.strptime(revision[:8], "%Y%m%d").date()  # noqa: DTZ007  # a date without a time
    except ValueError:
        return None


def _texts() -> str:
    files = sorted((shipped("migrations") / "versions").glob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
