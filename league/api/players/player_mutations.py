"""Registering, renaming, moving and erasing players."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, NEW_ID, MutationInput, OverwritingInput, Success, carry_out, new_id
from league.api.graphql.references import field_of
from league.api.graphql.threads import in_thread
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ChangedSinceError,
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.players.players import Player
from league.domain.player import ErasePlayer, MovePlayer, RegisterPlayer, RenamePlayer
from league.eventlog.sealing import PLAYER_STREAM
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


@strawberry.input(description="A player to register.")
class RegisterPlayerInput(MutationInput):
    player_id: str | None = field(default=None, description=NEW_ID)
    name: str = field(description="1 to 100 characters.")
    region: str | None = field(default=None, description="The player's region.")


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
    strawberry.union("RegisterPlayerPayload", description="The result of registering a player."),
]


@strawberry.input(description="A player's new name.")
class RenamePlayerInput(OverwritingInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    name: str = field(description="1 to 100 characters.")


@strawberry.type(description="The player has the new name.")
class RenamePlayerSuccess(PlayerSuccess):
    pass


RenamePlayerPayload = Annotated[
    RenamePlayerSuccess | ChangedSinceError | OnPlayerErrors,
    strawberry.union("RenamePlayerPayload", description="The result of renaming a player."),
]


@strawberry.input(description="A player's new region.")
class MovePlayerInput(OverwritingInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    region: str | None = field(default=None, description="Null: none.")


@strawberry.type(description="The player has the new region.")
class MovePlayerSuccess(PlayerSuccess):
    pass


MovePlayerPayload = Annotated[
    MovePlayerSuccess | ChangedSinceError | OnPlayerErrors,
    strawberry.union("MovePlayerPayload", description="The result of moving a player."),
]


@strawberry.input(description="A player to erase.")
class ErasePlayerInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="The player's names can no longer be read. This cannot be undone.")
class ErasePlayerSuccess(PlayerSuccess):
    pass


ErasePlayerPayload = Annotated[
    ErasePlayerSuccess | OnPlayerErrors,
    strawberry.union("ErasePlayerPayload", description="The result of erasing a player."),
]


@strawberry.type
class PlayerMutations:
    @strawberry.mutation(description="Register a player. Roles: scorekeeper, admin.")
    async def register_player(self, info: Info, given: Annotated[RegisterPlayerInput, INPUT]) -> RegisterPlayerPayload:
        player = new_id(info, given) if given.player_id is None else given.player_id
        position = await carry_out(
            info,
            "registerPlayer",
            given,
            lambda: RegisterPlayer(player, given.name, given.region),
            paths={"player": "playerId"},
        )
        return RegisterPlayerSuccess(position=position, player_id=await _changed(info, given, player, position))

    @strawberry.mutation(description="Change a player's name. Roles: scorekeeper, admin; player: their own.")
    async def rename_player(self, info: Info, given: Annotated[RenamePlayerInput, INPUT]) -> RenamePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(
            info,
            "renamePlayer",
            given,
            lambda: RenamePlayer(player, given.name),
            owners=lambda: [player],
            owned="player",
        )
        return RenamePlayerSuccess(position=position, player_id=await _changed(info, given, player, position))

    @strawberry.mutation(description="Change a player's region. Roles: scorekeeper, admin; player: their own.")
    async def move_player(self, info: Info, given: Annotated[MovePlayerInput, INPUT]) -> MovePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(
            info, "movePlayer", given, lambda: MovePlayer(player, given.region), owners=lambda: [player], owned="player"
        )
        return MovePlayerSuccess(position=position, player_id=player)

    @strawberry.mutation(
        description="Erase a player's names for good. Matches, ratings and region stay, under a pseudonym; the player "
        "cannot enter new matches. Roles: admin; player: themselves."
    )
    async def erase_player(self, info: Info, given: Annotated[ErasePlayerInput, INPUT]) -> ErasePlayerPayload:
        player = local_id("Player", given.player)
        position = await carry_out(
            info, "erasePlayer", given, lambda: ErasePlayer(player), owners=lambda: [player], owned="player"
        )
        return ErasePlayerSuccess(position=position, player_id=player)


async def _changed(info: Info, given: MutationInput, player: str, position: int) -> str:
    """The player of the answer. The key of an erased player's name gives its first answer to any input."""
    if given.idempotency_key is None:
        return player
    stream = await in_thread(info.context.league.store.stream_at, position)
    return stream.removeprefix(PLAYER_STREAM)
