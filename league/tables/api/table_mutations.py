"""The mutations of live tables (opening, sitting down, shuffling, playing), and the feature's part of the schema."""

from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import Competition, MatchMode, Tile, optional
from league.api.graphql.shaping.mutations import NEW_ID, USUAL, Answer, MutationInput, carry_out, mutation, new_id
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import AlreadyExistsError, MatchOverError, SeriesLockedError
from league.api.schema_part import SchemaPart
from league.tables.api.acting import (
    TABLE_REFUSALS,
    AtTableInput,
    HandOverError,
    NotInvitedError,
    NotSeatedError,
    NotYourTurnError,
    PhraseMutations,
    PhraseQueries,
    SeatOccupiedError,
    TableSuccess,
    TileDoesNotFitError,
    TileNotHeldError,
    TooManyTablesError,
    TurnTakenError,
    act,
)
from league.tables.api.hands import AiLevel, ChainEnd
from league.tables.api.live_tables import SeenTable, figures, seen_table, serving, shared
from league.tables.api.table_changes import MOMENTS, PhraseSaid, TableSubscriptions
from league.tables.api.tables import Table, TableQueries
from league.tables.application.live_rows import table_state
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    CloseTable,
    ContributeSeed,
    LeaveSeat,
    OpenTable,
    OpenTableOfMatch,
    PlayTile,
    SayReady,
    SeatAI,
    TakeSeat,
)

PATHS = {"table": "tableId", "opened_by": None}
"""Maps fields of the command to fields of the input. The opener is not in the input, because the token names them."""
PATHS_OF_MATCH = {"table": "match", "opened_by": None}
"""Maps fields of the command to fields of the input of `openTableOfMatch`."""


@strawberry.input(description="A live table to open.")
class OpenTableInput(MutationInput):
    table_id: str | None = optional(f"{NEW_ID} Its match gets the same id.")
    ruleset: str = field(description="The name of a ruleset of the edition in force, such as `cuban-150`.")
    mode: MatchMode = field(description="The mode of play.")
    competition: Competition = field(default=Competition.COMPETITIVE, description="What its match counts for.")
    seats: int | None = optional("Number of seats for individuals, 3 or 4; null means the number of the mode.")
    listed: bool = field(
        default=True,
        description="Whether everybody can find the table and sit down. Otherwise only invited players can.",
    )
    invited: list[strawberry.ID] = field(
        default_factory=list,
        description="Players who may sit down at a table that is not listed: global ids, or ids in the league.",
    )

    def read(self, table: str, opened_by: str | None) -> OpenTable:
        """The input as the domain's type."""
        invited = tuple(local_id("Player", player) for player in self.invited)
        mode, competition = self.mode.value, self.competition.value
        return OpenTable(table, self.ruleset, mode, competition, self.seats, opened_by, self.listed, invited)


@strawberry.input(description="An open match to play at a live table.")
class OpenTableOfMatchInput(MutationInput):
    match: strawberry.ID = field(description="Global id, or the match's id in the league.")


@strawberry.input(description="A table to close.")
class CloseTableInput(AtTableInput):
    pass


