"""`league member` and `league token --link`: who may sign in to the pages, by commands alone."""

from __future__ import annotations

import pytest
from commands import League

from league.api.auth.sign_in_links import PATH, SignInLinks
from league.api.auth.web_sessions import WebSessions
from league.infra.database import engine as engine_of

pytestmark = pytest.mark.usefixtures("own_environment")


@pytest.mark.usefixtures("players")
def test_a_member_is_added_changed_and_removed(league: League) -> None:
    """Named by subject or id; a player by the name; the list tells who they are."""
    added = league("member", "add", "kim@club", "--role", "player", "--player", "p2", "--json").document
    assert (added["subject"], added["roles"], added["player"]) == ("kim@club", ["player"], "p2")
    assert "kim@club" in league("member", "list").out
    assert "Changed kim@club" in league("member", "change", "kim@club", "--role", "admin", "--no-player").out
    [row] = league("member", "list", "--json").document
    assert (row["member"], row["roles"], row["player"]) == (added["member"], ["admin"], None)
    refused = league("member", "add", "kim@club", "--role", "admin")
    assert refused.code == 2
    assert "subject" in refused.err
    assert league("member", "remove", added["member"]).code == 0
    assert league("member", "remove", added["member"]).code == 2
    assert "No members yet" in league("member", "list").out


@pytest.mark.usefixtures("players")
def test_a_link_signs_in(league: League, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the roles that are named, or those that a member has at the time; it leads to the public address."""
    monkeypatch.setenv("LEAGUE_PUBLIC_URL", "https://league.example")
    engine = engine_of(database_url)
    links, sessions = SignInLinks(engine), WebSessions(engine)
    said = league("token", "ana", "--role", "player", "--link")
    assert said.out.startswith(f"https://league.example{PATH}")
    assert "works once, for 15 minutes" in said.err
    added = league("member", "add", "kim@club", "--role", "auditor", "--json").document
    linked = league("token", "kim@club", "--link", "--json").document
    assert (linked["subject"], linked["roles"]) == (f"member:{added['member']}", ["auditor"])
    league("member", "change", "kim@club", "--role", "admin")
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
