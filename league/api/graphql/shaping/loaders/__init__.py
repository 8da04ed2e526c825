"""Loaders, by which resolvers read: one function per question.

The keys of a page's rows are gathered into one statement. Loaders return rows and structs, from which the GraphQL types
construct themselves (`graphql/shaping/object_fields.py`).
"""

from league.api.graphql.shaping.loaders import matches, players, runs

__all__ = ["matches", "players", "runs"]
