"""A small identity provider that speaks OpenID Connect over HTTP, and can be made to lie."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

# With what HTTP Basic and forms would read otherwise: RFC 6749, 2.3.1, encodes both parts as in a form.
CLIENT, CLIENT_SECRET = "https://league.example:443/", "100 % se+creto: ñ&="
KEYS = [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


@dataclass
class Provider:
    """Signs in as `person`, without asking."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "248289761001", "name": "Kim R."})
    lies: dict[str, Any] = field(default_factory=dict)
    """Claims of ID tokens instead of the true ones."""
    refuses: bool = False
    key: int = 0
    """Which key signs, and is published."""
    signs_with: int | None = None
    """Another key, which is not published."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    """The codes that were given, each with its request; used ones are gone."""

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent after the person has signed in."""
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        if self.refuses:
            return f"{asked['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, authorization: str, asked: dict[str, str]) -> dict[str, Any] | None:
        """The tokens for a code; None for a wrong client, code, verifier or address."""
        client = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":")
        given = self.codes.pop(asked.get("code", ""), None)
        if given is None or list(map(unquote_plus, client)) != [CLIENT, CLIENT_SECRET]:
            return None
        if asked["grant_type"] != "authorization_code":
            return None
        challenge = base64.urlsafe_b64encode(hashlib.sha256(asked["code_verifier"].encode()).digest())
        if challenge.rstrip(b"=").decode() != given["code_challenge"]:
            return None
        if asked["redirect_uri"] != given["redirect_uri"]:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": given["nonce"]}
        claims |= self.person | self.lies
        signer = self.key if self.signs_with is None else self.signs_with
        id_token = jwt.encode(claims, KEYS[signer], algorithm="RS256", headers={"kid": f"k{self.key}"})
        return {"access_token": "x", "token_type": "Bearer", "id_token": id_token}

    def document(self, path: str) -> dict[str, Any] | None:
        """The answer at an address."""
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            }
        if path == "/keys":
            public = json.loads(RSAAlgorithm.to_jwk(KEYS[self.key].public_key()))
            return {"keys": [{**public, "kid": f"k{self.key}", "use": "sig", "alg": "RS256"}]}
        return None


@contextmanager
def identity_provider() -> Iterator[Provider]:
    """A provider on a free port."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that the library calls
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(dict(parse_qsl(parts.query))))
                self.end_headers()
                return
            self.answer(provider.document(parts.path))

        def do_POST(self) -> None:  # the name that the library calls
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.answer(provider.token(self.headers.get("Authorization", ""), dict(parse_qsl(body))))

        def answer(self, document: dict[str, Any] | None) -> None:
            content = json.dumps(document or {"error": "invalid_grant"}).encode()
            self.send_response(400 if document is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
