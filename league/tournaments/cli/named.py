"""What a command line names: a tournament, a competitor of it, a day."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date

import typer

from league.application.bootstrap import League
from league.cli.competitors import find, find_player
from league.cli.opening import reading
from league.domain.competitor import players_of
from league.domain.refusals import InvalidInput, NotFound
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.tournaments.application.tournament_states import stored_tournament
from league.tournaments.projections.seen import SeenTournament, all_tournaments, tournaments_by_id
from league.wording.language import _


@contextmanager
def looking_at(league: League) -> Iterator[Snapshot]:
    """The league as it is now."""
    league.project()
    with reading(league) as conn:
        yield snapshot_of(conn, chosen_run(conn, None))


def seen_tournament(snapshot: Snapshot, which: str) -> SeenTournament:
    """The tournament with this id. Raises NotFound."""
    seen = tournaments_by_id(snapshot, [which]).get(which)
    if seen is None:
        raise NotFound("tournament", "tournament", which, tuple(all_tournaments(snapshot)), "league tournament list")
    return seen


def competitor_named(league: League, snapshot: Snapshot, which: str, who: str, at: str) -> str:
    """The id under which somebody entered, by an id or a name; a pair also by one of its players.

    `at` is the argument. Raises UnknownPlayer, InvalidInput for a name that several players have, typer.Abort.
    """
    entries = stored_tournament(league.dispatcher.kept_states, which).entries
    if who in entries:
        return who
    with suppress(InvalidInput):
        player = find_player(snapshot, who, at) if "+" not in who else None
        theirs = [entry.id for entry in entries.values() if player in entry.players]
        if len(theirs) == 1:
            return theirs[0]
    return "+".join(players_of(find(snapshot, who, at)))


def day_of(text: str) -> date:
    """A day of an option."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(_("is not a day; an example is 2026-03-01")) from None
