"""`league replays`: the list of replays."""

from datetime import datetime, tzinfo
from typing import Any

from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.options import Json
from league.cli.times import local, print_zone
from league.domain.sentences import say
from league.projections.queries.replays import LATEST_FIRST, state_of
from league.projections.queries.replays import replays as every_replay
from league.wording.language import _, spoken


def replays(as_json: Json = False) -> None:
    """List the replays.

    Each has its number, which is also that of its run, its state, the rules it was folded under, and the span of play
    time that those rules revise. `league difference`, `league promote` and `league drop` take the number.
    """
    with existing_league() as league:
        league.project()
        zone = league.time_zone()
        with reading(league) as conn:
            rows = conn.execute(every_replay().order_by(*(column.desc() for column in LATEST_FIRST.columns))).all()
    if as_json:
        terminal.print_json([_document(row) for row in rows])
        return
    if not rows:
        terminal.out.print(_("There are no replays yet: `{command}` makes one.", command="league replay --rules FILE"))
        return
    run = _("run")
    terminal.table(
        _("Replays"),
        (run, _("state"), _("rules"), _("for matches that began"), _("asked")),
        [
            (
                row.replay,
                _state(row),
                _(row.title) if row.title else _("as they hold"),
                _span(row, zone),
                local(row.requested_at, zone),
            )
            for row in rows
        ],
        numbers=(run,),
    )
    if any(row.is_outdated for row in rows):
        said = _(
            "Outdated: the rules or the program changed since. Replay the rules again (`{command}`) and promote that.",
            command="league replay --rules FILE",
        )
        terminal.out.print(f"[dim]{said}[/]")
    print_zone(zone)


_STATES = {
    "waiting": say("waiting"),
    "running": say("running"),
    "done": say("done"),
    "promoted": say("promoted"),
    "failed": say("failed"),
    "cancelled": say("cancelled"),
    "dropped": say("dropped"),
}
"""The states of a replay in words."""


def _document(row: Any) -> dict[str, Any]:
    names = ("title", "requested_by", "requested_at", "known_at", "done", "total", "failure")
    asked = {name: getattr(row, name) for name in (*names, "position")}
    outdated = bool(row.is_outdated)
    return {
        "run": row.replay,
        **asked,
        "state": state_of(row),
        "from": row.starts_at,
        "to": row.ends_at,
        "outdated": outdated,
    }


def _state(row: Any) -> str:
    if row.failure is not None:
        return _("failed: {why}", why=row.failure)
    return _("done, outdated") if row.is_outdated else spoken(_STATES[state_of(row)])


def _span(row: Any, zone: tzinfo) -> str:
    span = _("at any time")
    if row.starts_at is not None or row.ends_at is not None:
        span = _("{start} to {end}", start=_minute(row.starts_at, zone), end=_minute(row.ends_at, zone))
    if row.known_at is None:
        return span
    return _("{span}, as known at {time}", span=span, time=_minute(row.known_at, zone))


def _minute(moment: datetime | None, zone: tzinfo) -> str:
    return "-" if moment is None else local(moment, zone)
