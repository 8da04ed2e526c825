"""Fields whose value is loaded by a key: for a list, the values of all rows are loaded before the rows are resolved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.keepable import keepable
from league.api.graphql.references import maker_of
from league.projections.queries.snapshot import Snapshot


class Load(Struct, frozen=True):
    """How the value of a field is loaded."""

    ask: Callable[[Snapshot, Sequence[Any]], Mapping[Any, Any]]
    key: Callable[[Any], Any]
    make: Callable[[Any], Any]


def loaded_field(
    kind: Any,
    description: str,
    ask: Callable[[Snapshot, Sequence[Any]], Mapping[Any, Any]],
    key: Callable[[Any], Any],
) -> Any:
    """A field of this type, `X` or `X | None`, whose value one question answers by one key.

    `ask` finds what `X.of` accepts for many keys at once, in the official run's tables; `key` is the key of an object,
    or None where the field is null. For a list, such fields of all of its rows are loaded together before the rows are
    resolved, and then cost as little as attributes. Prefer it to `field_of` with a loader wherever it is enough.
    """
    load = Load(ask, key, maker_of(kind))

    @keepable
    async def resolve(root: Any, info: Info) -> Any:
        wanted = load.key(root)
        found = None if wanted is None else await info.context.reader.load(load.ask, wanted)
        return None if found is None else load.make(found)

    resolve.load = load  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return field(resolver=resolve, graphql_type=kind, description=description)
