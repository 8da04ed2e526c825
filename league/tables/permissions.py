"""Who may do what at live tables."""

from league.api.auth.reach import PLAYER, SEATED, Reach, Role

PERMISSIONS: dict[str, dict[Role, Reach]] = {
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
}
