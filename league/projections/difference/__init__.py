"""What two runs of the league say differently, row by row and in figures; computed by SQL when it is read."""