@strawberry.type
class TableMutations:
    @mutation(
        "Open a live table. Roles: player, scorekeeper, admin.",
        of=TableSuccess,
        refusals=(AlreadyExistsError, TooManyTablesError, *USUAL),
        result="The result of opening a table.",
    )
    async def open_table(self, info: Info, given: OpenTableInput) -> Answer:
        viewer = info.context.viewer
        table = new_id(info, given) if given.table_id is None else given.table_id
        # A viewer in charge of the league opens the table for others, so it has no opener.
        opened_by = viewer.sub if viewer.reach("openTable") == "own" else None
        sub = viewer.sub or ""
        position = await carry_out(
            info,
            given,
            lambda: given.read(table, opened_by),
            owners=lambda: [sub],
            match=table,
            paths=PATHS,
        )
        return {"position": position, "table_id": table}

    @mutation(
        "Open a live table for an open match that has no hands yet, such as a match of a tournament. Its players have "
        "their seats at once; play begins when all are ready. Roles: scorekeeper, admin; player: matches they sit in.",
        of=TableSuccess,
        refusals=(AlreadyExistsError, TooManyTablesError, MatchOverError, *USUAL),
        result="The result of opening a table for a match.",
    )
    async def open_table_of_match(self, info: Info, given: OpenTableOfMatchInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        opened_by = viewer.sub if viewer.reach("openTableOfMatch") == "own" else None
        command = OpenTableOfMatch(match, opened_by)
        seated = partial(info.context.seated, match)
        position = await carry_out(info, given, lambda: command, owners=seated, owned="match", paths=PATHS_OF_MATCH)
        return {"position": position, "table_id": match}

    @mutation(
        "Close a table at which play has not begun. (`voidMatch` and `forfeitMatch` close a table in play.) "
        "Roles: scorekeeper, admin; player: tables that they opened.",
        of=TableSuccess,
        refusals=USUAL,
        result="The result of closing a table.",
    )
    async def close_table(self, info: Info, given: CloseTableInput) -> Answer:
        def opener() -> list[str]:
            opening = table_state(info.context.states(), given.local).opening
            return [] if opening is None or opening.opened_by is None else [opening.opened_by]

        return await act(info, given, lambda _: CloseTable(given.local), opener)


@strawberry.input(description="A seat to sit down at.")
class TakeSeatInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play. In 2v2 seats 0 and 2 play against seats 1 and 3.")


@strawberry.input(description="A seat for an AI.")
class SeatAiInput(AtTableInput):
    seat: int = field(description="From 0 in the order of play.")
    level: AiLevel = field(default=AiLevel.HEURISTIC, description="How well it plays.")


@strawberry.input(description="A table to leave.")
class LeaveSeatInput(AtTableInput):
    pass


@strawberry.input(description="A table at which you are ready to play.")
class SayReadyInput(AtTableInput):
    pass


@strawberry.type
class SeatMutations:
    @mutation(
        "Sit down at a free seat. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(SeatOccupiedError, NotInvitedError, TooManyTablesError, SeriesLockedError, *USUAL),
        result="The result of sitting down.",
    )
    async def take_seat(self, info: Info, given: TakeSeatInput) -> Answer:
        return await act(info, given, lambda player: TakeSeat(given.local, given.seat, player))

    @mutation(
        "Let an AI sit down at a free seat. This makes the table a practice table. Roles: scorekeeper, "
        "admin; player: at tables that they opened or sit at.",
        of=TableSuccess,
        refusals=(SeatOccupiedError, *USUAL),
        result="The result of seating an AI.",
    )
    async def seat_ai(self, info: Info, given: SeatAiInput) -> Answer:
        def hosts() -> list[str]:
            state = table_state(info.context.states(), given.local)
            opened_by = None if state.opening is None else state.opening.opened_by
            return [player for player in (opened_by, *(seat.player for seat in state.seats)) if player is not None]

        level = given.level.value
        return await act(info, given, lambda _: SeatAI(given.local, given.seat, level), hosts)

    @mutation(
        "Leave the table. Before play begins, the seat becomes free. Later, an AI plays on for you at once, "
        "and the result still counts for you. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, *USUAL),
        result="The result of leaving a seat.",
    )
    async def leave_seat(self, info: Info, given: LeaveSeatInput) -> Answer:
        return await act(info, given, lambda player: LeaveSeat(given.local, player))

    @mutation(
        "Say that you are ready. When all seats are, play begins. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, SeriesLockedError, *USUAL),
        result="The result of saying that you are ready.",
    )
    async def say_ready(self, info: Info, given: SayReadyInput) -> Answer:
        return await act(info, given, lambda player: SayReady(given.local, player))


@strawberry.input(description="Your contribution to the seed of a hand.")
class ContributeSeedInput(AtTableInput):
    hand: int = field(description="The number of the hand.")
    contribution: str = field(description="32 random bytes, as 64 hexadecimal digits.")


@strawberry.input(description="An offer to have a hand dealt anew, to accept.")
class AcceptReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.input(description="An offer to have a hand dealt anew, to decline.")
class DeclineReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.type
class ShuffleMutations:
    @mutation(
        "Add 32 random bytes to the seed of a hand, after its commitment was published. A contribution that does not "
        "come in time counts as zeros. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of contributing to the seed.",
    )
    async def contribute_seed(self, info: Info, given: ContributeSeedInput) -> Answer:
        return await act(
            info, given, lambda player: ContributeSeed(given.local, player, given.hand, given.contribution)
        )

    @mutation(
        "Accept the offer to have all hands dealt anew. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of accepting a reshuffle.",
    )
    async def accept_reshuffle(self, info: Info, given: AcceptReshuffleInput) -> Answer:
        return await act(info, given, lambda player: AnswerReshuffle(given.local, player, given.hand, accept=True))

    @mutation(
        "Decline the offer of a reshuffle and keep your tiles. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of declining a reshuffle.",
    )
    async def decline_reshuffle(self, info: Info, given: DeclineReshuffleInput) -> Answer:
        return await act(info, given, lambda player: AnswerReshuffle(given.local, player, given.hand, accept=False))


@strawberry.input(description="A move: a tile of yours, and the end of the chain that it goes on.")
class PlayTileInput(AtTableInput):
    hand: int = field(description="The number of the hand, `hand { number }` of the table.")
    turn: int = field(description="The number of the turn, `hand { turn }` of the table.")
    tile: Tile = field(description="The tile, its halves in either order.")
    end: ChainEnd | None = optional("The end; null for the first tile of the hand.")


@strawberry.type
class MoveMutations:
    @mutation(
        "Play a tile. If the same move is sent again, it gets the first answer. A different move for the same turn is "
        "refused. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(
            NotSeatedError,
            NotYourTurnError,
            TurnTakenError,
            TileNotHeldError,
            TileDoesNotFitError,
            HandOverError,
            *USUAL,
        ),
        result="The result of a move.",
    )
    async def play_tile(self, info: Info, given: PlayTileInput) -> Answer:
        end = None if given.end is None else given.end.value
        return await act(
            info, given, lambda player: PlayTile(given.local, player, given.hand, given.turn, given.tile, end)
        )


# ---------------------------------------------------------------- the schema


async def _table(info: Info, local: str) -> SeenTable | None:
    # A table is read from the log, not from the read tables, and each viewer sees another view.
    return await seen_table(info.context.beyond_the_state(), local)


SCHEMA = SchemaPart(
    queries=(TableQueries, PhraseQueries),
    mutations=(TableMutations, SeatMutations, ShuffleMutations, MoveMutations, PhraseMutations),
    subscriptions=(TableSubscriptions,),
    types=(*MOMENTS, PhraseSaid),
    refusals=TABLE_REFUSALS,
    nodes={"Table": (_table, Table.of)},
    shared=shared,
    serving=serving,
    figures=figures,
)
