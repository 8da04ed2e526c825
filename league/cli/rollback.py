"""`league rollback`: makes the run before the last adoption official again."""

from league.cli.adoption import show_and_adopt
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, OnlyPreview, Yes
from league.eventlog.records import Request


def rollback(preview: OnlyPreview = False, yes: Yes = False, as_json: Json = False, actor: Actor = "cli") -> None:
    """Return to the run and the rules before the last adoption.

    The command prints what will change and asks for confirmation first. A second rollback returns to the rules that the
    first one left.
    """
    with existing_league() as league:
        league.project()
        run = league.promoter.run_before()

        def adopt() -> int:
            return league.promoter.roll_back(Request(actor, "manual"))

        show_and_adopt(league, run, adopt, ask=not yes, only_preview=preview, as_json=as_json)
