"""The GraphQL API.

`server` receives requests, `schema` combines the features, and each feature has one module or folder with its types,
queries and mutations. `graphql` has what features share (`shaping/loaders` fetch rows, `shaping/object_fields.py` names
types of other features); `auth` checks tokens and roles. Features do not import each other.
"""
