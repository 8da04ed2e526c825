"""Any object by its global id."""

import asyncio
import re
from typing import Annotated

import strawberry
from strawberry import field

from league.api.badges.badges import EarnedBadge
from league.api.boards.boards import Board, board_of_id
from league.api.graphql.enums import SeriesMode
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.executing.limits import MOST
from league.api.graphql.request_errors import ExcessivePagination, RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import global_id, read_global_id
from league.api.graphql.shaping.loaders.matches import PlayedHand
from league.api.graphql.shaping.relay import Node
from league.api.league.members import Member
from league.api.league.seasons import Season
from league.api.matches.disputes import Dispute
from league.api.matches.hands import Hand
from league.api.matches.matches import Match
from league.api.players.players import Player, Team
from league.api.ratings.changes import RatingChange
from league.api.replays.replays import Replay
from league.api.rules.editions import Edition
from league.api.schema_part import FoundBy
from league.api.series.series import SeriesMonth
from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.domain.player import is_id
from league.features import declared
from league.projections.queries.badges import BadgeRow
from league.projections.queries.catalogue import EditionDocument, editions_by_hash
from league.projections.queries.disputes import DisputeRow
from league.projections.queries.matches import ChangeRow
from league.projections.queries.members import MemberRow, member_with
from league.projections.queries.replays import ReplayRow, replay
from league.projections.queries.series import Month
from league.wording.language import _


async def _edition(info: Info, hash_: str) -> EditionDocument | None:
    return await info.context.reader.load(editions_by_hash, hash_)


async def _change(info: Info, local: str) -> ChangeRow | None:
    match, _, subject_and_id = local.partition(":")
    return await loaders.matches.change(info, match, subject_and_id.partition(":")[2])


async def _hand(info: Info, local: str) -> PlayedHand | None:
    match, _, number = local.partition(":")
    return next((hand for hand in await loaders.matches.hands(info, match) if str(hand.number) == number), None)


async def _replay(info: Info, number: str) -> ReplayRow | None:
    if re.fullmatch("[1-9][0-9]{0,8}", number) is None:
        return None
    return await info.context.read_beyond_the_state(replay, int(number))


async def _series_month(info: Info, local: str) -> Month | None:
    mode, _, month = local.partition(":")
    try:
        return await loaders.series.month(info, SeriesMode(mode), month)
    except (ValueError, RequestError):
        return None


async def _earned_badge(info: Info, local: str) -> BadgeRow | None:
    player, _, badge = local.partition(":")
    return next((row for row in await loaders.badges.badges(info, player) if row.badge == badge), None)


async def _dispute(info: Info, local: str) -> DisputeRow | None:
    match, _, number = local.partition(":")
    return next((row for row in await loaders.matches.disputes(info, match) if str(row.dispute) == number), None)


async def _member(info: Info, member: str) -> MemberRow | None:
    viewer = info.context.beyond_the_state().viewer
    may_read = viewer.may("readMembers") and is_id(member)
    return await info.context.read_beyond_the_state(member_with, member) if may_read else None


FIND: dict[str, FoundBy] = {
    "Player": (loaders.players.player, Player.of),
    "Team": (loaders.players.rated_team, Team.of),
    "Match": (loaders.matches.match, Match.of),
    "Season": (loaders.seasons.season, Season.of),
    "Edition": (_edition, Edition.of),
    "RatingChange": (_change, RatingChange.of),
    "Board": (board_of_id, Board.of),
    "Hand": (_hand, Hand.of),
    "Replay": (_replay, Replay.of),
    "SeriesMonth": (_series_month, SeriesMonth.of),
    "EarnedBadge": (_earned_badge, EarnedBadge.of),
    "Dispute": (_dispute, Dispute.of),
    "Member": (_member, Member.of),
    **{kind: found_by for part in declared("schema") for kind, found_by in part.nodes.items()},
}
"""How each kind of object is loaded by its id in the league, and the function that converts it."""


async def _find(info: Info, id_: str) -> Node | None:
    read = read_global_id(id_)
    if read is None:
        return None
    kind, local = read
    if kind not in FIND or "\0" in local:  # the database has no text with it
        return None
    load, make = FIND[kind]
    found = await load(info, local)
    node = None if found is None else make(found)
    # An id has one form: what was never given out finds nothing.
    return node if node is not None and id_ in (node.id, _before_a_merge(kind, local)) else None


def _before_a_merge(kind: str, local: str) -> str | None:
    """The global id that a player or a pair had, also where they are read as another one today."""
    return global_id(kind, competitor_of(players_of(CompetitorId(local)))) if kind in ("Player", "Team") else None


@strawberry.type
class NodeQueries:
    @field(description="The object with a global id; null when there is none.")
    @keepable
    async def node(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="A global id.")],  # noqa: A002  # the argument's name in the schema
    ) -> Node | None:
        return await _find(info, id)

    @field(description="The objects with these global ids, in order; null where there is none.")
    @keepable
    async def nodes(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description=f"Global ids, at most {MOST}.")],
    ) -> list[Node | None]:
        if len(ids) > MOST:
            raise ExcessivePagination(
                _("`ids` has {count} entries; at most {most}.", count=len(ids), most=MOST), argument="ids", most=MOST
            )
        return list(await asyncio.gather(*(_find(info, id_) for id_ in ids)))
