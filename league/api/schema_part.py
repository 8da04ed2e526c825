"""How features extend the API: with fields on types of the core, and with their own types, operations and addresses."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Literal, TypeAlias

import psycopg
import strawberry
from msgspec import Struct
from prometheus_client import Metric
from starlette.routing import BaseRoute

from league.api.graphql.executing.context import Context, Info, Process
from league.api.graphql.shaping.relay import Node
from league.api.graphql.shaping.user_errors import ErrorTypes, UserError
from league.domain.hand import HandFacts
from league.domain.rules import Mode
from league.features import declared
from league.projections.queries.matches import MatchWatch
from league.projections.queries.snapshot import Snapshot

FoundBy = tuple[Callable[[Info, str], Awaitable[Any]], Callable[[Any], Node]]
"""Loads an object by its id in the league, and makes the type of the schema from it."""
Filled: TypeAlias = Callable[[HandFacts, int, Mode], HandFacts]
"""The facts of a hand of the match, given its number and the mode, with what photos show. Raises Refusal."""
Fill: TypeAlias = Callable[[Context, str, Sequence[strawberry.ID]], Awaitable[Filled]]
"""Fills in facts from the named photos of a match. Raises NotFound for a photo that the viewer may not see."""


class FieldPart(Struct, frozen=True, kw_only=True):
    """Types of Strawberry whose fields a feature adds to types of the core.

    It is imported by the modules of these types, and imports none of them.
    """

    place: ClassVar[str] = "fields"
    match: type | None = None
    hand: type | None = None
    player: type | None = None
    team: type | None = None
    match_errors: tuple[type[UserError], ...] = ()
    """Errors that its rules add to mutations of a match."""


def added_to(kind: Literal["match", "hand", "player", "team"]) -> list[type]:
    """The types whose fields features add to one of the core."""
    return [fields for part in declared(FieldPart) if (fields := getattr(part, kind)) is not None]


class SchemaPart(Struct, frozen=True, kw_only=True):
    """The parts that a feature adds to the schema, and to the server around it."""

    place: ClassVar[str] = "schema"
    queries: tuple[type, ...] = ()
    mutations: tuple[type, ...] = ()
    subscriptions: tuple[type, ...] = ()
    types: tuple[type, ...] = ()
    """Types that no field returns: members of interfaces."""
    refusals: ErrorTypes = {}
    """The GraphQL type of each refusal of the feature."""
    nodes: dict[str, FoundBy] = {}
    """How to find an object by its global id, by the name of its type."""
    evidence: Fill | None = None
    """Fills in the facts of a hand from the photos that an input names."""
    has_bell: Callable[[Snapshot, Sequence[str]], dict[str, bool]] | None = None
    """Which matches end with the time of a round."""
    waiting: Mapping[str, tuple[str, Callable[[Snapshot], int]]] = {}
    """What waits for a decision, by kind: the permission to decide it, and how many there are."""
    titles: Mapping[str, Callable[[Snapshot, Sequence[str]], Mapping[str, str]]] = {}
    """Reads the titles of what its streams are about, by id; by the beginning of the streams' names."""
    match_watch: MatchWatch | None = None
    """Tells `matchChanged` about what the feature computes for a match."""
    channels: tuple[str, ...] = ()
    """Channels of the database for whose notifications its subscriptions wait."""
    shared: Callable[[Process], object] | None = None
    """Makes what the requests to a process share."""
    endpoints: Callable[[Process], Sequence[BaseRoute]] | None = None
    """Addresses that it answers beside GraphQL."""
    serving: Callable[[Process], AbstractContextManager[None]] | None = None
    """A context that is open while a process answers requests."""
    figures: Callable[[psycopg.Connection[Any]], Iterator[Metric]] | None = None
    """Figures of the database for `/metrics`."""
