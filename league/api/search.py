"""Search over players, pairs, seasons and matches."""

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.relay import Connection, Made, Paged, connection_of
from league.api.league.seasons import Season
from league.api.matches.matches import Match
from league.api.players.players import Player, Team
from league.projections.queries import search as reads
from league.projections.queries.catalogue import seasons_by_id
from league.projections.queries.matches import matches_by_id
from league.projections.queries.pages import PageOf, Slice, count, read_page
from league.projections.queries.players import players_by_id
from league.projections.queries.search import Found
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot


@strawberry.enum(description="What a search looks for.")
class SearchKind(Enum):
    PLAYERS = word("player", description="Players, by name or id.")
    TEAMS = word("team", description="Pairs with a rated match, by their players' names or by id.")
    SEASONS = word("season", description="Seasons, by name or id.")
    MATCHES = word(
        "match",
        description="Matches, by the beginning of the id; and by the names of two or more of their players, such as "
        f"`ines gustavo` (of each word the first {reads.MOST_PLAYERS} players count).",
    )


SearchResult = Annotated[
    Player | Team | Season | Match, strawberry.union("SearchResult", description="Something that a search has found.")
]

_MADE: dict[str, Any] = {"player": Player.of, "team": Team.of, "season": Season.of, "match": Match.of}


class SearchPage(Struct, frozen=True):
    """What a query finds, as a pageable list."""

    query: str
    kinds: Sequence[reads.Kind]

    async def page(self, info: Info, page: PageOf, node: Made) -> Connection[Any]:
        """A page of it. Raises BadCursor."""
        reader = info.context.reader
        rows, objects = await reader.read(self._read, page)

        async def total() -> int:
            return await reader.read(short(lambda s: count(s.conn, self._found(s))))

        return connection_of(rows, objects, node, total)

    @short
    def _read(self, snapshot: Snapshot, page: PageOf) -> tuple[Slice[Found], list[Any]]:
        """The page, and what its nodes are made of: one statement for each kind that was found."""
        rows = read_page(snapshot.conn, Found, self._found(snapshot), reads.BEST_FIRST, page)
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


def _node(found: tuple[str, Any]) -> Any:
    kind, row = found
    return _MADE[kind](row)


@strawberry.type
class SearchQueries:
    @field(
        graphql_type=Connection[SearchResult],
        description="What people may mean by a text, the best match first: an id or a whole name, then names that "
        "begin with it, then names with words that begin so, then names that have it inside a word. Of names, "
        "accents and case do not matter; ids are compared as they are. Every word of the text must be found, at most "
        f"{reads.MOST_WORDS} count. Equally good ones come as players, pairs, seasons, then matches, the latest first. "
        "Erased players are not found by their former name.",
        extensions=[Paged(_node)],
    )
    @keepable
    async def search(
        self,
        info: Info,
        query: Annotated[str, strawberry.argument(description=f"What was typed, at most {reads.LONGEST} characters.")],
        kinds: Annotated[
            list[SearchKind] | None, strawberry.argument(description="Only these kinds; null: all.")
        ] = None,
    ) -> SearchPage:
        if len(query) > reads.LONGEST:
            message = f"`query` has {len(query)} characters; it may have {reads.LONGEST}."
            raise RequestError(message, argument="query")
        return SearchPage(query, reads.KINDS if kinds is None else [kind.value for kind in kinds])
