"""Fields that many types have: a match, an event, a player or a pair, and an edition, each by its id in the object."""

from collections.abc import Awaitable, Callable
from operator import attrgetter
from typing import Any, Protocol

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.kept_answers import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.object_fields import (
    CompetitorRef,
    EditionRef,
    LogEventRef,
    MatchRef,
    PlayerRef,
    field_of,
)


class SharedField(Protocol):
    """Declares a field. `at` names the attribute of the object that has the id, or one of an attribute: `row.match_id`.

    `null`: the field may be null, as it is where the object has None in place of the id.
    """

    def __call__(self, description: str, at: str = ..., *, null: bool = False) -> Any: ...


def _found_by(
    kind: Any, load: Callable[[Info, Any], Awaitable[Any]], usually_at: str, *, may_be_kept: bool = True
) -> SharedField:
    def declare(description: str, at: str = usually_at, *, null: bool = False) -> Any:
        id_of = attrgetter(at)

        async def resolve(root: Any, info: Info) -> Any:
            id_ = id_of(root)
            return None if id_ is None else await load(info, id_)

        return field_of(kind | None if null else kind, description)(keepable(resolve) if may_be_kept else resolve)

    return declare


competitor_field = _found_by(CompetitorRef, loaders.players.competitor, "competitor_id")
edition_field = _found_by(EditionRef, loaders.runs.edition, "edition_hash")
# The log is no part of the read side.
event_field = _found_by(LogEventRef, loaders.matches.event, "position", may_be_kept=False)
match_field = _found_by(MatchRef, loaders.matches.match, "match_id")
player_field = _found_by(PlayerRef, loaders.players.player, "player_id")
