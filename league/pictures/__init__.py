"""Pictures of boards, standings and players: rows in, SVG out, and from it a PNG or a page."""
