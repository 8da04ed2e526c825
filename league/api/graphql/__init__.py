"""What all features of the GraphQL API share: the schema, Relay, ids, scalars, errors, limits and the reader."""
