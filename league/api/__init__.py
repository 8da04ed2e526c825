"""The GraphQL API.

`server` receives requests, `schema` combines the features, and each feature has one module or folder with its types,
queries and mutations. `graphql` has what features share (its `loaders` fetch rows, its `references` name types of
other features); `auth` checks tokens and roles. Features do not import each other.
"""
