"""Fields that many types have: references by an id, and values of attributes.

References lead to a match, an event, a player or a pair, or an edition. Values are shown as they are, rounded, or only
to auditors and admins.
"""

from collections.abc import Awaitable, Callable
from operator import attrgetter
from typing import Any, Protocol

from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.object_fields import (
    CompetitorRef,
    EditionRef,
    LogEventRef,
    MatchRef,
    PlayerRef,
    cacheable_field_of,
    field_of,
)
from league.domain.rating import shown


def value_field(kind: Any, description: str, at: str) -> Any:
    """A field of this type with the value of an attribute, also of a nested one such as `outlook.wins`."""
    value_of = attrgetter(at)

    def resolve(self: Any) -> Any:
        return value_of(self)

    return field(resolver=resolve, graphql_type=kind, description=description)


def shown_field(description: str, at: str) -> Any:
    """A rating, or a value of a board, as it is displayed: rounded half up."""
    value_of = attrgetter(at)

    def resolve(self: Any) -> int:
        return shown(value_of(self))

    return field(resolver=resolve, description=description)


def detail_field(description: str, at: str, kind: Any = str) -> Any:
    """A field with a detail of the log, which auditors and admins may read; null for others."""
    value_of = attrgetter(at)

    def resolve(root: Any, info: Info) -> Any:
        value = value_of(root) if info.context.viewer.may("readLogDetails") else None
        return None if value is None else kind(value)

    full_description = f"{description} Null unless the viewer is an auditor or an admin."
    return field(resolver=resolve, graphql_type=kind | None, description=full_description)


class SharedField(Protocol):
    """Declares a field. `at` names the attribute of the object that has the id, or one of an attribute: `row.match_id`.

    `null`: the field may be null, as it is where the object has None in place of the id.
    """

    def __call__(self, description: str, at: str = ..., *, null: bool = False) -> Any: ...


def _found_by(
    kind: Any, load: Callable[[Info, Any], Awaitable[Any]], usually_at: str, field_with: Any = cacheable_field_of
) -> SharedField:
    def declare(description: str, at: str = usually_at, *, null: bool = False) -> Any:
        id_of = attrgetter(at)

        async def resolve(root: Any, info: Info) -> Any:
            id_ = id_of(root)
            return None if id_ is None else await load(info, id_)

        return field_with(kind | None if null else kind, description)(resolve)

    return declare


competitor_field = _found_by(CompetitorRef, loaders.players.competitor, "competitor_id")
edition_field = _found_by(EditionRef, loaders.runs.edition, "edition_hash")
# The log is no part of the read side.
event_field = _found_by(LogEventRef, loaders.matches.event, "position", field_of)
match_field = _found_by(MatchRef, loaders.matches.match, "match_id")
player_field = _found_by(PlayerRef, loaders.players.player, "player_id")
