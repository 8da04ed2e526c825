"""The tournament of tonight, on the first page of those who keep score."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from league.console.present import present
from league.tournaments.words import words_of_status

RECENTLY = timedelta(hours=18)
"""A tournament is of tonight if its last round was published, or it was planned, within this time."""
WITHOUT_RESULT = {"SCHEDULED", "OPEN", "VOIDED"}
"""States of tables that have no result yet. One that awaits confirmation has one."""


MOST_TABLES = 100
"""How many tables the document asks for. Larger rounds show no count of finished tables."""


def of_tonight(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tournaments of tonight. Each says how many tables its published round has, and how many are over."""
    now, zone = present(), ZoneInfo(data["league"]["timeZone"]) if data["league"] else None
    found = []
    for one in data["tournaments"]["nodes"]:
        published = one["publishedRound"]
        day = None if published is None else published["day"]
        since = one["plannedAt"] if published is None else published["publishedAt"]
        is_today = day == now.astimezone(zone).date().isoformat()
        if is_today or now - datetime.fromisoformat(since) < RECENTLY:
            found.append({**one, **_tables(published)})
    return {"found": found, "status_words": words_of_status}


def _tables(published: Mapping[str, Any] | None) -> Mapping[str, int | None]:
    if published is None or published["tables"]["totalCount"] > MOST_TABLES:
        return {"over": None, "tables": None}
    tables = published["tables"]
    over = sum(table["status"] not in WITHOUT_RESULT for table in tables["nodes"])
    return {"over": over, "tables": tables["totalCount"]}
