"""`league token`: bearer tokens, and links that sign in to the pages."""

from __future__ import annotations

import jwt
import pytest
from commands import League
from leagues import league_at, send

from league.api.auth.web_sessions import LINK_PATH, SignInLinks, WebSessions
from league.domain.members import AddMember, ChangeMember
from league.infra.database import engine as engine_of

pytestmark = pytest.mark.usefixtures("own_environment")


def test_token_makes_a_bearer_token(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """`token` prints one signed token with the subject and its roles; without a secret, or a league, there is none."""
    said = league("token", "ana", "--role", "player")
    assert (said.code, said.out) == (1, "")
    assert "LEAGUE_SECRET" in said.err
    monkeypatch.setenv("LEAGUE_SECRET", "s" * 32)
    assert league("token", "ana", "--role", "player").code == 2
    league("init", "--name", "Liga", "--time-zone", "UTC")
    said = league("token", "ana", "--role", "player", "--role", "auditor")
    assert said.code == 0
    claims = jwt.decode(said.out.strip(), "s" * 32, algorithms=["HS256"], options={"verify_aud": False})
    assert (claims["sub"], claims["roles"]) == ("ana", ["player", "auditor"])
    assert "1 to 200 characters" in league("token", "a" * 201, "--role", "player").err
    assert league("token", "ana", "--role", "player", "--hours", "1e9").code == 2


@pytest.mark.usefixtures("players")
def test_a_link_signs_in(league: League, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link gives the named roles, or those of the member at that time. It leads to the public address."""
    monkeypatch.setenv("LEAGUE_PUBLIC_URL", "https://league.example")
    engine = engine_of(database_url)
    links, sessions = SignInLinks(engine), WebSessions(engine)
    said = league("token", "ana", "--role", "player", "--link")
    assert said.out.startswith(f"https://league.example{LINK_PATH}")
    assert "works once, for 15 minutes" in said.err
    with league_at(database_url) as made:
        send(made, AddMember("m1", "kim@club", ("auditor",), None))
    linked = league("token", "kim@club", "--link", "--json").document
    assert (linked["subject"], linked["roles"]) == ("member:m1", ["auditor"])
    with league_at(database_url) as made:
        send(made, ChangeMember("m1", ("admin",)))
    for address, expected in (
        (said.out.strip(), ("ana", ("player",))),
        (linked["link"], (linked["subject"], ("admin",))),
    ):
        cookie = links.use(address.rpartition("/")[2], "Safari")
        assert cookie is not None
        found = sessions.signed_in(cookie)
        assert found is not None
        assert (found.session.viewer.sub, found.session.viewer.roles) == expected
    engine.dispose()
    assert "kim@club" not in league("trail", "--json").out


@pytest.mark.usefixtures("players")
def test_a_token_or_link_without_rights_is_refused(league: League) -> None:
    """Only a member has roles of their own; and a session has its bounds."""
    for arguments in (["ana"], ["ana", "--link"]):
        refused = league("token", *arguments)
        assert refused.code == 2
        assert "--role" in refused.err
    refused = league("token", "ana", "--role", "player", "--link", "--hours", "721")
    assert (refused.code, "at most 720 hours" in refused.err) == (2, True)
