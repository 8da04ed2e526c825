"""Permissions and refusal codes of nights."""

from league.api.auth.reach import PLAYER, AccessPart

ACCESS = AccessPart(
    permissions={
        "playersCame": PLAYER,
        "playerLeft": PLAYER,
        "openMatchTonight": PLAYER,
        "openRematch": PLAYER,
        "readWhoIsHere": {"admin": "any", "scorekeeper": "any", "auditor": "any", "player": "any"},
    },
    error_codes={
        "NOT_HERE": "The player did not come tonight: read the night again.",
        "PLAYERS_AT_TABLE": "Some of the players sit in another match of tonight that is open: end it, or send "
        "`evenIfSeated`.",
    },
)
