"""What resolvers read: one function per question.

The keys of a page's rows are gathered into one statement. Loaders return rows and structs, from which the GraphQL types
construct themselves (`graphql/shaping/references.py`).
"""

from league.api.graphql.shaping.loaders import (
    badges,
    explanations,
    log,
    matches,
    players,
    replays,
    rules,
    seasons,
    series,
)

__all__ = [
    "badges",
    "explanations",
    "log",
    "matches",
    "players",
    "replays",
    "rules",
    "seasons",
    "series",
]
