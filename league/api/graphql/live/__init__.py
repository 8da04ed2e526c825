"""Live updates: notifications of the database, open sessions, results that are computed once for all subscribers."""
