"""Opening a live table, and closing one at which no match has begun."""

import strawberry
from strawberry import field

from league.api.graphql.enums import Competition, MatchMode
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import NEW_ID, USUAL, Answer, MutationInput, carry_out, mutation, new_id
from league.api.graphql.shaping.user_errors import AlreadyExistsError, MatchOverError
from league.tables.api.table_errors import TooManyTablesError
from league.tables.api.table_success import AtTableInput, TableSuccess, act, table_of
from league.tables.application.table_states import table_state
from league.tables.domain.commands import CloseTable, OpenTable, OpenTableOfMatch

PATHS = {"table": "tableId", "opened_by": None}
"""The input paths of the command's fields. Who opens a table is in the token."""
PATHS_OF_MATCH = {"table": "match", "opened_by": None}
"""The same where the match is there already."""


@strawberry.input(description="A live table to open.")
class OpenTableInput(MutationInput):
    table_id: str | None = field(default=None, description=f"{NEW_ID} Its match gets the same id.")
    ruleset: str = field(description="The name of a ruleset of the edition in force, such as `cuban-150`.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(default=Competition.COMPETITIVE, description="What its match counts for.")
    seats: int | None = field(default=None, description="Among individuals 3 or 4; null: as many as the mode has.")
    listed: bool = field(
        default=True, description="Whether everybody finds it and may sit down; otherwise only those invited."
    )
    invited: list[strawberry.ID] = field(
        default_factory=list, description="Who may sit down at a table that is not listed: players, by either id."
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
        # Those in charge of the league open tables for others.
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
        "Open a live table for a match that is open and has no hands yet, such as one of a tournament. Its players sit "
        "at once; play begins when all are ready. Roles: scorekeeper, admin; player: matches they sit in.",
        of=TableSuccess,
        refusals=(AlreadyExistsError, TooManyTablesError, MatchOverError, *USUAL),
        result="The result of opening a table for a match.",
    )
    async def open_table_of_match(self, info: Info, given: OpenTableOfMatchInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        opened_by = viewer.sub if viewer.reach("openTableOfMatch") == "own" else None

        def players() -> list[str]:
            played = info.context.states().match(match).played
            return [] if played is None else list(played.seats)

        position = await carry_out(
            info, given, lambda: OpenTableOfMatch(match, opened_by), owners=players, owned="match", paths=PATHS_OF_MATCH
        )
        return {"position": position, "table_id": match}

    @mutation(
        "Close a table at which play has not begun. (`voidMatch` and `forfeitMatch` close one that plays.) "
        "Roles: scorekeeper, admin; player: tables that they opened.",
        of=TableSuccess,
        refusals=USUAL,
        result="The result of closing a table.",
    )
    async def close_table(self, info: Info, given: CloseTableInput) -> Answer:
        table = table_of(given)

        def opener() -> list[str]:
            opening = table_state(info.context.states(), table).opening
            return [] if opening is None or opening.opened_by is None else [opening.opened_by]

        position = await act(info, given, table, lambda _: CloseTable(table), opener)
        return {"position": position, "table_id": table}
