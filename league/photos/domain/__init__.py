"""Photos of leftover tiles: their events, commands and decisions, and photos as evidence of a hand."""
