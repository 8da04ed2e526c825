"""Who plays whom: the tables of a round from what was drawn, without I/O. Not the domain, for it needs networkx."""
