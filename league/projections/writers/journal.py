"""The journal: how each official rating came about, step by step, even where a correction rewrote the ledger.

It is history, so a rebuild does not rewrite it. The entries of a rating are contiguous: each begins with the rating at
which the previous one ended; the first begins with the initial rating.
"""

from collections.abc import Collection, Iterable

from msgspec import Struct
from psycopg import sql

from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds.ratings import RATED_MODES, Change, RatingState, Subject, key_of
from league.projections.runs import Conn, table_of

DIFFERENCE = """
    INSERT INTO journal (position, cause, subject, id, mode, before, after)
    SELECT %s, %s, subject, id, mode, coalesce(a.rating, (
        SELECT before FROM {changes} AS c
        WHERE (c.subject, c.id, c.mode) = (b.subject, b.id, b.mode) AND matches_before = 0)), b.rating
    FROM (SELECT DISTINCT ON (subject, id, mode) subject, id, mode, after AS rating FROM journal
          ORDER BY subject, id, mode, entry DESC) AS a
    FULL JOIN {ratings} AS b USING (subject, id, mode)
    WHERE mode <> 'overall' AND a.rating IS DISTINCT FROM b.rating
    ORDER BY subject, id, mode
"""


class Cause(Struct, frozen=True):
    """The cause of a fold: new matches, a correction of known matches, merged players, or other rules."""

    kind: str
    """`match`, `correction`, `merge`, `adoption`."""
    position: int
    """The position of its event."""
    match: str | None = None
    """The match, if it concerns only one."""
    competitors: frozenset[str] = frozenset()
    """The players and pairs in the matches concerned; changes of other ratings are ripples."""

    def of(self, id_: str) -> str:
        """The cause as it applies to a player or a pair."""
        return self.kind if self.kind == "adoption" or id_ in self.competitors else "ripple"


def write_matches(conn: Conn, changes: Iterable[Change]) -> None:
    """Record the rating changes of each match, one after the other."""
    rows = ((c.position, "match", c.subject, c.id, c.mode, c.match, c.before, c.after) for c in changes)
    copy_rows(conn, t.journal, rows)


def write_moves(conn: Conn, run: int, cause: Cause, state: RatingState, subjects: Iterable[tuple[str, str]]) -> None:
    """Record the net effect of rewriting the ledger from some place on, for the ratings that still exist."""
    subjects = sorted(subjects)
    before = _ratings(conn, run, subjects)
    after: dict[Subject, float] = {}
    for subject, id_ in subjects:
        for mode in RATED_MODES:
            if standing := state.standings.get(key_of((subject, id_, mode))):
                after[subject, id_, mode] = standing.rating
    entered = _entered(conn, run, after.keys() - before.keys())
    rows = []
    for key in sorted(before.keys() | after.keys()):
        subject, id_, mode = key
        if before.get(key) != after.get(key):
            old = before.get(key, entered.get(key))
            rows.append((cause.position, cause.of(id_), subject, id_, mode, cause.match, old, after.get(key)))
    copy_rows(conn, t.journal, rows)


def write_difference(conn: Conn, kind: str, position: int, run: int) -> None:
    """Record a new official run, by a `promotion` or a `rebuild`: from the journal's last ratings to the run's."""
    query = sql.SQL(DIFFERENCE).format(ratings=table_of(run, "ratings"), changes=table_of(run, "changes"))
    conn.execute(query, (position, kind))


def _ratings(conn: Conn, run: int, subjects: Iterable[tuple[str, str]]) -> dict[Subject, float]:
    kinds, ids = map(list, zip(*subjects, strict=True))
    query = sql.SQL(
        "SELECT subject, id, mode, rating FROM {} JOIN unnest(%s::text[], %s::text[]) AS d (subject, id)"
        " USING (subject, id) WHERE mode <> 'overall'"
    )
    rows = conn.execute(query.format(table_of(run, "ratings")), (kinds, ids))
    return {(subject, id_, mode): rating for subject, id_, mode, rating in rows}


def _entered(conn: Conn, run: int, subjects: Collection[Subject]) -> dict[Subject, float]:
    """The initial ratings of these subjects."""
    if not subjects:
        return {}
    columns = [list(column) for column in zip(*subjects, strict=True)]
    query = sql.SQL(
        "SELECT subject, id, mode, before FROM {} JOIN unnest(%s::text[], %s::text[], %s::text[])"
        " AS d (subject, id, mode) USING (subject, id, mode) WHERE matches_before = 0"
    )
    rows = conn.execute(query.format(table_of(run, "changes")), columns)
    return {(subject, id_, mode): rating for subject, id_, mode, rating in rows}
