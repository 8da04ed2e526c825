"""Requests for reviews."""
