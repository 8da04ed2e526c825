"""Tournaments in the API."""
