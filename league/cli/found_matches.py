"""Matches, found by their id or by the names of their players."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.cli import asking
from league.cli.competitors import BETWEEN_PARTNERS, find_player
from league.cli.opening import reading
from league.domain.competitor import CompetitorId
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import Mode
from league.domain.seating import sides_of
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.queries.matches import MatchFilter, matches, matches_by_id
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.wording.language import _
from league.wording.matches import status_in_words
from league.wording.numbers import moment_of

BETWEEN_SIDES = re.compile(r"\s+(?:vs\.?|v\.?|contra|against|-)\s+|\s*[,;|]\s*", re.IGNORECASE)
"""What people write between the sides of a match."""
NAMED = 10
"""How many matches a question or a message lists."""

m = t.matches.c


class ListedMatch(NamedTuple):
    """A match of a list."""

    match_id: str
    mode: Mode
    seats: list[str]
    ruleset: str
    began_at: datetime
    status: str
    score: list[int] | None


class FoundMatch(NamedTuple):
    """A match with the names of its sides; its times are in the league's time zone."""

    match_id: str
    sides: list[str]
    listed: ListedMatch

    @property
    def is_open(self) -> bool:
        """Whether it takes hands."""
        return self.listed.status == "open"

    @property
    def described(self) -> str:
        """What distinguishes it from another match between the same players."""
        one = self.listed
        parts = (" - ".join(self.sides), one.ruleset, moment_of(one.began_at), status_in_words(one.status))
        return f"{self.match_id}: {', '.join(parts)}"

    @property
    def row(self) -> tuple[str, ...]:
        """Its row of a table."""
        one = self.listed
        score = "" if one.score is None else "-".join(map(str, one.score))
        began, status = moment_of(one.began_at), status_in_words(one.status)
        return (self.match_id, began, " - ".join(self.sides), one.ruleset, score, status)

    @property
    def document(self) -> dict[str, Any]:
        """The match as JSON."""
        one = self.listed
        return {
            "match": self.match_id,
            "began_at": one.began_at,
            "ruleset": one.ruleset,
            "mode": one.mode,
            "sides": sides_of(one.mode, tuple(one.seats)),
            "names": self.sides,
            "score": one.score,
            "status": one.status,
        }


def match_id(league: League, text: str | None, *, only_open: bool = False) -> str:
    """The id of the match that this names: an id, or the players of both sides (`Ana & Luis - Rosa & Juan`).

    None: the open match. `only_open`: of several between the same players the open one is meant. Raises NotFound,
    InvalidInput where several may be meant and there is no person to ask, typer.Abort.
    """
    if text is not None and StreamStates(league.store, clock()).match(text).played is not None:
        return text
    league.project()
    with reading(league) as conn:
        return match_in(snapshot_of(conn, chosen_run(conn, None)), text, only_open=only_open)


def match_in(snapshot: Snapshot, text: str | None, *, only_open: bool = False) -> str:
    """The id of the match of a run that this names. As `match_id`."""
    if text is not None and text in matches_by_id(snapshot, [text]):
        return text
    found = matches_listed(snapshot, only_open=True) if text is None else _between(snapshot, text)
    if only_open and any(one.is_open for one in found):
        found = [one for one in found if one.is_open]
    if len(found) == 1:
        return found[0].match_id
    if found:
        return _asked(text, found)
    if text is None:
        raise InvalidInput("match", say("no match is open"))
    raise NotFound("match", "match", text)


def matches_listed(
    snapshot: Snapshot,
    *,
    players: Sequence[str] = (),
    whose: CompetitorId | None = None,
    only_open: bool = False,
    id_prefix: str = "",
) -> list[FoundMatch]:
    """Matches, the latest first: of exactly these players, of a player or pair, open ones, by the id's beginning."""
    wanted = MatchFilter(competitor=whose, status=("open",) if only_open else None)
    query = matches(snapshot.run, wanted).order_by(m.began_at.desc(), m.match_id.desc())
    if players:
        query = query.where(m.seats.contains(list(players)), m.seats.contained_by(list(players)))
    if id_prefix:
        query = query.where(m.match_id.startswith(id_prefix, autoescape=True))
    rows = list(typed(ListedMatch, snapshot.conn.execute(query)))
    names = names_of(snapshot.conn, {player for row in rows for player in row.seats})
    zone = ZoneInfo(snapshot.zone)
    found = []
    for row in rows:
        sides = [" & ".join(names[player] for player in side) for side in sides_of(row.mode, tuple(row.seats))]
        found.append(FoundMatch(row.match_id, sides, row._replace(began_at=row.began_at.astimezone(zone))))
    return found


def _between(snapshot: Snapshot, text: str) -> list[FoundMatch]:
    """The matches between the players that a text names; none for a text that names fewer than two."""
    names = [name for side in BETWEEN_SIDES.split(text) for name in BETWEEN_PARTNERS.split(side)]
    if len(names) < 2:  # noqa: PLR2004  # the fewest players of a match
        return []
    return matches_listed(snapshot, players=[find_player(snapshot, name, "match") for name in names])


def _asked(text: str | None, found: Sequence[FoundMatch]) -> str:
    described = [one.described for one in found[:NAMED]]
    if asking.at_terminal():
        title = _("Several matches are open.") if text is None else _("Several matches fit {text}.", text=repr(text))
        chosen = asking.choose(title, described)
        if chosen is not None:
            return found[chosen].match_id
    listed = "; ".join(described)
    raise InvalidInput(
        "match", say("say which of {count} matches is meant: {matches}", count=len(found), matches=listed)
    )
