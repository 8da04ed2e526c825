"""`league rollback`: makes the run before the last adoption official again."""

from league.cli.adoption import print_adopted
from league.cli.opening import existing_league, reading
from league.cli.options import Actor, Json
from league.eventlog.store import Request
from league.projections.queries.official import chosen_run


def rollback(as_json: Json = False, actor: Actor = "cli") -> None:
    """Return to the run and the rules before the last adoption.

    A second rollback returns to the rules that the first one left.
    """
    with existing_league() as league, reading(league) as conn:
        before = chosen_run(conn, None)
        conn.rollback()
        position = league.promoter.roll_back(Request(actor, "manual"))
        print_adopted(conn, before, position, as_json=as_json)
