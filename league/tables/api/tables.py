"""Live tables and their seats as a viewer sees them, and the queries for one table and for the lobby."""

from datetime import datetime
from typing import Annotated, Any, Self, TypeAlias

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, Competition, MatchMode, argument, optional
from league.api.graphql.shaping.arguments import known_player, known_ruleset
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import LazyReference, PlayerRef, RulesetRef, field_of, loaded_field
from league.api.graphql.shaping.relay import Connection, Made, Node, connection_of, local_id, paged
from league.api.graphql.shaping.shared_fields import match_field
from league.api.graphql.threads import in_thread
from league.domain.hand import HandFacts
from league.domain.result import result_of
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore
from league.domain.seating import side_of
from league.projections.queries.pages import PageRequest, Query, count, read_page
from league.projections.queries.players import former_ids, players_by_id
from league.tables.api.hands import (
    AiLevel,
    AwaitedThing,
    ClosingReason,
    FinishedHandOfTable,
    HandoverReason,
    PlayedBy,
    RunningHand,
    TablePhase,
)
from league.tables.api.live_tables import (
    Onlooker,
    SeenTable,
    TableId,
    live_tables,
    newest_stories,
    onlooker_of,
    seen_table,
)
from league.tables.domain.proof_of_deal import FinishedHand
from league.tables.domain.state import SeatState
from league.tables.projections import NEWEST_FIRST, LobbyFilter, LobbyRow, lobby


@strawberry.type(description="A seat of a live table: free, or taken by a player or an AI.")
class TableSeat:
    number: int = field(description="From 0 in the order of play, which is counter-clockwise.")
    side: int = field(description="The side that the seat plays for.")
    player_id: str | None = field(
        description="The id in the league of its player; null if the seat is free or has an AI."
    )
    ai_level: AiLevel | None = field(
        description="The level of the AI that has the seat from the start; null if no AI has it."
    )
    ready: bool = field(description="Whether the seat is ready to play. An AI always is.")
    played_by: PlayedBy = field(description="Who makes the moves of the seat now.")
    handed_over: HandoverReason | None = field(
        description="Why an AI plays for the player; null while the player plays. The result counts for the player."
    )
    timeouts: int = field(description="Number of turns in a row in which the player's time ran out.")
    away_since: datetime | None = field(
        description="When the player's connection was lost; null while the player is connected."
    )
    away_seconds: float = field(description="Seconds for which the table can still wait for the player.")

    player = loaded_field(PlayerRef | None, "Its player.", players_by_id, lambda seat: seat.player_id)

    @classmethod
    def of(cls, seat: SeatState, number: int, mode: Mode) -> "TableSeat":
        """A seat of the table's state."""
        return made_of(
            cls,
            seat,
            number=number,
            side=side_of(number, mode),
            player_id=seat.player,
            ai_level=None if seat.level is None else AiLevel(seat.level),
            away_seconds=seat.away_left.total_seconds(),
        )


ScoredTableHand = tuple[FinishedHand, HandFacts, HandScore]


@strawberry.type(description="What a table waits for, and until when. At the deadline the server acts by itself.")
class TableDeadline:
    at: datetime = field(description="The time of the deadline, by the clock of the database.")
    what: AwaitedThing = field(description="What the table waits for.")


@strawberry.type(
    description="A live table, at which the server shuffles, deals, checks each move and keeps the clock. Each viewer "
    "gets their own view: players see their own tiles, and everybody else sees what is public. Admins, scorekeepers "
    "and auditors see what spectators see."
)
class Table(FromRow, Node, key="table", table_id="table", viewer_seat="seat"):
    table_id: str = field(description="The id in the league, which is also the id of its match.")
    ruleset_name: str = field(description="The name of its ruleset, such as `cuban-150`.")
    mode: MatchMode = field(description="The mode of play.")
    competition: Competition = field(description="What its match counts for.")
    listed: bool = field(
        description="Whether everybody can find the table, sit down and watch. Other tables are only for invited "
        "players, seated players, the player who opened it, and those in charge of the league."
    )
    practice: bool = field(
        description="Whether this is a practice table: an AI has a seat from the start, so there is no match."
    )
    phase: TablePhase = field(description="What the table is doing.")
    closed: ClosingReason | None = field(description="Why the table was closed; null while it is not.")
    seats: list[TableSeat] = field(description="The seats, in the order of play.")
    viewer_seat: int | None = field(description="The viewer's seat; null for spectators.")
    opened_at: datetime = field(description="When it was opened.")
    position: BigInt = field(
        description="The position of its last event. Give it to `tableChanged` as `after` to get what comes next."
    )
    seen: strawberry.Private[SeenTable]

    @classmethod
    def of(cls, seen: SeenTable) -> Self:
        """A table as a viewer sees it."""
        view, opening = seen.view, seen.view.opening
        return made_of(
            cls,
            view,
            ruleset_name=opening.ruleset,
            mode=MatchMode(opening.mode),
            competition=Competition(opening.competition),
            listed=opening.listed,
            seats=[TableSeat.of(seat, number, opening.mode) for number, seat in enumerate(view.seats)],
            position=BigInt(seen.position),
            seen=seen,
        )

    opened_by = loaded_field(
        PlayerRef | None,
        "The player who opened it; null if a scorekeeper or an admin did.",
        players_by_id,
        lambda table: table.seen.view.opening.opened_by,
    )

    @field_of(RulesetRef | None, "The rules that it plays by, which no longer change; null before play has begun.")
    def ruleset(self) -> tuple[str, Ruleset] | None:
        rules = self.seen.view.ruleset
        return None if rules is None else (self.ruleset_name, rules)

    @field_of(
        RunningHand | None, "The hand that is being shuffled or played; null before the first and after the last."
    )
    def hand(self) -> object:
        hand = self.seen.view.hand
        return None if hand is None else (self.table_id, hand)

    @field(description="The score of the finished hands, by side; null in rulesets without a score, and before play.")
    def score(self) -> list[int] | None:
        view = self.seen.view
        if view.played is None or view.ruleset is None:
            return None
        score = result_of(view.played, view.ruleset).score
        return None if score is None else list(score)

    @field(description="What the table waits for, and until when; null while it has no deadline.")
    def deadline(self) -> TableDeadline | None:
        due = self.seen.due
        return None if due is None else TableDeadline(at=due.at, what=AwaitedThing(due.what))

    @field_of(list[FinishedHandOfTable], "The hands that have ended, in order.")
    async def finished_hands(self, info: Info) -> list[ScoredTableHand]:
        return await finished_in(info, self.seen)

    match = match_field(
        "The match that it plays; null before play has begun, at a practice table, and for a moment after play has "
        "begun.",
        "table_id",
        null=True,
    )


