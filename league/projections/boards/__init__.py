"""Leaderboards: which there are, who is on them and in which order."""
