"""Reviews in the API."""
