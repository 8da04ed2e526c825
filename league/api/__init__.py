"""The GraphQL API.

`server` takes requests, `schema` puts the features together, one folder a feature has its types, queries and mutations,
`graphql` has what they share (its `loaders` fetch rows, its `references` name types of other features), `auth` checks
tokens and roles. Features do not import each other.
"""
