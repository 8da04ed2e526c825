"""What the features of the GraphQL API share: loaders, references, Relay, ids, scalars, errors, limits, the reader."""
