"""Bearer tokens: which are taken, and which are not any more."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import jwt
import pytest
import uvicorn
from api_server import SECRET, Served, served, token
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from leagues import catch_up, found, league_at
from msgspec.structs import replace
from sqlalchemy import Engine
from waiting import LIMIT

from league.api.auth.tokens import BadToken, Tokens, checking_secret, issue_token
from league.api.league import credentials
from league.cli.serving import serve
from league.infra.database import engine as engine_of
from league.infra.settings import BadSetting, Settings

VIEWER = "{ viewer { sub roles tokenId expiresAt } }"

REVOKE = "mutation ($input: RevokeTokenInput!) { revokeToken(input: $input) { ... on TokenSuccess { tokenId } } }"


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
        jwt.encode(claims(exp=10**12), SECRET, algorithm="HS256"),
        jwt.encode(claims(exp=10**40), SECRET, algorithm="HS256"),
        jwt.encode(claims(exp=float("inf")), SECRET, algorithm="HS256"),
        jwt.encode(claims(jti="a\0b"), SECRET, algorithm="HS256"),
        jwt.encode(claims(jti="\ud800"), SECRET, algorithm="HS256"),
        jwt.encode(claims(jti="j" * 201), SECRET, algorithm="HS256"),
        jwt.encode(claims(sub="k" * 201), SECRET, algorithm="HS256"),
        jwt.encode(claims(sub="\ud800"), SECRET, algorithm="HS256"),
    ],
)
def test_a_bad_token_is_answered_with_401(small: Served, bad: str) -> None:
    """Unreadable, of another secret, run out, unsigned, without an end or a name, by another method, odd claims."""
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
    """An unknown role is refused when the token is issued."""
    with pytest.raises(ValueError, match="janitor"):
        issue_token(SECRET, "kim", ["janitor"], 60)


def test_a_token_is_taken_back(small: Served) -> None:
    """From then on it is answered with 401; others of the same name still go."""
    lost, other = token("scorekeeper"), token("scorekeeper")
    viewer = small.ask(VIEWER, lost)["viewer"]
    for _ in range(2):
        assert small.ask(REVOKE, token("admin"), input={"tokenId": viewer["tokenId"]})["revokeToken"] == {
            "tokenId": viewer["tokenId"]
        }
    assert small.post(VIEWER, lost).status_code == 401
    assert small.ask(VIEWER, other)["viewer"]["sub"] == "kim"


@pytest.mark.parametrize("end", ["2020-01-01T00:00:00Z", None])
def test_a_token_stays_taken_back_whatever_end_was_named(small: Served, end: str | None) -> None:
    """A slip with its end, and another token that is taken back later, do not let it in again."""
    lost = token("scorekeeper")
    given = {"tokenId": small.ask(VIEWER, lost)["viewer"]["tokenId"], "expiresAt": end}
    for one in (given, {"tokenId": "another"}):
        small.ask(REVOKE, token("admin"), input=one)
    assert small.post(VIEWER, lost).status_code == 401


RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


@dataclass
class Issuer:
    """Publishes keys, and counts how often they are read."""

    url: str = ""
    status: int = 200
    readings: int = 0


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    it = Issuer()
    keys = [
        {**json.loads(RSAAlgorithm.to_jwk(RSA_KEY.public_key())), "kid": "r", "use": "sig"},
        {**json.loads(ECAlgorithm.to_jwk(EC_KEY.public_key())), "kid": "e", "use": "sig"},
    ]

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            it.readings += 1
            self.send_response(it.status)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": keys}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Keys) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        it.url = f"http://127.0.0.1:{server.server_port}/keys"
        yield it
        server.shutdown()
        thread.join()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = engine_of(database_url, pool_size=1)
    yield made
    made.dispose()


def signed(kid: str, **more: object) -> str:
    """A token by the issuer's RSA key, under this name."""
    return jwt.encode(claims(**more), RSA_KEY, algorithm="RS256", headers={"kid": kid})


