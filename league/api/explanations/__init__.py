"""Explanations in the API."""