async def finished_in(info: Info, seen: SeenTable) -> list[ScoredTableHand]:
    """The hands of a table that have ended, with their facts and their scores, in order."""
    view = seen.view
    if view.played is None or view.ruleset is None:
        return []
    hands = await live_tables(info.context).finished_hands.hands(view.table, len(view.played.hands))
    return list(zip(hands, view.played.hands, result_of(view.played, view.ruleset).hands, strict=True))


TableRef: TypeAlias = Annotated["Any", LazyReference("Table", "league.tables.api.tables")]


@strawberry.type
class TableOfMatch:
    match_id: strawberry.Private[str]

    @field_of(TableRef | None, "The live table that plays or played the match; null if the match was recorded by hand.")
    async def table(self, info: Info) -> SeenTable | None:
        return await seen_table(info.context, self.match_id)


# ---------------------------------------------------------------- queries


@strawberry.input(description="Which live tables to list. Null fields match any table.")
class TableFilterInput:
    phase: list[TablePhase] | None = optional("Tables in one of these phases.")
    player: strawberry.ID | None = optional("Tables at which this player sits: global id, or the id in the league.")
    ruleset: str | None = optional("Tables under this ruleset, such as `cuban-150`.")
    mode: MatchMode | None = optional("Tables in this mode.")
    listed: bool | None = optional("True for tables for everybody, false for tables by invitation.")
    practice: bool | None = optional("True for practice tables, false for others.")
    has_free_seat: bool | None = optional("True for tables with a free seat, false for full tables.")

    async def read(self, info: Info) -> LobbyFilter:
        """The filter of the read side. Raises UnknownId."""
        return LobbyFilter(
            phase=None if self.phase is None else tuple(phase.value for phase in self.phase),
            players=None if self.player is None else await _ids_of(info, self.player),
            ruleset=None if self.ruleset is None else await known_ruleset(info, self.ruleset),
            mode=None if self.mode is None else self.mode.value,
            listed=self.listed,
            practice=self.practice,
            has_free_seat=self.has_free_seat,
        )


async def _ids_of(info: Info, player: str) -> tuple[str, ...]:
    """All ids of a player, because a seat has the id under which the player sat down. Raises UnknownId."""
    known = await known_player(info, player, "filter.player")
    return (known, *(await info.context.reader.load(former_ids, known) or ()))


class Lobby(Struct, frozen=True):
    """A page of live tables."""

    rows: Query
    onlooker: Onlooker

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Table]:
        """A page of the tables, each as the viewer sees it. Raises BadCursor."""
        context = info.context
        rows = await context.reader.read(lambda s: read_page(s.conn, LobbyRow, self.rows, NEWEST_FIRST, page))

        async def total() -> int:
            return await context.reader.read(lambda s: count(s.conn, self.rows))

        stories = await in_thread(newest_stories, context, [row.table_id for row in rows.rows])
        by = self.onlooker
        # A table may have changed since the rows were read. If the viewer may no longer see it, it is left out.
        may_see = [row.table_id in stories and stories[row.table_id].may_watch(by) for row in rows.rows]
        shown = rows.only(may_see)
        seen = [stories[row.table_id].seen_by(by) for row in shown.rows]
        return connection_of(shown, seen, node, total)


WantedTables = Annotated[TableFilterInput | None, argument("Which tables; null means all.", name="filter")]


@strawberry.type
class TableQueries:
    @field_of(
        Table | None,
        "A live table as the viewer sees it, also after it was closed; null if it does not exist, or if the viewer may "
        "not see it.",
    )
    async def table(self, info: Info, id: TableId) -> SeenTable | None:  # noqa: A002  # the argument's name in the schema
        return await seen_table(info.context, local_id("Table", id))

    @paged(
        Connection[Table],
        "The live tables that are not closed and that the viewer may see, the newest first.",
    )
    async def tables(self, info: Info, wanted: WantedTables = None) -> Lobby:
        given = LobbyFilter() if wanted is None else await wanted.read(info)
        by = await onlooker_of(info.context)
        return Lobby(lobby(given, by.ids, sees_all=by.viewer.may("watchTables")), by)
