"""A list of names before it is registered: which players have these names already, or close ones."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, NamedTuple

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.threads import in_thread
from league.api.players.players import Player
from league.domain.collected_refusals import Faults
from league.domain.player import MOST_REGISTERED, NewPlayer, check_namesake, read_name
from league.domain.player_names import MOST_CLOSE, KnownNames, name_key
from league.domain.sentences import say
from league.domain.texts_and_times import tidied
from league.projections.queries.players import NameInUse, PlayerRow, names_in_use
from league.wording.language import spoken


class NameRow(NamedTuple):
    """A name of a list, with what is known of it."""

    name: str
    fault: str | None
    is_taken: bool
    repeats: int | None
    ids: tuple[str, ...]
    """The players with this name, or else those with close names."""


@strawberry.type(description="A name of a list, before it is registered.")
class CheckedName(FromRow):
    name: str = field(description="The name as it would be stored.")
    fault: str | None = field(description="A sentence that says why it cannot be registered; null if it can.")
    is_taken: bool = field(
        description="Whether a player has this name, regardless of case and accents. Then `registerPlayers` needs "
        "`isNamesake`."
    )
    repeats: int | None = field(
        description="The number, from 0, of the first entry of the list with this name; null for that entry itself. "
        "`registerPlayers` needs `isNamesake` for all others."
    )
    ids: strawberry.Private[tuple[str, ...]]

    @field_of(
        list[Player], f"The players who have this name, or else those with the closest names; at most {MOST_CLOSE}."
    )
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, self.ids)


@strawberry.type
class CheckedNameQueries:
    @field_of(
        list[CheckedName],
        "Names that somebody wants to register, each with the players whom it may mean: a hint for `registerPlayers`, "
        "lest one person be registered twice. Roles: scorekeeper, admin; " + REFUSED_TO_OTHERS,
    )
    async def check_names(
        self, info: Info, names: Annotated[list[str], argument(f"At most {MOST_REGISTERED} names.")]
    ) -> list[NameRow]:
        check_may_read(info.context.viewer, "registerPlayers")
        if len(names) > MOST_REGISTERED:
            message = say("`{argument}` has at most {most} entries.", argument="names", most=MOST_REGISTERED)
            raise RequestError(message, argument="names")
        in_use = await info.context.reader.read(names_in_use)
        return await in_thread(_checked, in_use, names)


def _checked(in_use: Sequence[NameInUse], names: Sequence[str]) -> list[NameRow]:
    players: dict[str, list[str]] = {}
    for one in in_use:
        players.setdefault(one.name, []).append(one.player_id)
    known, rows, first = KnownNames({one.name: one.key for one in in_use}), list[NameRow](), dict[str, int]()
    for number, name in enumerate(names):
        if (fault := _fault_of(name)) is not None:
            rows.append(NameRow(name, fault, is_taken=False, repeats=None, ids=()))
            continue
        equal = known.equal(name)
        meant = dict.fromkeys(player for other in equal or known.closest(name) for player in players[other])
        before = first.setdefault(name_key(name), number)
        repeats = None if before == number else before
        rows.append(NameRow(tidied(name), None, bool(equal), repeats, tuple(meant)[:MOST_CLOSE]))
    return rows


def _fault_of(name: str) -> str | None:
    """Why a list cannot have this name, as a sentence; None if it can."""
    found = Faults.found_by(partial(read_name, name), partial(check_namesake, NewPlayer("", name), ()))
    said = next((fault.said(spoken) for fault in found), None)
    return said and f"{said[:1].upper()}{said[1:]}."
