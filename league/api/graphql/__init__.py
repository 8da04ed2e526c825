"""What all parts of the GraphQL API share: what shapes the schema, what executes operations, and what is live."""
