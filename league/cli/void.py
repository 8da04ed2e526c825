"""`league void`: voids a match."""

from league.cli.correcting import OnlyPreview, Reason, Settles, preview_and_send
from league.cli.found_matches import match_id
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, MatchArgument, Yes
from league.domain.match import VoidMatch


def void(
    match: MatchArgument,
    reason: Reason,
    settles: Settles = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Void a match.

    The command prints what would change and asks for confirmation first. A voided match cannot be restored.
    """
    with existing_league() as league:
        command = VoidMatch(match_id(league, match), reason, settles)
        preview_and_send(league, command, actor, ask=not yes, only_preview=preview, as_json=as_json)
