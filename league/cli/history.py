"""`league history`: every change of a rating with its cause, including changes not caused by the player's matches."""

from typing import Annotated, Any

import typer
from rich.markup import escape
from sqlalchemy import literal

from league.cli import terminal
from league.cli.competitors import find
from league.cli.opening import existing_league, reading
from league.cli.options import Json, Who
from league.domain.competitor import CompetitorId, subject_of
from league.domain.rating import shown
from league.domain.rules import SeriesMode
from league.projections import tables as t
from league.projections.queries import journal
from league.projections.queries.log import entries_by_position
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.pages import PageOf, count, read_page
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.wording import reasons
from league.wording.language import _


def history(
    who: Who,
    mode: Annotated[SeriesMode | None, typer.Option(help=_("Only the rating of this mode."))] = None,
    first: Annotated[int, typer.Option(help=_("How many changes to print."), min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print every change of a rating, and what caused it.

    The causes are matches, corrections, and changes of the rules. The latest change comes first.
    """
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            _print(snapshot, find(snapshot, who, "player"), mode, first, as_json=as_json)


def _print(snapshot: Snapshot, id_: CompetitorId, mode: SeriesMode | None, first: int, *, as_json: bool) -> None:
    query = journal.entries_of(subject_of(id_), literal(id_, t.Id), mode)
    rows = read_page(snapshot.conn, journal.JournalRow, query, journal.LATEST_FIRST, PageOf(first)).rows
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
    name, total = names_of(snapshot.conn, {id_})[id_], count(snapshot.conn, query)
    if as_json:
        terminal.print_json({"id": id_, "name": name, "total": total, "moves": moves})
    elif moves:
        _print_moves(name, moves)
        terminal.print_more(len(moves), total)
    else:
        terminal.out.print(_("{name} has no rating yet.", name=escape(name)))


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
        _("How the rating of {name} came about, the latest first", name=name),
        ("recorded (UTC)", "mode", "before", "after", "change", "why"),
        rows,
        numbers=numbers,
    )
