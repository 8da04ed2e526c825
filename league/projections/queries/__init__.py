"""Queries on the read tables, one module per subject."""
