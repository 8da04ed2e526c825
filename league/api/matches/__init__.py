"""Matches and hands in the API."""
