"""Sentences for people, made from keys and values."""
