"""Permissions and refusal codes of live tables."""

from league.api.auth.reach import PLAYER, SEATED, AccessPart

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
    "LIVE_PLAY_OFF": "The server has no secret for live play: hide live tables; an operator sets it up.",
    "TABLE_OPEN": "The table is open already: take a seat at it.",
    "TABLE_CLOSED": "Play at the table is over: leave the table.",
    "TABLE_PAUSED": "The table waits for a player who is away: wait until the player is back or the table goes on.",
    "PLAY_NOT_BEGUN": "Play at the table has not begun: wait until all are ready.",
    "PLAY_BEGUN": "Play at the table has begun: leave it, or forfeit or void its match.",
    "ALREADY_SEATED": "You have another seat at the table: leave it first.",
    "SEATS_OF_MATCH": "The seats are those of the players of an open match: wait for its players.",
    "NOT_DEALT_YET": "The tiles of the hand are not dealt yet: wait until they are.",
    "HAND_DEALT": "The tiles of the hand are dealt: play: it is too late to add to its seed.",
    "HAND_SEALED": "The key of the hand is not there: wait: it is dealt again in a moment.",
    "OTHER_SEED": "Your seat has added something else to the seed: go on with what was sent first.",
    "RESHUFFLE_OFFERED": "A reshuffle is offered: wait for the answer, or give it.",
    "NO_RESHUFFLE_OFFERED": "No reshuffle is offered to your seat: read the table again, and play on.",
}

ACCESS = AccessPart(
    permissions={
        "openTable": PLAYER,
        "openTableOfMatch": PLAYER,
        "closeTable": PLAYER,
        "seatAi": PLAYER,
        "takeSeat": SEATED,
        "leaveSeat": SEATED,
        "sayReady": SEATED,
        "contributeSeed": SEATED,
        "acceptReshuffle": SEATED,
        "declineReshuffle": SEATED,
        "playTile": SEATED,
        "sayPhrase": SEATED,
        "mutePlayer": SEATED,
        "unmutePlayer": SEATED,
        "watchTables": {"admin": "any", "scorekeeper": "any", "auditor": "any"},
    },
    error_codes=ERROR_CODES,
)
