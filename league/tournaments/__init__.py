"""Tournaments: who plays whom, at which table, and why. A feature beside the core."""
