"""Bearer tokens: JWTs with `sub`, `roles`, `exp` and, for revocation, `jti`; and the keys of their issuer."""

import time
import uuid
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import structlog
from msgspec import Struct
from sqlalchemy import Engine, text

from league.api.auth.permissions import Viewer
from league.api.auth.reach import ROLES
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.texts_and_times import faults_of_text
from league.infra.durable_files import secret_of
from league.infra.settings import Settings

ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY = 30.0
"""Seconds by which the clocks of two machines may differ."""

LONGEST_CLAIM = 200
"""Limit on the characters of `sub` and `jti`, which are stored with every event and looked up in an index."""

REVOKED = say("the token was taken back")

KEYS_TIMEOUT = 5.0
KEYS_LIFESPAN = 300.0
"""Seconds after which the keys are read again, so that a withdrawn key is no longer accepted."""
KEYS_PATIENCE = 60.0
"""Seconds before an unknown `kid` causes another reading of the keys: any client can invent one."""
KEYS_REST = 10.0
"""Seconds without a new attempt after a failed reading: each attempt blocks a thread for the whole timeout."""

_REVOKED = text("SELECT jti FROM revoked_tokens WHERE jti = ANY(:jtis)")

log = structlog.get_logger()


class BadToken(Exception):
    """The token is not ours, has expired, or was revoked. The message may be sent to its bearer."""


class TokenSession(Struct, frozen=True):
    """A viewer, their token, and when it expires."""

    viewer: Viewer = Viewer()
    expires_at: datetime | None = None
    token: str | None = None


def checking_secret(settings: Settings) -> str | None:
    """The secret for checking tokens; None if an issuer's keys check them instead.

    Raises BadSetting if there is no way to check tokens.
    """
    return None if settings.jwks_url else secret_of(settings)


def issue_token(secret: str, sub: str, roles: Sequence[str], lifetime: float) -> str:
    """Issue a token for `sub` that is valid for `lifetime` seconds. Raises ValueError for an unknown role."""
    return sign_claims(secret, new_claims(sub, roles, lifetime))


def new_claims(sub: str, roles: Sequence[str], lifetime: float) -> dict[str, Any]:
    """The claims of a new token. Raises InvalidInput for a subject that no request may have, ValueError for a role."""
    if not _is_name(sub):
        raise InvalidInput(
            "subject", say("must be a text of 1 to {longest_claim} characters", longest_claim=LONGEST_CLAIM)
        )
    for role in roles:
        if role not in ROLES:
            raise ValueError(f"there is no role {role!r}; the roles are {', '.join(ROLES)}")
    now = datetime.now(UTC)
    return {
        "sub": sub,
        "roles": list(roles),
        "iat": now,
        "exp": now + timedelta(seconds=lifetime),
        "jti": uuid.uuid4().hex,
    }


def sign_claims(secret: str, claims: dict[str, Any]) -> str:
    """The token with these claims."""
    return jwt.encode(claims, secret, algorithm="HS256")


class Tokens:
    """Checks tokens: HS256 by the league's secret, or RS, PS, ES and EdDSA by the keys at a JWKS URL."""

    def __init__(self, engine: Engine, secret: str | None, jwks_url: str | None) -> None:
        self._engine, self._secret = engine, secret
        self._jwks = IssuerKeys(jwks_url) if jwks_url else None

    def session(self, token: str, unrevoked: Collection[str] = ()) -> TokenSession:
        """The session of a token. Blocks: it may read a key from the URL, and the revoked tokens. Raises BadToken.

        `unrevoked`: ids of tokens that are known not to be revoked.
        """
        claims = self._claims(token)
        sub, jti, roles = claims["sub"], claims.get("jti"), claims.get("roles", [])
        if not isinstance(roles, list):
            raise BadToken(say("the claim `roles` must be a list"))
        if not _is_name(sub):
            raise BadToken(
                say("the claim `sub` must be a text of 1 to {longest_claim} characters", longest_claim=LONGEST_CLAIM)
            )
        if jti is not None and not _is_name(jti):
            raise BadToken(
                say("the claim `jti` must be a text of 1 to {longest_claim} characters", longest_claim=LONGEST_CLAIM)
            )
        try:
            expires_at = datetime.fromtimestamp(int(claims["exp"]), UTC)
        except (OverflowError, OSError, ValueError):
            raise BadToken(say("the claim `exp` lies beyond the calendar")) from None
        if jti is not None and jti not in unrevoked and self.revoked({jti}):
            raise BadToken(REVOKED)
        known = tuple(role for role in ROLES if role in roles)
        return TokenSession(Viewer(sub, known, jti), expires_at, token)

    def revoked(self, jtis: Collection[str]) -> set[str]:
        """Which of these tokens were taken back. Blocks."""
        with self._engine.connect() as conn:
            return set(conn.execute(_REVOKED, {"jtis": list(jtis)}).scalars())

    def _claims(self, token: str) -> dict[str, Any]:
        try:
            algorithm = jwt.get_unverified_header(token).get("alg")
            if algorithm == "HS256" and self._secret is not None:
                key: Any = self._secret
            elif algorithm in ASYMMETRIC and self._jwks is not None:
                key = self._jwks.get_signing_key_from_jwt(token).key
            else:
                raise BadToken(say("tokens signed by {algorithm!r} are not accepted", algorithm=algorithm))
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                leeway=LEEWAY,
                options={"require": ["exp", "sub"], "verify_aud": False},
            )
        except jwt.PyJWKClientConnectionError as error:
            log.warning("the issuer's keys cannot be read", error=str(error))
            raise BadToken(say("the issuer's keys cannot be read at the moment")) from error
        except jwt.InvalidSignatureError as error:
            raise BadToken(
                say(
                    "the token was signed with another key: make it with the LEAGUE_SECRET or in the data folder of "
                    "this league, or ask its identity provider for it"
                )
            ) from error
        except jwt.PyJWTError as error:
            raise BadToken(say("the token is not valid: {error}", error=error)) from error
        except (ValueError, OverflowError, RecursionError) as error:  # claims that are no JSON, or have no such number
            raise BadToken(say("the token is not valid")) from error
        return claims


class IssuerKeys(jwt.PyJWKClient):
    """The keys at a JWKS URL. A known `kid` causes no reading, unknown ones at most one a minute."""

    def __init__(self, url: str) -> None:
        super().__init__(url, lifespan=KEYS_LIFESPAN, timeout=KEYS_TIMEOUT, cooldown_duration=KEYS_PATIENCE)
        self._rests_until = 0.0

    def fetch_data(self) -> Any:
        """Read the keys. Raises PyJWKClientConnectionError, for a while after a failure without a new attempt."""
        if time.monotonic() < self._rests_until:
            raise jwt.PyJWKClientConnectionError("they could not be read a moment ago")
        try:
            return super().fetch_data()
        except (jwt.PyJWTError, ValueError, OSError) as error:  # ValueError: the answer is not JSON
            self._rests_until = time.monotonic() + KEYS_REST
            raise jwt.PyJWKClientConnectionError(str(error)) from error


def _is_name(claim: object) -> bool:
    """Whether a claim is a text that the log accepts as a name."""
    if not isinstance(claim, str) or not 1 <= len(claim) <= LONGEST_CLAIM:
        return False
    return not any(faults_of_text("sub", claim))
