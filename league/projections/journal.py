"""The journal: how each official rating came about, step by step, also where a correction rewrote the ledger.

It is history, so no rebuild writes it anew: the entries of a rating follow one another without a gap.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from psycopg import sql

from league.projections.ratings import RATED_MODES, Change, LeagueState, Subject, key_of
from league.projections.runs import Conn, copy_rows, table_of

COLUMNS = "position, cause, subject, id, mode, match_id, before, after"

DIFFERENCE = """
    INSERT INTO journal (position, cause, subject, id, mode, before, after)
    SELECT %s, %s, subject, id, mode, a.rating, b.rating
    FROM {} AS a FULL JOIN {} AS b USING (subject, id, mode)
    WHERE mode <> 'overall' AND a.rating IS DISTINCT FROM b.rating
    ORDER BY subject, id, mode
"""


class Cause(Struct, frozen=True):
    """What made the fold go: new matches, a correction of known ones, or other rules."""

    kind: str
    """`match`, `correction`, `adoption`."""
    position: int
    """Of its event."""
    match: str | None = None
    """Where it is about one match."""
    players: frozenset[str] = frozenset()
    """Who plays in the matches that it is about; the ratings of others move as a ripple."""

    def of(self, id_: str) -> str:
        """What it is to a player or a pair."""
        return self.kind if self.kind == "adoption" or self.players.issuperset(id_.split("+")) else "ripple"


def write_matches(conn: Conn, changes: Iterable[Change]) -> None:
    """Each match moved ratings, one after the other."""
    rows = ((c.position, "match", c.subject, c.id, c.mode, c.match, c.before, c.after) for c in changes)
    copy_rows(conn, sql.Identifier("journal"), COLUMNS, rows)


def ratings_now(conn: Conn, run: int, subjects: Iterable[tuple[str, str]]) -> dict[Subject, float]:
    """The ratings of these before they are written anew."""
    kinds, ids = map(list, zip(*subjects, strict=True))
    query = sql.SQL(
        "SELECT subject, id, mode, rating FROM {} JOIN unnest(%s::text[], %s::text[]) AS d (subject, id)"
        " USING (subject, id) WHERE mode <> 'overall'"
    )
    rows = conn.execute(query.format(table_of(run, "ratings")), (kinds, ids))
    return {(subject, id_, mode): rating for subject, id_, mode, rating in rows}


def write_moves(
    conn: Conn, cause: Cause, before: Mapping[Subject, float], state: LeagueState, subjects: Iterable[tuple[str, str]]
) -> None:
    """The ledger was written anew from some place on: what that did to each rating in all."""
    rows = []
    for subject, id_ in sorted(subjects):
        for mode in RATED_MODES:
            old, standing = before.get((subject, id_, mode)), state.standings.get(key_of((subject, id_, mode)))
            new = None if standing is None else standing.rating
            if old != new:
                rows.append((cause.position, cause.of(id_), subject, id_, mode, cause.match, old, new))
    copy_rows(conn, sql.Identifier("journal"), COLUMNS, rows)


def write_difference(conn: Conn, kind: str, position: int, first: int, second: int) -> None:
    """Another run has become the official one, by a `promotion` or a `rebuild`."""
    query = sql.SQL(DIFFERENCE).format(table_of(first, "ratings"), table_of(second, "ratings"))
    conn.execute(query, (position, kind))
