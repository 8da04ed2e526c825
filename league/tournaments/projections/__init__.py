"""Tournaments as the read side knows them, and the results of a run at their tables."""
