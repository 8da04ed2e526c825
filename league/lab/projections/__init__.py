"""Decided matches as columns, the Domino Score over them, and what follows from it."""
