"""The live table: the engine of a hand, the shuffle, and the table's events, commands, decisions and views."""
