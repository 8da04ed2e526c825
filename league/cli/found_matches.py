"""Matches, found by their id or by the names of their players."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from league.cli import asking
from league.cli.competitors import BETWEEN_PARTNERS, find_player
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import Mode
from league.domain.seating import sides_of
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.queries.matches import MatchFilter, matches, matches_by_id
from league.projections.queries.official import names_of
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _
from league.wording.matches import status_in_words
from league.wording.numbers import moment_of

BETWEEN_SIDES = re.compile(r"\s+(?:vs\.?|v\.?|contra|against|-)\s+|\s*[,;|]\s*", re.IGNORECASE)
"""What people write between the sides of a match."""
NAMED = 10
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
    described = [_described(one, names, ZoneInfo(snapshot.zone)) for one in found[:NAMED]]
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
