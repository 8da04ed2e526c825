"""Settings, the database, the embedded PostgreSQL and logs."""
