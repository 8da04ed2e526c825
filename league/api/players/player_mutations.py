"""Registering, renaming, moving and erasing players."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, NEW_ID, MutationInput, Success, carry_out, new_id
from league.api.graphql.references import field_of
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.players.players import Player
from league.domain.player import ErasePlayer, MovePlayer, RegisterPlayer, RenamePlayer
from league.projections.queries.players import PlayerRow


@strawberry.interface(description="A mutation that changed a player.")
class PlayerSuccess(Success):
    player_id: str = field(description="The player's id in the league.")

    @field_of(Player | None, "The player afterwards; null with an error when the read side does not follow in time.")
    async def player(self, info: Info) -> PlayerRow | None:
        return await loaders.players.player(info, self.player_id)


OnPlayerErrors = (
    InvalidInputError | NotFoundError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError
)  # fmt: skip


@strawberry.input(description="A player to be registered.")
class RegisterPlayerInput(MutationInput):
    player_id: str | None = field(default=None, description=NEW_ID)
    name: str = field(description="1 to 100 characters.")
    region: str | None = field(default=None, description="Where the player plays.")


@strawberry.type(description="The player is registered.")
class RegisterPlayerSuccess(PlayerSuccess):
    pass


RegisterPlayerPayload = Annotated[
    RegisterPlayerSuccess
    | InvalidInputError
    | AlreadyExistsError
    | WrongStateError
    | KeyReusedError
    | ConflictError
    | ForbiddenError,
    strawberry.union("RegisterPlayerPayload", description="How registering a player ended."),
]


@strawberry.input(description="A player's new name.")
class RenamePlayerInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    name: str = field(description="1 to 100 characters.")


@strawberry.type(description="The player goes by the new name.")
class RenamePlayerSuccess(PlayerSuccess):
    pass


RenamePlayerPayload = Annotated[
    RenamePlayerSuccess | OnPlayerErrors,
    strawberry.union("RenamePlayerPayload", description="How renaming a player ended."),
]


@strawberry.input(description="A player's new region.")
class MovePlayerInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    region: str | None = field(default=None, description="Null: none.")


@strawberry.type(description="The player plays in the new region.")
class MovePlayerSuccess(PlayerSuccess):
    pass


MovePlayerPayload = Annotated[
    MovePlayerSuccess | OnPlayerErrors,
    strawberry.union("MovePlayerPayload", description="How moving a player ended."),
]


@strawberry.input(description="A player to be forgotten.")
class ErasePlayerInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="The player's names can no longer be read. This cannot be undone.")
class ErasePlayerSuccess(PlayerSuccess):
    pass


ErasePlayerPayload = Annotated[
    ErasePlayerSuccess | OnPlayerErrors,
    strawberry.union("ErasePlayerPayload", description="How erasing a player ended."),
]


@strawberry.type
class PlayerMutations:
    @strawberry.mutation(description="Add a player. Roles: scorekeeper, admin.")
    async def register_player(self, info: Info, given: Annotated[RegisterPlayerInput, INPUT]) -> RegisterPlayerPayload:
        player = given.player_id or new_id(info, given)
        position = await carry_out(
            info,
            "registerPlayer",
            given,
            lambda: RegisterPlayer(player, given.name, given.region),
            paths={"player": "playerId"},
        )
        return RegisterPlayerSuccess(position=position, player_id=player)

    @strawberry.mutation(description="Change a player's name. Roles: scorekeeper, admin; player: their own.")
    async def rename_player(self, info: Info, given: Annotated[RenamePlayerInput, INPUT]) -> RenamePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(
            info, "renamePlayer", given, lambda: RenamePlayer(player, given.name), owners=lambda: [player]
        )
        return RenamePlayerSuccess(position=position, player_id=player)

    @strawberry.mutation(description="Change a player's region. Roles: scorekeeper, admin; player: their own.")
    async def move_player(self, info: Info, given: Annotated[MovePlayerInput, INPUT]) -> MovePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(
            info, "movePlayer", given, lambda: MovePlayer(player, given.region), owners=lambda: [player]
        )
        return MovePlayerSuccess(position=position, player_id=player)

    @strawberry.mutation(
        description="Forget a player's names for ever. Matches, ratings and region stay, under a pseudonym; the player "
        "is seated in no new match. Roles: admin; player: themselves."
    )
    async def erase_player(self, info: Info, given: Annotated[ErasePlayerInput, INPUT]) -> ErasePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(info, "erasePlayer", given, lambda: ErasePlayer(player), owners=lambda: [player])
        return ErasePlayerSuccess(position=position, player_id=player)
