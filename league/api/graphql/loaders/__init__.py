"""What resolvers read: one function per question.

The keys of a page's rows are gathered into one statement. Loaders return rows and structs, from which the GraphQL types
construct themselves (`graphql/references.py`).
"""

from league.api.graphql.loaders import (
    badges,
    explanations,
    log,
    matches,
    photos,
    players,
    replays,
    rules,
    seasons,
    series,
    tables,
)

__all__ = [
    "badges",
    "explanations",
    "log",
    "matches",
    "photos",
    "players",
    "replays",
    "rules",
    "seasons",
    "series",
    "tables",
]
