"""Signing in by an identity provider: the authorization code flow of OpenID Connect, with PKCE, state and nonce.

The provider is found by its issuer's discovery document. Its ID token is believed after its signature, issuer,
audience, expiry and nonce were checked.
"""

from __future__ import annotations

import hmac
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus

import httpx
import jwt
import msgspec
import structlog
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # type: ignore[import-untyped]  # it has no types
from authlib.oauth2.rfc7636 import create_s256_code_challenge  # type: ignore[import-untyped]  # it has no types
from msgspec import Struct

from league.api.auth.tokens import ASYMMETRIC, LEEWAY, IssuerKeys
from league.api.auth.web_sessions import new_secret
from league.domain.sentences import say
from league.infra.settings import IdentityProvider

SCOPE = "openid profile email"
DISCOVERY = "/.well-known/openid-configuration"
TIMEOUT = 10.0
"""Seconds that the provider has for an answer."""
FRESH = 300.0
"""Seconds after which the discovery document is read again."""
PATIENCE = 600
"""Seconds that a person has to sign in at the provider."""

log = structlog.get_logger()


class SignInFailed(Exception):
    """The provider did not sign the person in, or its answer is not believed. The message is for the person."""


class ProviderAway(SignInFailed):
    """The provider cannot be reached, or does not speak OpenID Connect."""


class SignInAttempt(Struct, frozen=True):
    """Held in a cookie of the browser while its person signs in at the provider."""

    state: str
    nonce: str
    verifier: str
    back: str
    """The page to return to."""

    def written(self) -> str:
        """As the value of a cookie."""
        return urlsafe_b64encode(msgspec.json.encode(self)).decode()

    @classmethod
    def read(cls, cookie: str | None) -> SignInAttempt | None:
        """The attempt of a cookie; None for a missing or damaged one."""
        try:
            return msgspec.json.decode(urlsafe_b64decode((cookie or "").encode()), type=cls)
        except (ValueError, msgspec.MsgspecError):
            return None


class ProviderIdentity(Struct, frozen=True):
    """Somebody whom the provider has signed in."""

    subject: str
    """The issuer, `#` and its `sub`: two providers may give the same `sub` to two people."""
    name: str | None