@pytest.mark.heavy
def test_tokens_of_a_jwks_are_taken_and_others_not(database_url: str, issuer: Issuer) -> None:
    """RS256 and ES256 by the keys at the URL, and no HS256."""
    with league_at(database_url) as league:
        found(league)
        catch_up(league)
    with served(database_url, jwks_url=issuer.url) as server:
        by_curve = jwt.encode(claims(), EC_KEY, algorithm="ES256", headers={"kid": "e"})
        for bearer in (signed("r"), by_curve):
            assert server.ask(VIEWER, bearer)["viewer"]["roles"] == ["ADMIN"]
        assert server.post(VIEWER, signed("x")).status_code == 401
        assert server.post(VIEWER, token("admin")).status_code == 401


def test_with_a_jwks_no_secret_is_needed_nor_used(database_url: str) -> None:
    """With the keys of an issuer no secret checks tokens, so knowing the secret does not allow signing."""
    server = Settings(database_url=database_url)
    with pytest.raises(BadSetting, match="LEAGUE_SECRET"):
        checking_secret(server)
    assert checking_secret(replace(server, secret=SECRET)) == SECRET
    for secret in (None, SECRET):
        assert checking_secret(replace(server, secret=secret, jwks_url="https://issuer.example/keys")) is None


@pytest.mark.parametrize("given", [{}, {"LEAGUE_SECRET": SECRET}])
def test_serve_starts_with_a_jwks_alone(
    database_url: str, monkeypatch: pytest.MonkeyPatch, issuer: Issuer, given: dict[str, str]
) -> None:
    """`league serve` asks for a secret only where one is used; with a JWKS none is, even if it is set."""
    for name, value in {"LEAGUE_DATABASE_URL": database_url, "LEAGUE_JWKS_URL": issuer.url, **given}.items():
        monkeypatch.setenv(name, value)
    apps: list[Any] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, **_: apps.append(server.config.app))
    serve("127.0.0.1", 0)
    [app] = apps
    app.state.engine.dispose()


def test_kids_that_are_made_up_do_not_make_us_read_the_keys_again(engine: Engine, issuer: Issuer) -> None:
    """Once a minute is enough; known keys go on meanwhile."""
    tokens = Tokens(engine, None, issuer.url)
    for number in range(5):
        with pytest.raises(BadToken):
            tokens.session(signed(f"made-up-{number}"))
    assert tokens.session(signed("r")).viewer.sub == "kim"
    assert issuer.readings == 1


def test_keys_that_cannot_be_read_are_left_alone_for_a_while(engine: Engine, issuer: Issuer) -> None:
    """Each reading may take a thread its whole timeout."""
    tokens, issuer.status = Tokens(engine, None, issuer.url), 503
    for _ in range(3):
        with pytest.raises(BadToken, match="cannot be read at the moment"):
            tokens.session(signed("r"))
    assert issuer.readings == 1


def test_commands_that_wait_keep_no_reader_waiting(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and checking tokens have threads of their own, however many commands stand in line."""
    go_on, waiting = threading.Event(), threading.Semaphore(0)

    def revoke(*_: object) -> None:
        waiting.release()
        go_on.wait()

    monkeypatch.setattr(credentials, "_revoke", revoke)
    admin = token("admin")
    senders = [
        threading.Thread(target=small.post, args=(REVOKE, admin), kwargs={"input": {"tokenId": "t"}}) for _ in range(20)
    ]
    for sender in senders:
        sender.start()
    try:
        # As many as there are threads for commands; the others wait for one.
        assert all(waiting.acquire(timeout=LIMIT) for _ in range(16))
        assert small.ask("{ league { name } }")["league"]
        assert small.ask(VIEWER, admin)["viewer"]["sub"] == "kim"
    finally:
        go_on.set()
        for sender in senders:
            sender.join()
