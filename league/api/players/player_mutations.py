"""Registering, renaming, moving and erasing players."""

from functools import partial

import strawberry
from msgspec import UNSET
from strawberry import field

from league.api.graphql.executing.accounting import charge_entries
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    USUAL_OF_NEW,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    mutation,
    new_id,
    new_id_of,
)
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.shared_fields import player_field
from league.api.graphql.shaping.user_errors import AlreadyExistsError, ChangedSinceError
from league.api.graphql.threads import in_thread
from league.domain.player import (
    MOST_REGISTERED,
    ErasePlayer,
    MovePlayer,
    NewPlayer,
    RegisterPlayer,
    RegisterPlayers,
    RenamePlayer,
)
from league.eventlog.sealing import PLAYER_STREAM


@strawberry.type(description="A mutation that changed a player.")
class PlayerSuccess(Success):
    player_id: str = field(description="The player's id in the league.")

    player = player_field(
        "The player afterwards; null with an error when the read side does not follow in time.", null=True
    )


@strawberry.input(description="A player to register.")
class RegisterPlayerInput(MutationInput):
    player_id: str | None = optional(NEW_ID)
    name: str = field(description="1 to 100 characters.")
    region: str | None = optional("The player's region.")
    is_namesake: bool | None = optional(
        "Whether this is another person than everybody who has this name. False refuses a name that a player has, "
        "regardless of case and accents; null does not compare names."
    )


@strawberry.type(description="A mutation that registered players.")
class RegisterPlayersSuccess(Success):
    player_ids: list[str] = field(description="The ids in the league, in the order of the input.")


@strawberry.input(description="A player of a list to register.")
class NewPlayerInput:
    player_id: str | None = optional(NEW_ID)
    name: str = field(description="1 to 100 characters.")
    region: str | None = optional("The player's region.")
    is_namesake: bool = field(
        default=False, description="Whether this is another person than everybody who has this name already."
    )


@strawberry.input(description="Players to register. If one of them cannot be registered, none is.")
class RegisterPlayersInput(MutationInput):
    players: list[NewPlayerInput] = field(description=f"At least one player, at most {MOST_REGISTERED}.")


@strawberry.input(description="A player's new name.")
class RenamePlayerInput(OverwritingInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    name: str = field(description="1 to 100 characters.")


@strawberry.input(description="A player's new region.")
class MovePlayerInput(OverwritingInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")
    region: str | None = optional("Null: none.")


@strawberry.input(description="A player to erase.")
class ErasePlayerInput(MutationInput):
    player: strawberry.ID = field(description="Global id, or the id in the league.")


player_mutation = partial(mutation, of=PlayerSuccess, refusals=USUAL)


@strawberry.type
class PlayerMutations:
    @player_mutation(
        "Register a player. Roles: scorekeeper, admin.",
        refusals=(AlreadyExistsError, *USUAL_OF_NEW),
        result="The result of registering a player.",
    )
    async def register_player(self, info: Info, given: RegisterPlayerInput) -> Answer:
        player = new_id(info, given) if given.player_id is None else given.player_id
        command = RegisterPlayer(
            player, given.name, given.region, UNSET if given.is_namesake is None else given.is_namesake
        )
        position = await carry_out(info, given, lambda: command, paths={"player": "playerId"})
        return {"position": position, "player_id": await _changed(info, given, player, position)}

    @mutation(
        "Register a list of players, all or none. A name that a player has already, or that stands in the list before, "
        "is refused unless `isNamesake` says that this is another person; `checkNames` tells which are. Names are "
        "compared regardless of case and accents. Each player after the first costs as much as another mutation. "
        "Roles: scorekeeper, admin.",
        of=RegisterPlayersSuccess,
        refusals=(AlreadyExistsError, *USUAL_OF_NEW),
        result="The result of registering a list of players.",
    )
    async def register_players(self, info: Info, given: RegisterPlayersInput) -> Answer:
        key, sub = given.idempotency_key, info.context.viewer.sub
        ids = [
            new_id_of(sub, key and f"{key}\n{number}") if one.player_id is None else one.player_id
            for number, one in enumerate(given.players)
        ]
        players = [
            NewPlayer(id_, one.name, one.region, one.is_namesake) for id_, one in zip(ids, given.players, strict=True)
        ]
        paths = {f"players.{number}.player": f"players.{number}.playerId" for number in range(len(players))}
        charge_entries(info.context, min(len(players), MOST_REGISTERED))
        position = await carry_out(info, given, lambda: RegisterPlayers(tuple(players)), paths=paths)
        return {"position": position, "player_ids": ids}

    @player_mutation(
        "Change a player's name. Roles: scorekeeper, admin; player: their own.",
        refusals=(ChangedSinceError, *USUAL),
        result="The result of renaming a player.",
    )
    async def rename_player(self, info: Info, given: RenamePlayerInput) -> Answer:
        player = local_id("Player", given.player)
        position = await _carried_out(info, given, RenamePlayer(player, given.name))
        return {"position": position, "player_id": await _changed(info, given, player, position)}

    @player_mutation(
        "Change a player's region. Roles: scorekeeper, admin; player: their own.",
        refusals=(ChangedSinceError, *USUAL),
        result="The result of moving a player.",
    )
    async def move_player(self, info: Info, given: MovePlayerInput) -> Answer:
        player = local_id("Player", given.player)
        position = await _carried_out(info, given, MovePlayer(player, given.region))
        return {"position": position, "player_id": player}

    @player_mutation(
        "Erase a player's names for good. Matches, ratings and region stay, under a pseudonym; the player "
        "cannot enter new matches. Roles: admin; player: themselves.",
        result="The result of erasing a player.",
    )
    async def erase_player(self, info: Info, given: ErasePlayerInput) -> Answer:
        player = local_id("Player", given.player)
        position = await _carried_out(info, given, ErasePlayer(player))
        return {"position": position, "player_id": player}


async def _carried_out(info: Info, given: MutationInput, command: RenamePlayer | MovePlayer | ErasePlayer) -> BigInt:
    """Execute a command that players may send for themselves."""
    return await carry_out(info, given, lambda: command, owners=lambda: [command.player], owned="player")


async def _changed(info: Info, given: MutationInput, player: str, position: int) -> str:
    """The player of the answer. A repeated idempotency key gives the player of its first request."""
    if given.idempotency_key is None:
        return player
    stream = await in_thread(info.context.league.store.stream_at, position)
    return stream.removeprefix(PLAYER_STREAM)
