"""Players and teams, found by what people call them."""

from sqlalchemy import func, select

from league.domain.competitor import JOINT, CompetitorId, read_competitor
from league.domain.refusals import InvalidInput, NotFound
from league.projections.queries import players
from league.projections.queries.snapshot import Snapshot

NAMED = 5
"""How many players an error message names when a name fits several."""


def find(snapshot: Snapshot, who: str, at: str) -> CompetitorId:
    """The id of the player, or of the pair of two joined by `+`, whose id or name this is.

    `at` is the argument. Raises NotFound, InvalidInput for a name that several players have.
    """
    return read_competitor(JOINT.join(_find_player(snapshot, one, at) for one in who.split(JOINT)), at)


def _find_player(snapshot: Snapshot, who: str, at: str) -> str:
    if not who.strip():
        raise InvalidInput(at, "is empty: say an id or a name")
    if who in players.players_by_id(snapshot, [who]):
        return who
    found = snapshot.conn.execute(players.players(players.PlayerFilter(name_contains=who))).all()
    folded = snapshot.conn.scalar(select(func.folded(who)))
    exact = [row for row in found if row.folded_name == folded]
    if not found:
        raise NotFound(at, "player", who)
    if len(exact or found) > 1:
        some = ", ".join(f"{row.name} ({row.player_id})" for row in (exact or found)[:NAMED])
        raise InvalidInput(at, f"{who!r} may be one of {len(exact or found)}: {some}")
    return str((exact or found)[0].player_id)
