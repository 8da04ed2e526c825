"""The rules of play: the tiles of a set, the shuffle, the deal, the turns of a hand, and what a seat sees of it."""
