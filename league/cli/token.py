"""`league token`: a bearer token, and who made it for whom in the log."""

from collections.abc import Sequence

from league.api.auth.tokens import new_claims, sign_claims
from league.application import audit_trail
from league.application.bootstrap import League
from league.domain.audit_trail import TokenMade
from league.eventlog.store import Request


def make(league: League, secret: str, sub: str, roles: Sequence[str], lifetime: float, actor: str) -> str:
    """Make a token that is good for `lifetime` seconds, and write down that it was made. Raises Refusal."""
    claims = new_claims(sub, roles, lifetime)
    made = TokenMade(claims["jti"], sub, tuple(roles), claims["exp"])
    audit_trail.record(league.store, made, Request(actor, "manual"))
    return sign_claims(secret, claims)
