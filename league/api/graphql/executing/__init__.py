"""Executes operations: the context, the reader, bounds and prices, cached answers."""
