"""`league drop`: deletes the run of a replay."""

from league.application import replay_requests
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, RunArgument
from league.eventlog.records import Request
from league.wording.language import _


def drop(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Delete the run of a replay.

    The official run and the run that a rollback would return to cannot be deleted.
    """
    with existing_league() as league:
        gone = replay_requests.drop(league, run, Request(actor, "manual"))
    if as_json:
        terminal.print_json({"run": run, "gone": gone})
    else:
        left = "" if gone else _(" Another process still reads it; its rows are deleted when that process is done.")
        terminal.out.print(_("Run {run} is dropped.{left}", run=run, left=left))
