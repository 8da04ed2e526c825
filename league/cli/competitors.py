"""Players and teams, found by what people call them. Where a name may mean several, a person at a terminal is asked."""

import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from league.application.bootstrap import League
from league.cli import asking
from league.cli.opening import reading
from league.domain.competitor import JOINT, CompetitorId, read_competitor
from league.domain.player import displayed
from league.domain.refusals import InvalidInput, UnknownPlayer
from league.domain.sentences import say
from league.projections.queries.named_players import NamedPlayer, players_called, players_close_to
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.wording.language import _
from league.wording.numbers import date_of

BETWEEN_PARTNERS = re.compile(r"\s*[+&/]\s*")
"""What people write between the two names of a pair."""
NAMED = 5
"""How many players a question or a message names when a name fits several."""


def find(snapshot: Snapshot, who: str, at: str) -> CompetitorId:
    """The id of the player, or of the pair of two joined by `+`, `&` or `/`, whose id or name this is.

    `at` is the argument. Raises UnknownPlayer, InvalidInput for a name that several players have, typer.Abort.
    """
    if called := players_called(snapshot.conn, who):
        return read_competitor(_the_one(snapshot, who, called, at), at)
    players = [find_player(snapshot, one, at) for one in BETWEEN_PARTNERS.split(who)]
    return read_competitor(JOINT.join(players), at)


def find_player(snapshot: Snapshot, who: str, at: str) -> str:
    """The id of the player whose id or name this is. Raises as `find` does."""
    if not who.strip():
        raise InvalidInput(at, say("is empty: say an id or a name"))
    return _the_one(snapshot, who, players_called(snapshot.conn, who), at)


def player_id(league: League, who: str, at: str = "player") -> str:
    """The id of the player whose id or name this is, among all whom the log knows. Raises as `find` does."""
    league.project()
    with reading(league) as conn:
        return find_player(snapshot_of(conn, chosen_run(conn, None)), who, at)


def _the_one(snapshot: Snapshot, who: str, called: Sequence[NamedPlayer], at: str) -> str:
    if len(called) == 1:
        return called[0].player_id
    candidates = called or players_close_to(snapshot.conn, who, most=NAMED)
    described = [described_player(one, snapshot.zone) for one in candidates[:NAMED]]
    if candidates and asking.at_terminal():
        title = (
            _("{count} players are called {name}.", count=len(called), name=repr(who))
            if called
            else _("There is no player {name}. Did you mean one of these?", name=repr(who))
        )
        chosen = asking.choose(title, described)
        if chosen is not None:
            return candidates[chosen].player_id
    if called:
        some = "; ".join(described)
        raise InvalidInput(
            at, say("{name} may be one of {count}: {players}", name=repr(who), count=len(called), players=some)
        )
    raise UnknownPlayer(at, id=who, closest=tuple(described))


def described_player(player: NamedPlayer, zone: str) -> str:
    """A player with what distinguishes them from another: `Ana (p2), Matanzas, last match Mar 1, 2026`."""
    parts = [f"{displayed(player.player_id, player.name)} ({player.player_id})"]
    if player.region:
        parts.append(player.region)
    if player.last_match is not None:
        day = date_of(player.last_match, ZoneInfo(zone))
        parts.append(_("last match {day}", day=day))
    return ", ".join(parts)
