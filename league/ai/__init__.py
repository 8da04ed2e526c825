"""The players of a seat: each chooses a play from what its seat sees, and from nothing else."""
