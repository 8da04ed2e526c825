"""Names of competitors, as a field of rows that name a competitor by id."""

from collections.abc import Sequence
from typing import Any

from league.api.graphql.executing.plain_fields import FieldLoad
from league.api.graphql.shaping.object_fields import made_field
from league.domain.player import displayed
from league.domain.seating import players_of
from league.projections.queries.players import PlayerRow, players_by_id


def _players(root: Any) -> Sequence[str]:
    return players_of(root.competitor_id)


def _display_name(root: Any, found: list[PlayerRow | None]) -> str:
    return " & ".join(displayed(row.player_id, row.name) for row in found if row is not None) or root.competitor_id


_NAMES = FieldLoad(players_by_id, _players, _display_name)


def display_name_field() -> Any:
    """The field `displayName` of a type with a `competitor_id`."""
    return made_field(str, "The name to show, as that of `competitor`: for a pair both names. It costs less.", _NAMES)
