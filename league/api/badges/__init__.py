"""Badges in the API."""
