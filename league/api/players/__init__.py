"""Players and fixed pairs in the API."""
