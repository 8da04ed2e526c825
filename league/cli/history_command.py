"""`league history`: how a rating came about, so that a player sees why it moved while they did not play."""

from typing import Any

from rich.markup import escape
from sqlalchemy import literal

from league.cli import terminal
from league.domain.competitor import CompetitorId, subject_of
from league.domain.rating import shown
from league.projections import tables as t
from league.projections.queries import journal
from league.projections.queries.log import entries_by_position
from league.projections.queries.official import names_of
from league.projections.queries.pages import PageOf, read_page
from league.projections.queries.snapshot import Snapshot
from league.wording import reasons


def show(snapshot: Snapshot, id_: CompetitorId, mode: str | None, first: int, *, as_json: bool) -> None:
    """Print the latest moves of the rating of a player or a pair, the latest first."""
    query = journal.entries_of(subject_of(id_), literal(id_, t.Id), mode)
    rows = read_page(snapshot.conn, query, journal.LATEST_FIRST, PageOf(first)).rows
    events = entries_by_position(snapshot, [row.position for row in rows])
    moves = [
        {
            "recorded_at": events[row.position].recorded_at,
            "position": row.position,
            "event": events[row.position].name,
            "cause": row.cause,
            "mode": row.mode,
            "match": row.match_id,
            "before": row.before,
            "after": row.after,
            "text": reasons.journal_reason(row.cause, events[row.position].name, row.match_id),
        }
        for row in rows
    ]
    name = names_of(snapshot.conn, {id_})[id_]
    if as_json:
        terminal.print_json({"id": id_, "name": name, "moves": moves})
    elif moves:
        _print_moves(name, moves)
    else:
        terminal.out.print(f"{escape(name)} has no rating yet.")


def _print_moves(name: str, moves: list[dict[str, Any]]) -> None:
    rows = [
        (
            f"{move['recorded_at']:%Y-%m-%d %H:%M}",
            move["mode"],
            shown(move["before"]),
            "-" if move["after"] is None else shown(move["after"]),
            "" if move["after"] is None else f"{move['after'] - move['before']:+.1f}",
            move["text"],
        )
        for move in moves
    ]
    numbers = ("before", "after", "change")
    terminal.table(
        f"How the rating of {name} came about, the latest first",
        ("recorded (UTC)", "mode", "before", "after", "change", "why"),
        rows,
        numbers=numbers,
    )
