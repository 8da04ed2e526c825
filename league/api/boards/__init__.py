"""Leaderboards in the API."""
