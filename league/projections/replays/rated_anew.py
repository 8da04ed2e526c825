"""A replay that changes ratings alone: it copies what the official run has scored, and rates it anew.

The copies belong to the new run. So a correction, catching up, promoting and pruning treat it as any other run.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from psycopg import sql

from league.projections.folds.calendar import Calendar
from league.projections.folds.match_fold import Rules
from league.projections.replays.copied_rows import copy_to_run
from league.projections.runs import Conn, table_of
from league.projections.writers.league_rows import rate_all
from league.projections.writers.month_honours import store_honours

WITHOUT_EDITION = ("hands", "appearances", "series_pairs", "standings")
"""Tables whose rows do not name the edition of a match."""
THEIR_EDITION = sql.SQL("""
    CROSS JOIN LATERAL (
        SELECT hash FROM unnest(%s::timestamptz[], %s::text[]) AS span (start, hash)
        WHERE coalesce(start <= began_at, true) ORDER BY start DESC NULLS LAST LIMIT 1
    ) AS theirs
""")
# A decided match names its edition by the hash, whose length is always the same.
DECIDED = sql.SQL(
    "overlay(decided PLACING convert_to(theirs.hash, 'UTF8') FROM position(convert_to(edition, 'UTF8') IN decided))"
)


def changes_ratings_alone(before: Rules, after: Rules) -> bool:
    """Whether the editions of every match are equal in all sections but `rating`."""
    starts = {span.start for rules in (before, after) for span in rules.timeline}
    return all(_other_sections(before, start) == _other_sections(after, start) for start in starts)


def rate_anew(
    conn: Conn, official: int, run: int, rules: Rules, calendar: Calendar, progress: Callable[[int], None]
) -> None:
    """Fill a new run with the matches of the official run, rated under `rules`, which change ratings alone.

    `progress` is called with the number of matches rated, first when all are copied.
    """
    for table in WITHOUT_EDITION:
        copy_to_run(conn, table, official, run)
    starts, hashes = zip(*rules.hashes(), strict=True)
    of_match = {"edition": sql.SQL("theirs.hash"), "decided": DECIDED}
    copy_to_run(conn, "matches", official, run, THEIR_EDITION, (list(starts), list(hashes)), of_match)
    match = sql.SQL("JOIN {} AS match USING (match_id)").format(table_of(run, "matches"))
    copy_to_run(conn, "series_games", official, run, match, (), {"edition": sql.SQL("match.edition")})
    progress(0)
    rate_all(conn, run, rules, progress)
    store_honours(conn, run, rules, calendar.closings)


def _other_sections(rules: Rules, start: datetime | None) -> tuple[Any, ...]:
    edition = rules.editions[rules.timeline[0].edition] if start is None else rules.at(start)
    rulebook = edition.rulebook
    return rulebook.rulesets, rulebook.series, rulebook.badges, rulebook.boards
