"""Permissions and refusal codes of the laboratory."""

from league.api.auth.reach import ADMIN, AccessPart

ACCESS = AccessPart(
    permissions={"whatIf": ADMIN, "readRulesReview": {"admin": "any", "auditor": "any"}},
    error_codes={
        "NO_MATCHES": "The league has no rated match to try rules on: try again when matches are decided.",
        "LAB_BUSY": "Others try rules at this moment: try again in a moment.",
        "LEAGUE_TOO_LARGE": "The league has too many matches for this server: "
        "start a replay, or install the extra `lab`.",
    },
)
