"""The GraphQL layer that all features share: the shape of the schema, the execution of operations, live updates."""
