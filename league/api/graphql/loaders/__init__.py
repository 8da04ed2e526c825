"""What resolvers ask for: one function a question.

The keys that the rows of a page ask for are gathered into one statement. Loaders answer with rows and structs; the
GraphQL types make themselves of these (`graphql/references.py`).
"""

from league.api.graphql.loaders import badges, explanations, log, matches, players, replays, rules, seasons, series

__all__ = ["badges", "explanations", "log", "matches", "players", "replays", "rules", "seasons", "series"]