class _Endpoints(Struct, frozen=True):
    """The content of the discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class OpenIdConnect:
    """The league as a client of its identity provider. Every method blocks. Safe to share between threads."""

    def __init__(self, provider: IdentityProvider, way_back: str) -> None:
        """`way_back`: the address to which the provider sends a browser back."""
        self._provider, self._way_back = provider, way_back
        self._lock = threading.Lock()
        self._read_at = 0.0
        self._endpoints: _Endpoints | None = None
        self._keys: IssuerKeys | None = None

    def begin(self, back: str) -> tuple[str, SignInAttempt]:
        """The address at the provider to which a browser goes, and the attempt for its cookie. Raises ProviderAway."""
        endpoints, _keys = self._discovered()
        attempt = SignInAttempt(new_secret(), new_secret(), new_secret(), back)
        address: str = prepare_grant_uri(
            endpoints.authorization_endpoint,
            client_id=self._provider.client_id,
            response_type="code",
            redirect_uri=self._way_back,
            scope=SCOPE,
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return address, attempt

    def finish(self, attempt: SignInAttempt | None, answer: Mapping[str, str]) -> ProviderIdentity:
        """The person whom the provider has signed in. It sent the browser back with the parameters in `answer`.

        Raises SignInFailed.
        """
        if attempt is None or not hmac.compare_digest(answer.get("state", "").encode(), attempt.state.encode()):
            raise SignInFailed(say("The sign-in took too long, or began in another browser. Try again."))
        if "code" not in answer:
            log.warning("the identity provider refused", error=answer.get("error", "")[:200])
            raise SignInFailed(say("{provider} did not sign you in. Try again.", provider=self._provider.name))
        endpoints, keys = self._discovered()
        claims = self._claims(self._id_token(endpoints, attempt, answer["code"]), endpoints, keys)
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), attempt.nonce.encode()):
            raise self._not_believed("the nonce is another one")
        if claims.get("azp", self._provider.client_id) != self._provider.client_id:
            raise self._not_believed("the token is for another client")
        named = (claims.get(claim) for claim in ("name", "preferred_username", "email"))
        name = next((one for one in named if isinstance(one, str) and one.strip()), None)
        return ProviderIdentity(f"{endpoints.issuer}#{claims['sub']}", name)

    def _discovered(self) -> tuple[_Endpoints, IssuerKeys]:
        with self._lock:
            if self._endpoints is None or self._keys is None or time.monotonic() - self._read_at > FRESH:
                found = self._read_endpoints()
                if self._keys is None or self._endpoints is None or found.jwks_uri != self._endpoints.jwks_uri:
                    self._keys = IssuerKeys(found.jwks_uri)
                self._endpoints, self._read_at = found, time.monotonic()
            return self._endpoints, self._keys

    def _read_endpoints(self) -> _Endpoints:
        issuer = self._provider.issuer
        try:
            answer = httpx.get(issuer.rstrip("/") + DISCOVERY, timeout=TIMEOUT).raise_for_status()
            found = msgspec.json.decode(answer.content, type=_Endpoints)
        except (httpx.HTTPError, httpx.InvalidURL, msgspec.MsgspecError) as error:
            raise self._away(str(error)) from error
        if found.issuer.rstrip("/") != issuer.rstrip("/"):
            raise self._away(f"its document is of the issuer {found.issuer!r}")
        return found

    def _id_token(self, endpoints: _Endpoints, attempt: SignInAttempt, code: str) -> str:
        """The ID token for a code, which the provider gives once."""
        client_id, client_secret = self._provider.client_id, self._provider.client_secret
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._way_back,
            "code_verifier": attempt.verifier,
        }
        by_basic = "client_secret_basic" in endpoints.token_endpoint_auth_methods_supported
        if not by_basic:
            form |= {"client_id": client_id, "client_secret": client_secret}
        try:
            answer = httpx.post(
                endpoints.token_endpoint,
                data=form,
                auth=_basic(client_id, client_secret) if by_basic else None,
                headers={"Accept": "application/json"},
                timeout=TIMEOUT,
            )
        except httpx.HTTPError as error:
            raise self._away(str(error)) from error
        try:
            token = answer.json().get("id_token") if answer.is_success else None
        except (ValueError, AttributeError):
            token = None
        if not isinstance(token, str):
            raise self._not_believed(f"the code was not exchanged: status {answer.status_code}")
        return token

    def _claims(self, token: str, endpoints: _Endpoints, keys: IssuerKeys) -> dict[str, Any]:
        try:
            key = keys.get_signing_key_from_jwt(token).key
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=ASYMMETRIC,
                audience=self._provider.client_id,
                issuer=endpoints.issuer,
                leeway=LEEWAY,
                options={"require": ["iss", "aud", "exp", "iat", "sub"]},
            )
        except jwt.PyJWKClientConnectionError as error:
            raise self._away(str(error)) from error
        except (jwt.PyJWTError, ValueError, OverflowError, RecursionError) as error:
            raise self._not_believed(str(error)) from error
        return claims

    def _away(self, error: str) -> ProviderAway:
        log.warning("the identity provider cannot be asked", error=error)
        return ProviderAway(say("{provider} cannot be reached at the moment. Try again.", provider=self._provider.name))

    def _not_believed(self, error: str) -> SignInFailed:
        log.warning("the answer of the identity provider is not believed", error=error)
        return SignInFailed(say("The answer of {provider} does not fit. Try again.", provider=self._provider.name))


def _basic(client_id: str, client_secret: str) -> httpx.BasicAuth:
    """HTTP Basic as OAuth has it: both parts are encoded as in a form first (RFC 6749, 2.3.1)."""
    return httpx.BasicAuth(quote_plus(client_id), quote_plus(client_secret))
