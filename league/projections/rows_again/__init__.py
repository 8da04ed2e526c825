"""Rows that commands write with their events, made again from the whole log."""
