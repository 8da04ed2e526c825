"""Photos of leftover tiles: their events, commands and decisions, and what they say about a hand."""
