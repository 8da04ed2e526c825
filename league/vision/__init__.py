"""Counts the pips on a photo of tiles. Needs the extra `photos`; imports nothing else of the league."""
