"""Any object by its global id, and players, pairs, seasons and matches by what people type."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from functools import partial
from typing import Annotated, Any, TypeVar

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.badges import EarnedBadge
from league.api.boards.boards import Board, board_of_id
from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.limits import MOST
from league.api.graphql.leaf_types import SeriesMode, argument, word
from league.api.graphql.request_errors import ExcessivePagination, RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.relay import (
    Connection,
    Made,
    Node,
    PagedField,
    connection_of,
    global_id,
    read_global_id,
)
from league.api.league.members import Member
from league.api.league.seasons import Season
from league.api.matches.disputes import Dispute
from league.api.matches.hands import Hand
from league.api.matches.matches import Match
from league.api.players.players import Player, Team
from league.api.ratings import RatingChange
from league.api.replays.replays import Replay
from league.api.rules import Edition
from league.api.schema_part import FoundBy, SchemaPart
from league.api.series.series import SeriesMonth
from league.domain.player import is_id
from league.domain.seating import CompetitorId, competitor_of, players_of
from league.domain.sentences import say
from league.features import declared
from league.projections.queries import search as reads
from league.projections.queries.catalogue import (
    EditionDocument,
    ReplayRow,
    editions_by_hash,
    is_in_readable_run,
    replay,
    seasons_by_id,
)
from league.projections.queries.matches import ChangeRow, matches_by_id
from league.projections.queries.pages import PageRequest, RowPage, count, read_page
from league.projections.queries.players import MemberRow, member_with, players_by_id
from league.projections.queries.search import SearchHit
from league.projections.queries.series import ModeMonth
from league.projections.queries.snapshot import Snapshot, short

T = TypeVar("T")


async def _edition(info: Info, hash_: str) -> EditionDocument | None:
    row = await info.context.reader.load(editions_by_hash, hash_)
    if row is None or row.edition is not None or info.context.beyond_the_state().reads_drafts:
        return row
    # It is that of a candidate.
    return row if await info.context.read_beyond_the_state(is_in_readable_run, hash_) else None


async def _change(info: Info, local: str) -> ChangeRow | None:
    match, _, subject_and_id = local.partition(":")
    return await loaders.matches.change(info, match, subject_and_id.partition(":")[2])


async def _replay(info: Info, number: str) -> ReplayRow | None:
    if re.fullmatch("[1-9][0-9]{0,8}", number) is None:
        return None
    drafts = info.context.beyond_the_state().reads_drafts
    return await info.context.read_beyond_the_state(partial(replay, drafts=drafts), int(number))


async def _series_month(info: Info, local: str) -> ModeMonth | None:
    mode, _, month = local.partition(":")
    try:
        return await loaders.players.month(info, SeriesMode(mode), month)
    except (ValueError, RequestError):
        return None


def _one_of(load: Callable[[Info, str], Awaitable[list[T]]], name: str) -> Callable[[Info, str], Awaitable[T | None]]:
    """Finds one of the rows that an owner has; `name` is the attribute that tells it from the others."""

    async def find(info: Info, local: str) -> T | None:
        owner, _, named = local.partition(":")
        return next((row for row in await load(info, owner) if str(getattr(row, name)) == named), None)

    return find


async def _member(info: Info, member: str) -> MemberRow | None:
    viewer = info.context.beyond_the_state().viewer
    may_read = viewer.may("readMembers") and is_id(member)
    return await info.context.read_beyond_the_state(member_with, member) if may_read else None


FIND: dict[str, FoundBy] = {
    "Player": (loaders.players.player, Player.of),
    "Team": (loaders.players.rated_team, Team.of),
    "Match": (loaders.matches.match, Match.of),
    "Season": (loaders.matches.season, Season.of),
    "Edition": (_edition, Edition.of),
    "RatingChange": (_change, RatingChange.of),
    "Board": (board_of_id, Board.of),
    "Hand": (_one_of(loaders.matches.hands, "number"), Hand.of),
    "Replay": (_replay, Replay.of),
    "SeriesMonth": (_series_month, SeriesMonth.of),
    "EarnedBadge": (_one_of(loaders.players.badges, "badge"), EarnedBadge.of),
    "Dispute": (_one_of(loaders.matches.disputes, "dispute"), Dispute.of),
    "Member": (_member, Member.of),
    **{kind: found_by for part in declared(SchemaPart) for kind, found_by in part.nodes.items()},
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
    """The global id that a player or a pair had before a merge; None for other kinds."""
    return global_id(kind, competitor_of(players_of(CompetitorId(local)))) if kind in ("Player", "Team") else None


@strawberry.type
class NodeQueries:
    @field(description="The object with a global id; null when there is none.")
    @cacheable
    async def node(
        self,
        info: Info,
        id: Annotated[strawberry.ID, argument("A global id.")],  # noqa: A002  # the argument's name in the schema
    ) -> Node | None:
        return await _find(info, id)

    @field(description="The objects with these global ids, in order; null where there is none.")
    @cacheable
    async def nodes(
        self, info: Info, ids: Annotated[list[strawberry.ID], argument(f"Global ids, at most {MOST}.")]
    ) -> list[Node | None]:
        if len(ids) > MOST:
            raise ExcessivePagination(
                say("`ids` has {count} entries; at most {most}.", count=len(ids), most=MOST), argument="ids", most=MOST
            )
        return list(await asyncio.gather(*(_find(info, id_) for id_ in ids)))


@strawberry.enum(description="What a search looks for.")
class SearchKind(Enum):
    PLAYERS = word("player", "Players, by name or id.")
    TEAMS = word("team", "Pairs with a rated match, by their players' names or by id.")
    SEASONS = word("season", "Seasons, by name or id.")
    MATCHES = word(
        "match",
        "Matches, by the beginning of the id; and by the names of two or more of their players, such as "
        f"`ines gustavo` (of each word the first {reads.MOST_PLAYERS} players count).",
    )


SearchResult = Annotated[
    Player | Team | Season | Match, strawberry.union("SearchResult", description="Something that a search has found.")
]

_MADE: dict[str, Any] = {"player": Player.of, "team": Team.of, "season": Season.of, "match": Match.of}


class SearchPage(Struct, frozen=True):
    """The results of a search as a pageable list."""

    query: str
    kinds: Sequence[reads.Kind]

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Any]:
        """A page of it. Raises BadCursor."""
        reader = info.context.reader
        rows, objects = await reader.read(self._read, page)

        async def total() -> int:
            return await reader.read(short(lambda s: count(s.conn, self._found(s))))

        return connection_of(rows, objects, node, total)

    @short
    def _read(self, snapshot: Snapshot, page: PageRequest) -> tuple[RowPage[SearchHit], list[Any]]:
        """The page, and what its nodes are made of: one statement for each kind that was found."""
        rows = read_page(snapshot.conn, SearchHit, self._found(snapshot), reads.BEST_FIRST, page)
        load: dict[reads.Kind, Any] = {
            "player": players_by_id, "season": seasons_by_id, "match": matches_by_id,
            "team": lambda _, teams: {team: team for team in teams},
        }  # fmt: skip
        objects: dict[str, dict[str, Any]] = {}
        for number, kind in enumerate(reads.KINDS):
            ids = [row.id for row in rows.rows if row.kind == number]
            objects[kind] = load[kind](snapshot, ids) if ids else {}
        kinds = [reads.KINDS[row.kind] for row in rows.rows]
        return rows, [(kind, objects[kind][row.id]) for kind, row in zip(kinds, rows.rows, strict=True)]

    def _found(self, snapshot: Snapshot) -> Any:
        return reads.search(snapshot.run, self.query, self.kinds)


def _result(found: tuple[str, Any]) -> Any:
    kind, row = found
    return _MADE[kind](row)


@strawberry.type
class SearchQueries:
    @field(
        graphql_type=Connection[SearchResult],
        description="What people may mean by a text, the best match first: an id or a whole name, then names that "
        "begin with it, then names with words that begin so, then names that have it inside a word. Accents and case "
        "do not matter in names; ids are compared as they are. Every word of the text must be found, at most "
        f"{reads.MOST_WORDS} count. Equally good ones come as players, pairs, seasons, then matches, the latest first. "
        "Erased players are not found by their former name.",
        extensions=[PagedField(_result)],
    )
    @cacheable
    async def search(
        self,
        info: Info,
        query: Annotated[str, argument(f"What was typed, at most {reads.LONGEST} characters.")],
        kinds: Annotated[list[SearchKind] | None, argument("Only these kinds; null: all.")] = None,
    ) -> SearchPage:
        if len(query) > reads.LONGEST:
            message = f"`query` has {len(query)} characters; it may have {reads.LONGEST}."
            raise RequestError(message, argument="query")
        return SearchPage(query, reads.KINDS if kinds is None else [kind.value for kind in kinds])
