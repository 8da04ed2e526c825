"""Names of competitors, as a field of rows that name a competitor by id."""

from collections.abc import Sequence
from typing import Any

from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.domain.player import displayed
from league.domain.seating import CompetitorId, players_of
from league.projections.queries.players import players_by_id
from league.projections.queries.snapshot import Snapshot, short


@short
def names_by_competitor(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, str]:
    """The names to show for players and pairs that are registered, by id."""
    seats = {id_: players_of(CompetitorId(id_)) for id_ in ids}
    found = players_by_id(snapshot, sorted({player for players in seats.values() for player in players}))
    rows = {id_: [found[player] for player in players if player in found] for id_, players in seats.items()}
    return {id_: " & ".join(displayed(row.player_id, row.name) for row in its) for id_, its in rows.items() if its}


@cacheable
def _display_name(root: Any, info: Info) -> Any:
    reader, id_ = info.context.reader, root.competitor_id
    known = reader.known(names_by_competitor)
    return known[id_] if id_ in known else _loaded(info, id_)


async def _loaded(info: Info, id_: str) -> str:
    return await info.context.reader.load(names_by_competitor, id_) or id_


def display_name_field() -> Any:
    """The field `displayName` of a type with a `competitor_id`."""
    return field(
        resolver=_display_name,
        graphql_type=str,
        description="The name to show, as that of `competitor`: for a pair both names. It costs less.",
    )
