"""`league standings`: the series of a month, for people, or as JSON for scripts."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row

from league import console
from league.projections.boards import Board
from league.projections.official import names_of
from league.projections.reads import series as reads
from league.projections.reads.pages import PageOf, Query
from league.projections.reads.places import count_places, read_places
from league.projections.reads.series import Month
from league.projections.reads.snapshot import Snapshot

COLUMNS = ("rank", "id", "wins", "losses", "series_points", "total")


def show(
    snapshot: Snapshot, month: Month, region: str | None, first: int, as_of: datetime | None = None, *, as_json: bool
) -> None:
    """Print the standings of a month, what was published when it was closed, and what counts zero.

    As of an earlier moment of play: the standings alone.
    """
    board = Board("series", region, as_of=as_of, month=month.month, mode=month.mode)
    standings = read_places(snapshot, board, PageOf(first)).rows
    total = count_places(snapshot, board)
    corrections, zero, closing = _beside(snapshot, month) if as_of is None else ([], [], None)
    if as_json:
        console.print_json(
            {
                "month": month.month,
                "mode": month.mode,
                "as_of": as_of,
                "closed_at": closing.closed_at if closing else None,
                "standings": [_standing(row) for row in standings],
                "competitors": total,
                "corrections": [row._asdict() for row in corrections] if closing else [],
                "counting_zero": [{"match": row.match_id, "reason": row.reason} for row in zero],
            }
        )
        return
    names = names_of(snapshot.conn, {row.id for row in (*standings, *corrections)})
    state = f"closed {closing.closed_at:%Y-%m-%d %H:%M} UTC" if closing else "open"
    if as_of is not None:
        state = f"as of {as_of:%Y-%m-%d %H:%M}"
    who = "player" if month.mode == "1v1" else "pair"
    console.table(
        f"Series {month.month}, {month.mode} ({state})",
        ("rank", who, "won", "lost", "series", "total"),
        [(row.rank, names[row.id], row.wins, row.losses, f"{row.series_points:+d}", row.total) for row in standings],
        numbers=("rank", "won", "lost", "series", "total"),
    )
    if total > len(standings):
        console.out.print(f"[dim]… and {total - len(standings)} more[/]\n")
    if closing and corrections:
        console.table(
            "Otherwise than published",
            (who, "rank then", "now", "total then", "now "),
            [(names[r.id], *_or_none(r.rank_then, r.rank_now, r.total_then, r.total_now)) for r in corrections[:first]],
            numbers=("rank then", "now", "total then", "now "),
        )
    if zero:
        counted: dict[str, list[str]] = {}
        for row in zero:
            counted.setdefault(row.reason, []).append(row.match_id)
        for reason, matches in counted.items():
            console.out.print(f"count zero, {REASONS[reason]}: {', '.join(matches)}", markup=False)


REASONS = {
    "beyond_limit": "beyond the limit of the two",
    "casual": "casual",
    "voided": "voided",
}


def _beside(snapshot: Snapshot, month: Month) -> tuple[list[Row[Any]], list[Row[Any]], Row[Any] | None]:
    """Who stands otherwise than published, the matches that count zero, and the closing of the month."""
    corrections = _rows(snapshot, reads.moved_since_published(snapshot.run, month).order_by("id"))
    zero = _rows(snapshot, reads.counting_zero(snapshot.run, month).order_by(*reads.BY_BEGINNING.columns))
    return corrections, zero, reads.closing(snapshot, month.month)


def _rows(snapshot: Snapshot, query: Query) -> list[Row[Any]]:
    return list(snapshot.conn.execute(query).all())


def _standing(row: Row[Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS}


def _or_none(*values: Any) -> tuple[Any, ...]:
    return tuple("-" if value is None else value for value in values)
