"""How two runs of the league differ, row by row and in figures; computed by SQL on read."""
