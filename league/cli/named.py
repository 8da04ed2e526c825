"""Players, pairs and matches, found by what people call them. A person at a terminal chooses among several."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from league.application.bootstrap import League
from league.cli import asking
from league.cli.opening import reading
from league.domain.player import displayed
from league.domain.refusals import InvalidInput, NotFound, UnknownPlayer
from league.domain.rules import Mode
from league.domain.seating import JOINT, CompetitorId, read_competitor, sides_of
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.queries.matches import MatchFilter, matches, matches_by_id
from league.projections.queries.pages import typed
from league.projections.queries.players import NamedPlayer, names_of, players_called, players_close_to
from league.projections.queries.snapshot import Snapshot, chosen_run, snapshot_of
from league.wording.language import _
from league.wording.matches import status_in_words
from league.wording.numbers import date_of, moment_of

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


BETWEEN_SIDES = re.compile(r"\s+(?:vs\.?|v\.?|contra|against|-)\s+|\s*[,;|]\s*", re.IGNORECASE)
"""What people write between the sides of a match."""
LISTED = 10
"""How many matches a question or a message lists."""

m = t.matches.c


class FoundMatch(NamedTuple):
    """A match between the players that were named."""

    match_id: str
    mode: Mode
    seats: list[str]
    ruleset: str
    began_at: datetime
    status: str


def match_in(snapshot: Snapshot, text: str) -> str:
    """The id of the match of a run that this names: an id, or the players of both sides (`Ana & Luis - Rosa & Juan`).

    Raises NotFound, InvalidInput where several may be meant and there is no person to ask, typer.Abort.
    """
    if text in matches_by_id(snapshot, [text]):
        return text
    found = _between(snapshot, text)
    if not found:
        raise NotFound("match", "match", text)
    return found[0].match_id if len(found) == 1 else _asked(snapshot, text, found)


def _between(snapshot: Snapshot, text: str) -> list[FoundMatch]:
    """The matches between exactly the players that a text names, the latest first; none for fewer than two names."""
    names = [name for side in BETWEEN_SIDES.split(text) for name in BETWEEN_PARTNERS.split(side)]
    if len(names) < 2:  # noqa: PLR2004  # the fewest players of a match
        return []
    players = [find_player(snapshot, name, "match") for name in names]
    query = matches(snapshot.run, MatchFilter()).where(m.seats.contains(players), m.seats.contained_by(players))
    return list(typed(FoundMatch, snapshot.conn.execute(query.order_by(m.began_at.desc(), m.match_id.desc()))))


def _asked(snapshot: Snapshot, text: str, found: Sequence[FoundMatch]) -> str:
    names = names_of(snapshot.conn, {player for one in found for player in one.seats})
    described = [_described(one, names, ZoneInfo(snapshot.zone)) for one in found[:LISTED]]
    if asking.at_terminal():
        chosen = asking.choose(_("Several matches fit {text}.", text=repr(text)), described)
        if chosen is not None:
            return found[chosen].match_id
    listed = "; ".join(described)
    raise InvalidInput(
        "match", say("say which of {count} matches is meant: {matches}", count=len(found), matches=listed)
    )


def _described(match: FoundMatch, names: dict[str, str], zone: ZoneInfo) -> str:
    """What distinguishes a match from another between the same players."""
    sides = [" & ".join(names[player] for player in side) for side in sides_of(match.mode, tuple(match.seats))]
    began = moment_of(match.began_at.astimezone(zone))
    return f"{match.match_id}: {' - '.join(sides)}, {match.ruleset}, {began}, {status_in_words(match.status)}"
