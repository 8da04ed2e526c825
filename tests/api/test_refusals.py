"""Refusals of the domain as types of the API."""

from __future__ import annotations

from collections.abc import Iterator

from graphql import GraphQLUnionType

from league.api.graphql.shaping.user_errors import IN_EVERY_UNION, REFUSALS
from league.api.matches.disputes import DISPUTE_REFUSALS
from league.api.players.merges import MERGE_REFUSALS
from league.api.schema import schema
from league.domain.collected_refusals import SeasonRefused, SheetRefused
from league.domain.refusals import DatabaseNotEmpty, NoLeague, Refusal
from league.nights.api import REFUSALS as NIGHT_REFUSALS
from league.tables.api.acting import TABLE_REFUSALS
from league.tables.domain.refusals import ClockStands, NothingDue
from league.tournaments.api.tournament_mutations import REFUSALS as TOURNAMENT_REFUSALS

NEVER_IN_THE_API = {
    DatabaseNotEmpty: "only `league restore` loads a backup",
    NoLeague: "only the command line looks for a league; the server creates one",
    ClockStands: "only the clock of live tables sends such commands",
    NothingDue: "only the clock of live tables meets deadlines",
    SheetRefused: "only `league import` and `POST /sheets` import a sheet",
    SeasonRefused: "only `league import` imports a season",
}


def kinds(of: type[Refusal]) -> Iterator[type[Refusal]]:
    """Every kind of refusal below one."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_refusal_has_a_type_or_never_comes_to_the_api() -> None:
    """A new kind of refusal needs a GraphQL type, unless no mutation can raise it."""
    handled = (
        *REFUSALS, *TABLE_REFUSALS, *TOURNAMENT_REFUSALS, *DISPUTE_REFUSALS, *MERGE_REFUSALS, *NIGHT_REFUSALS,
    )  # fmt: skip
    assert {kind for kind in kinds(Refusal) if not issubclass(kind, handled)} == set(NEVER_IN_THE_API)


def test_every_union_with_a_refusal_has_a_handler() -> None:
    """A handler is found by a type of the union. Without one, the union's refusals would be unexpected errors."""
    handled = {error.__name__ for error in IN_EVERY_UNION}
    for union in schema._schema.type_map.values():
        if isinstance(union, GraphQLUnionType):
            errors = {kind.name for kind in union.types if any(each.name == "UserError" for each in kind.interfaces)}
            assert not errors or errors & handled, union.name
