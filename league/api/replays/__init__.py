"""Replays in the API: start, compare, promote, roll back."""
