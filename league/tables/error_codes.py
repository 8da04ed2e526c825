"""The codes of the refusals of a live table."""

ERROR_CODES = {
    "NOT_SEATED": "You have no seat at the table.",
    "NOT_INVITED": "The table is by invitation.",
    "SEAT_OCCUPIED": "The seat is taken.",
    "NOT_YOUR_TURN": "Another seat is to move, or none.",
    "TURN_TAKEN": "Another move was made in that turn.",
    "TILE_NOT_HELD": "Your seat does not hold the tile.",
    "TILE_DOES_NOT_FIT": "The tile does not meet that end of the chain.",
    "HAND_OVER": "The hand has ended.",
    "TABLE_IN_PLAY": "A live table is playing the match, and records its hands.",
    "TOO_MANY_TABLES": "The player has as many live tables as one may at once.",
    "TOO_TALKATIVE": "Too many phrases and mutes within a few seconds.",
}
