"""What a feature adds to the schema."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.relay import Node
from league.api.graphql.shaping.user_errors import RefusalHandler

FoundBy = tuple[Callable[[Info, str], Awaitable[Any]], Callable[[Any], Node]]
"""Loads an object by its id in the league, and makes the type of the schema from it."""


class SchemaPart(Struct, frozen=True):
    """Types that are joined with those of the core."""

    queries: tuple[type, ...] = ()
    mutations: tuple[type, ...] = ()
    subscriptions: tuple[type, ...] = ()
    types: tuple[type, ...] = ()
    """Those that no field returns: members of interfaces."""
    refusals: tuple[RefusalHandler, ...] = ()
    nodes: dict[str, FoundBy] = {}
    """By the name of a type whose objects have a global id."""
