"""`league token`: a bearer token, and who made it for whom in the log."""

from collections.abc import Sequence

from league import acts
from league.api.tokens import new_claims, sign_claims
from league.bootstrap import League
from league.domain.trail import TokenMade
from league.event_store import Request


def make(league: League, secret: str, sub: str, roles: Sequence[str], lifetime: float, actor: str) -> str:
    """Make a token that is good for `lifetime` seconds, and write down that it was made. Raises Refusal."""
    claims = new_claims(sub, roles, lifetime)
    made = TokenMade(claims["jti"], sub, tuple(roles), claims["exp"])
    acts.record(league.store, made, Request(actor, "manual"))
    return sign_claims(secret, claims)
