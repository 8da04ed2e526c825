"""Rules that are tried, in the API."""
