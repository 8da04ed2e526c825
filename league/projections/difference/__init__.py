"""What two runs of the league say differently: who moves, which results change, and where each player diverges."""

from datetime import datetime
from statistics import median
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, text

from league.projections.boards import RATING_BOARDS, Board, ranked
from league.projections.shown import shown_now


class Move(Struct, frozen=True):
    """A rating that differs; a side is None where the run has no such rating."""

    subject: str
    id: str
    mode: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def delta(self) -> float:
        """Rating points gained (or lost) by going over to the second run."""
        return (self.after or 0.0) - (self.before or 0.0) if self.before and self.after else 0.0


class OtherResult(Struct, frozen=True):
    """A match with another winner, score or status."""

    match: str
    decided_at: datetime | None
    before: tuple[int | None, tuple[int, ...] | None, str]
    """Winner, score, status."""
    after: tuple[int | None, tuple[int, ...] | None, str]


class OtherTerm(Struct, frozen=True):
    """A term of a rating change that differs; None where a run does not have it."""

    term: str
    before: Any
    after: Any


class Divergence(Struct, frozen=True):
    """The first match after which a player's (or team's) rating differs, and the terms that differ there."""

    subject: str
    id: str
    mode: str
    match: str
    decided_at: datetime
    position: int
    terms: tuple[OtherTerm, ...]


class Difference(Struct, frozen=True):
    """Everything that the second run says differently from the first."""

    moves: tuple[Move, ...]
    """By the size of the move, the largest first."""
    results: tuple[OtherResult, ...]
    divergences: tuple[Divergence, ...]
    largest: float
    """Rating points, of players and teams in the modes that they play."""
    median: float
    """Of the absolute moves."""
    drift: float
    """By how much the mean rating of the players' modes changes."""


def difference(conn: Connection, first: int, second: int) -> Difference:
    """Compare two runs."""
    moves = _moves(conn, first, second)
    played = [move for move in moves if move.mode != "overall"]
    sizes = [abs(move.delta) for move in played]
    return Difference(
        moves=tuple(moves),
        results=tuple(_results(conn, first, second)),
        divergences=tuple(_divergences(conn, first, second)),
        largest=max(sizes, default=0.0),
        median=median(sizes) if sizes else 0.0,
        drift=_mean(conn, second) - _mean(conn, first),
    )


def _moves(conn: Connection, first: int, second: int) -> list[Move]:
    query = text(
        "SELECT subject, id, mode, a.rating AS before, b.rating AS after"
        " FROM (SELECT * FROM ratings WHERE run = :first) a"
        " FULL JOIN (SELECT * FROM ratings WHERE run = :second) b USING (subject, id, mode)"
        " WHERE a.rating IS DISTINCT FROM b.rating"
    )
    ranks = [_ranks(conn, run) for run in (first, second)]
    moves = [
        Move(
            subject=row.subject,
            id=row.id,
            mode=row.mode,
            before=row.before,
            after=row.after,
            rank_before=ranks[0].get((row.subject, row.mode, row.id)),
            rank_after=ranks[1].get((row.subject, row.mode, row.id)),
        )
        for row in conn.execute(query, {"first": first, "second": second})
    ]
    return sorted(moves, key=lambda move: (-abs(move.delta), move.subject, move.id, move.mode))


def _ranks(conn: Connection, run: int) -> dict[tuple[str, str, str], int]:
    """The places on the rating boards by subject, mode and id."""
    shown = shown_now(conn, run)
    ranks: dict[tuple[str, str, str], int] = {}
    if shown is None:
        return ranks
    for kind, (subject, mode) in RATING_BOARDS.items():
        places = ranked(run, Board(kind), shown)
        for row in conn.execute(places.select().where(places.c.rank.is_not(None))):
            ranks[subject, mode, row.id] = row.rank
    return ranks


def _results(conn: Connection, first: int, second: int) -> list[OtherResult]:
    query = text(
        "SELECT match_id, coalesce(a.decided_at, b.decided_at) AS decided_at, a.winner AS a_winner, a.score AS a_score,"
        " a.status AS a_status, b.winner AS b_winner, b.score AS b_score, b.status AS b_status"
        " FROM (SELECT * FROM matches WHERE run = :first) a"
        " FULL JOIN (SELECT * FROM matches WHERE run = :second) b USING (match_id)"
        " WHERE (a.winner, a.score, a.status) IS DISTINCT FROM (b.winner, b.score, b.status)"
        " ORDER BY 2, 1"
    )
    return [
        OtherResult(
            row.match_id,
            row.decided_at,
            (row.a_winner, row.a_score and tuple(row.a_score), row.a_status),
            (row.b_winner, row.b_score and tuple(row.b_score), row.b_status),
        )
        for row in conn.execute(query, {"first": first, "second": second})
    ]


def _divergences(conn: Connection, first: int, second: int) -> list[Divergence]:
    columns = ("k", "k_rule", "outcome", "expected", "modifier_terms", "capped", "modifier", "before", "after")
    sides = ", ".join(f"{side}.{column} AS {side}_{column}" for side in "ab" for column in columns)
    query = text(  # only names of columns from above are put in
        f"SELECT DISTINCT ON (subject, id, mode) subject, id, mode, match_id, decided_at,"  # noqa: S608
        f" coalesce(b.position, a.position) AS position, a.run AS in_a, b.run AS in_b, {sides}"
        " FROM (SELECT * FROM changes WHERE run = :first) a"
        " FULL JOIN (SELECT * FROM changes WHERE run = :second) b USING (subject, id, mode, decided_at, match_id)"
        " WHERE a.after IS DISTINCT FROM b.after OR a.before IS DISTINCT FROM b.before"
        " ORDER BY subject, id, mode, decided_at, match_id"
    )
    return [
        Divergence(row.subject, row.id, row.mode, row.match_id, row.decided_at, row.position, tuple(_terms(row)))
        for row in conn.execute(query, {"first": first, "second": second})
    ]


def _terms(row: Any) -> list[OtherTerm]:
    """The terms of one change that differ, in the order of the formula."""
    a, b = _named(row, "a"), _named(row, "b")
    return [OtherTerm(name, a.get(name), b.get(name)) for name in {**a, **b} if a.get(name) != b.get(name)]


def _named(row: Any, side: str) -> dict[str, Any]:
    if getattr(row, f"in_{side}") is None:
        return {}
    terms = {name: getattr(row, f"{side}_{name}") for name in ("before", "outcome", "expected", "k", "k_rule")}
    terms.update({f"modifier.{rule}": value for rule, value in getattr(row, f"{side}_modifier_terms")})
    terms.update({"capped": getattr(row, f"{side}_capped"), "modifier": getattr(row, f"{side}_modifier")})
    return terms


def _mean(conn: Connection, run: int) -> float:
    query = text("SELECT avg(rating) FROM ratings WHERE run = :run AND subject = 'player' AND mode <> 'overall'")
    return float(conn.scalar(query, {"run": run}) or 0.0)
