"""Runs beside the official one: replays under other rules, previews, what-ifs."""
