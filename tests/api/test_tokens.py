"""Bearer tokens: which are taken, and which are not any more."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import jwt
import pytest
from api_server import SECRET, Served, served, token
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from leagues import catch_up, empty_league, found

from league.api.tokens import issue_token

VIEWER = "{ viewer { sub roles tokenId expiresAt } }"


def claims(**more: object) -> dict[str, object]:
    """The claims of a token."""
    return {"sub": "kim", "roles": ["admin"], "exp": int(time.time()) + 600, **more}


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        issue_token("another secret of thirty-two chars", "kim", ["admin"], 600),
        issue_token(SECRET, "kim", ["admin"], -600),
        jwt.encode(claims(), "", algorithm="none"),
        jwt.encode(claims(exp=None), SECRET, algorithm="HS256"),
        jwt.encode({"roles": [], "exp": int(time.time()) + 600}, SECRET, algorithm="HS256"),
        jwt.encode(claims(roles="admin"), SECRET, algorithm="HS256"),
        jwt.encode(claims(), SECRET + SECRET, algorithm="HS512"),
    ],
)
def test_a_bad_token_is_answered_with_401(small: Served, bad: str) -> None:
    """Unreadable, of another secret, run out, unsigned, without an end or a name, with odd roles, by another method."""
    response = small.post(VIEWER, bad)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
    assert SECRET not in response.text


def test_another_scheme_is_not_taken(small: Served) -> None:
    """Only `Bearer`."""
    assert small.post(VIEWER, headers={"Authorization": "Basic a2ltOmtpbQ=="}).status_code == 401


def test_unknown_roles_allow_nothing(small: Served) -> None:
    """An issuer may have roles of its own."""
    own = jwt.encode(claims(roles=["admin", "janitor"]), SECRET, algorithm="HS256")
    assert small.ask(VIEWER, own)["viewer"]["roles"] == ["ADMIN"]


def test_no_token_is_issued_for_a_role_that_is_not() -> None:
    """A slip is told at once."""
    with pytest.raises(ValueError, match="janitor"):
        issue_token(SECRET, "kim", ["janitor"], 60)


def test_a_token_is_taken_back(small: Served) -> None:
    """From then on it is answered with 401; others of the same name still go."""
    lost, other = token("scorekeeper"), token("scorekeeper")
    viewer = small.ask(VIEWER, lost)["viewer"]
    text = (
        "mutation ($input: RevokeTokenInput!) { revokeToken(input: $input) { ... on RevokeTokenSuccess { tokenId } } }"
    )
    given = {"tokenId": viewer["tokenId"], "expiresAt": viewer["expiresAt"]}
    for _ in range(2):
        assert small.ask(text, token("admin"), input=given)["revokeToken"] == {"tokenId": viewer["tokenId"]}
    assert small.post(VIEWER, lost).status_code == 401
    assert small.ask(VIEWER, other)["viewer"]["sub"] == "kim"


RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


@pytest.fixture
def jwks_url() -> Iterator[str]:
    keys = [
        {**json.loads(RSAAlgorithm.to_jwk(RSA_KEY.public_key())), "kid": "r", "use": "sig"},
        {**json.loads(ECAlgorithm.to_jwk(EC_KEY.public_key())), "kid": "e", "use": "sig"},
    ]

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": keys}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Keys) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/keys"
        server.shutdown()
        thread.join()


def test_tokens_of_a_jwks_are_taken_and_others_not(database_url: str, jwks_url: str) -> None:
    """RS256 and ES256 by the keys at the URL; without a secret no HS256, so that a public key is never one."""
    with empty_league(database_url) as league:
        found(league)
        catch_up(league)
    with served(database_url, jwks_url=jwks_url) as server:
        for key, kid, algorithm in ((RSA_KEY, "r", "RS256"), (EC_KEY, "e", "ES256")):
            bearer = jwt.encode(claims(), key, algorithm=algorithm, headers={"kid": kid})  # type: ignore[arg-type]
            assert server.ask(VIEWER, bearer)["viewer"]["roles"] == ["ADMIN"]
        unknown = jwt.encode(claims(), RSA_KEY, algorithm="RS256", headers={"kid": "x"})
        assert server.post(VIEWER, unknown).status_code == 401
        assert server.post(VIEWER, token("admin")).status_code == 401
