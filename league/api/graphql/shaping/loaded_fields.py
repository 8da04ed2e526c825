"""Fields whose value is loaded by a key: what the rows of a list ask for meanwhile is one question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.executing.plain_fields import Load
from league.api.graphql.executing.reader import Reader
from league.api.graphql.shaping.references import maker_of
from league.projections.queries.snapshot import Snapshot


def loaded_field(
    kind: Any,
    description: str,
    ask: Callable[[Snapshot, Sequence[Any]], Mapping[Any, Any]],
    key: Callable[[Any], Any],
) -> Any:
    """A field of this type, `X` or `X | None`, whose value one question answers by one key.

    `ask` finds what `X.of` accepts for many keys at once, in the official run's tables; `key` is the key of an object,
    or None where the field is null. Prefer it to `field_of` with a loader wherever it is enough.
    """
    load = Load(ask, key, maker_of(kind))

    def made(found: Any) -> Any:
        return None if found is None else load.make(found)

    async def loaded(reader: Reader, wanted: Any) -> Any:
        return made(await reader.load(load.ask, wanted))

    @keepable
    def resolve(root: Any, info: Info) -> Any:
        wanted = load.key(root)
        if wanted is None:
            return None
        reader = info.context.reader
        known = reader.known(load.ask)
        return made(known[wanted]) if wanted in known else loaded(reader, wanted)

    resolve.load = load  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return field(resolver=resolve, graphql_type=kind, description=description)
