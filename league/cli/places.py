"""The places of a board that a command prints, and their details."""

from collections.abc import Iterable, Sequence

from sqlalchemy import select

from league.cli.competitors import find
from league.cli.options import AROUND, FIRST
from league.domain.competitor import CompetitorId, players_of
from league.domain.nearest import there_are
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.boards.board import Board
from league.projections.queries import players
from league.projections.queries.pages import PageOf
from league.projections.queries.places import PlaceRow, read_around, read_places
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _


def places_of(snapshot: Snapshot, board: Board, around: str | None, first: int | None) -> Sequence[PlaceRow]:
    """The first places of a board, or those around a player or a team (an id or a name).

    `first`: how many, or how many on either side; None: the defaults. Raises InvalidInput for a region without
    players, and NotFound for a player who has no place on the board.
    """
    known = players.regions(snapshot)
    if board.region is not None and board.region not in known:
        raise InvalidInput(
            "region",
            say(
                "there are no players from {region!r}; {there_are}",
                region=board.region,
                there_are=there_are(board.region, known) if known else say("there are no regions"),
            ),
        )
    if around is None:
        return read_places(snapshot, PlaceRow, board, PageOf(first or FIRST)).rows
    id_ = find(snapshot, around, "around")
    places = read_around(snapshot, PlaceRow, board, id_, first or AROUND)
    if not places:
        raise NotFound("around", _("place on this board of"), id_)
    return places


def regions_of(snapshot: Snapshot, ids: Iterable[CompetitorId]) -> dict[CompetitorId, str]:
    """The regions by id; a team has both regions of its players where they differ."""
    p, wanted = t.players.c, list(ids)
    members = {player for id_ in wanted for player in players_of(id_)}
    rows = snapshot.conn.execute(select(p.player_id, p.region).where(p.player_id.in_(members)))
    known = {row.player_id: row.region or "-" for row in rows}
    return {id_: " & ".join(dict.fromkeys(known.get(player, "-") for player in players_of(id_))) for id_ in wanted}
