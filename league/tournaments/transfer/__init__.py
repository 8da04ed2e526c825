"""Tournaments out of the league, and rounds that are checked again from what was written."""
