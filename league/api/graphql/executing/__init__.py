"""What executes operations: the context, the reader, bounds and prices, kept answers."""
