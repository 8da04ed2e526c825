"""The monthly series in the API."""
