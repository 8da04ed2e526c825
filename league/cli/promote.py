"""`league promote`: makes the run of a replay official."""

from league.cli.adoption import print_adopted
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json, RunArgument
from league.eventlog.store import Request
from league.projections.queries.official import chosen_run


def promote(run: RunArgument, as_json: Json = False, actor: Actor = "cli") -> None:
    """Make the run of a replay official, and adopt its rules.

    Both happen in one transaction: readers see either the old run or the new one. `league rollback` undoes it.
    """
    with existing_league() as league, reading(league) as conn:
        before = chosen_run(conn, None)
        conn.rollback()
        position = league.promoter.promote(run, Request(actor, "manual"))
        print_adopted(conn, before, position, as_json=as_json)
