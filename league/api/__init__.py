"""The GraphQL API: one module a feature with its types, queries and mutations; the rest is what they share."""
