"""`league replays`: the list of replays."""

from datetime import datetime
from typing import Any

from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.options import Json
from league.projections.queries.replays import LATEST_FIRST, state_of
from league.projections.queries.replays import replays as every_replay
from league.wording.language import _


def replays(as_json: Json = False) -> None:
    """List the replays.

    Each has its number, the number of its run, its state, the rules it was folded under, and the span of play time
    that those rules revise.
    """
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            rows = conn.execute(every_replay().order_by(*(column.desc() for column in LATEST_FIRST.columns))).all()
    if as_json:
        terminal.print_json([_document(row) for row in rows])
        return
    terminal.table(
        _("Replays"),
        ("replay", "run", "state", "rules", "for matches that began (UTC)", "asked by", "asked (UTC)"),
        [
            (
                row.replay,
                row.run,
                _state(row),
                row.title or "as they hold",
                _span(row),
                row.requested_by,
                _minute(row.requested_at),
            )
            for row in rows
        ],
        numbers=("replay", "run"),
    )


def _document(row: Any) -> dict[str, Any]:
    names = ("replay", "run", "title", "requested_by", "requested_at", "known_at", "done", "total", "failure")
    asked = {name: getattr(row, name) for name in (*names, "position")}
    outdated = bool(row.is_outdated)
    return {**asked, "state": state_of(row), "from": row.starts_at, "to": row.ends_at, "outdated": outdated}


def _state(row: Any) -> str:
    if row.failure is not None:
        return f"failed: {row.failure}"
    return _("done, outdated") if row.is_outdated else state_of(row)


def _span(row: Any) -> str:
    span = _("at any time")
    if row.starts_at is not None or row.ends_at is not None:
        span = f"{_minute(row.starts_at)} to {_minute(row.ends_at)}"
    return (
        span if row.known_at is None else _("{span}, as known at {known_at}", span=span, known_at=_minute(row.known_at))
    )


def _minute(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment:%Y-%m-%d %H:%M}"
