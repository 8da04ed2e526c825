"""Exit codes of the commands, for scripts."""

SUCCESS = 0
FAILURE = 1
"""The database cannot be reached, a check found a fault, or the program has a bug."""
REFUSED = 2
"""The input is bad, or the rules of the league do not allow the command."""
