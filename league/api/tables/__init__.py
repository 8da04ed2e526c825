"""Live tables in the API."""
