"""How one scores under a ruleset: each way in words, when it does not count, and an example that the program scores."""
