"""`league what-if-not`: what would be different for a player without one match."""

from league.application.bootstrap import clock
from league.application.preview import preview_without
from league.cli import terminal
from league.cli.competitors import find
from league.cli.found_matches import match_id
from league.cli.opening import existing_league, reading
from league.cli.options import Json, MatchArgument, Who
from league.cli.preview_tables import print_preview
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.wording.language import _


def what_if_not(match: MatchArgument, who: Who, as_json: Json = False) -> None:
    """Show what would be different for a player without one match.

    The answer covers the player's pairs too. Nothing is stored.
    """
    with existing_league() as league:
        match = match_id(league, match)
        league.project()
        with reading(league) as conn:
            player = find(snapshot_of(conn, chosen_run(conn, None)), who, "player")
        with terminal.working(_("folding the league without it")):
            found = preview_without(league.database.url, league.store, clock, match, player)
        with reading(league) as conn:
            print_preview(conn, found, as_json=as_json)
