"""Players, fixed pairs and their ratings."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.domain.competitor import JOINT, CompetitorId, competitor_of, is_pair, players_of
from league.domain.player import displayed
from league.projections.boards.board import Board
from league.projections.boards.definitions import rating_board
from league.projections.folds.ratings import RatingRow
from league.projections.queries import players as reads
from league.projections.queries.past_ratings import ratings_at
from league.projections.queries.places import ranks_on
from league.projections.queries.players import PlayerRow
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot


async def player(info: Info, id_: str) -> PlayerRow | None:
    """The player of an id in the league."""
    return await info.context.reader.load(reads.players_by_id, id_)


async def players(info: Info, ids: Sequence[str]) -> list[PlayerRow]:
    """The registered ones of these players, in this order."""
    rows = await asyncio.gather(*(player(info, id_) for id_ in ids))
    return [row for row in rows if row is not None]


async def read_as(info: Info, id_: CompetitorId) -> CompetitorId | None:
    """The player or the pair as whom an id is read; None when one of them is not registered."""
    ids = players_of(id_)
    found = await players(info, ids)
    return competitor_of([row.player_id for row in found]) if len(found) == len(ids) else None


async def competitor(info: Info, id_: str) -> PlayerRow | str | None:
    """A player, or the id of a pair (two ids joined by `+`); None when one of them is not registered."""
    if not is_pair(CompetitorId(id_)):
        return await player(info, id_)
    return await read_as(info, competitor_of(id_.split(JOINT)))


async def display_names(info: Info, ids: Iterable[str]) -> dict[str, str]:
    """The names to show of players and pairs, by id; of those that are registered."""
    ids = list(ids)
    found = await asyncio.gather(*(players(info, players_of(CompetitorId(id_))) for id_ in ids))
    shown = [" & ".join(displayed(row.player_id, row.name) for row in rows) for rows in found]
    return {id_: name for id_, name in zip(ids, shown, strict=True) if name}


async def rated_team(info: Info, id_: str) -> str | None:
    """The id of a fixed pair that has a rated match, merged ids resolved; None for any other pair."""
    read = await read_as(info, CompetitorId(id_)) if is_pair(CompetitorId(id_)) else None
    return read if read is not None and await ratings(info, "team", read) else None


class RatingThen(Struct, frozen=True):
    """A rating at a moment of play; None: now."""

    row: RatingRow
    as_of: datetime | None


async def ratings(info: Info, subject: str, id_: str, as_of: datetime | None = None) -> list[RatingThen]:
    """The ratings of a player (`player`) or a pair (`team`), now or at a moment of play."""

    @short
    def ask(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[RatingRow]]:
        if as_of is None:
            return reads.ratings_by_id(snapshot, subject, ids)
        return dict(ratings_at(snapshot, subject, as_of, ids))

    rows = await info.context.reader.load(ask, id_, kind=("ratings", subject, as_of)) or []
    return [RatingThen(row, as_of) for row in rows]


async def rank(info: Info, rating: RatingThen) -> int | None:
    """The rank of a rating on the board that lists ratings of its kind; None when the board gives it none."""
    board = Board(rating_board(rating.row.subject, rating.row.mode).kind, as_of=rating.as_of)

    @short
    def ask(snapshot: Snapshot, ids: Sequence[str]) -> Mapping[str, int]:
        return ranks_on(snapshot, board, ids)

    return await info.context.reader.load(ask, rating.row.id, kind=("ranks", board))
