"""`league promote`: makes the run of a replay official."""

from league.cli.adoption import show_and_adopt
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, OnlyPreview, RunArgument, Yes
from league.eventlog.records import Request


def promote(
    run: RunArgument, preview: OnlyPreview = False, yes: Yes = False, as_json: Json = False, actor: Actor = "cli"
) -> None:
    """Make the run of a replay official, and adopt its rules.

    The command prints what will change and asks for confirmation first. Both happen in one transaction: readers see
    either the old run or the new one. `league rollback` undoes it.
    """
    with existing_league() as league:
        league.project()
        league.promoter.check_promotion(run)

        def adopt() -> int:
            return league.promoter.promote(run, Request(actor, "manual"))

        show_and_adopt(league, run, adopt, ask=not yes, only_preview=preview, as_json=as_json)
