"""The commands on tournaments, and what follows from them."""
