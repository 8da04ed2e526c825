"""What is live: notifications of the database, open sessions, results that are computed once for all who watch."""
