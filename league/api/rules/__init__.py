"""Editions of the rulebook in the API."""
