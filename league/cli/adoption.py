"""What `league promote` and `league rollback` print: the rules in force."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from league.cli import terminal
from league.projections.queries import catalogue
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.wording.language import _


def print_adopted(conn: Connection, before: int, position: int, *, as_json: bool) -> None:
    """The timeline of rules that was adopted at a position; `before` is the run that was official."""
    snapshot = snapshot_of(conn, chosen_run(conn, None))
    spans = catalogue.timeline(snapshot)
    editions = catalogue.editions_by_hash(snapshot, [span.hash for span in spans])
    timeline: list[dict[str, Any]] = [
        {"start": span.start, "edition": editions[span.hash].edition, "title": editions[span.hash].title}
        for span in spans
    ]
    if as_json:
        terminal.print_json({"run": snapshot.run, "before": before, "position": position, "timeline": timeline})
        return
    terminal.out.print(
        _("Run {run} is official: its rules are adopted at position {position}.\n", run=snapshot.run, position=position)
    )
    terminal.table(
        "The rules in force",
        ("for matches that began (UTC)", "edition", "title"),
        [(_from(span["start"]), span["edition"], span["title"]) for span in timeline],
    )
    terminal.out.print(_("`league rollback` returns to the rules before (run {before}).", before=before))


def _from(start: datetime | None) -> str:
    return _("from the beginning") if start is None else f"from {start:%Y-%m-%d %H:%M}"
