"""Live tables in the API: what a viewer sees of a table, its moves, its events, and what its players say."""
