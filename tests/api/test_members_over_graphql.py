"""Members over GraphQL: an admin adds, lists, changes and removes them, and answers who asked for access."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from api_server import Served, token

from league.api.auth.web_sessions import NewSession, WebSessions
from league.domain.members import RequestAccess
from league.infra.database import engine as engine_of

ADMIN = token("admin")
MEMBERS = """query ($standing: MemberStanding) { members(standing: $standing) { totalCount nodes {
    memberId subject name playerId roles standing player { displayName } } } }"""
ID = "... on MemberSuccess { memberId }"


def listed(server: Served, **variables: Any) -> Any:
    return server.ask(MEMBERS, ADMIN, **variables)["members"]["nodes"]


def test_an_admin_keeps_the_members(small: Served) -> None:
    """What is done shows in the list at once; a repeated request adds nobody."""
    asked = {"subject": "kim@club", "roles": ["PLAYER", "SCOREKEEPER"], "player": "ana", "idempotencyKey": "form-1"}
    added = small.do("addMember", ADMIN, ID, **asked)
    assert small.do("addMember", ADMIN, ID, **asked) == added
    member = added["memberId"]
    row = {"memberId": member, "subject": "kim@club", "name": None, "playerId": "ana", "standing": "MEMBER",
           "roles": ["PLAYER", "SCOREKEEPER"], "player": {"displayName": "Ana"}}  # fmt: skip
    assert listed(small) == [row]
    small.do("changeMember", ADMIN, memberId=member, roles=["AUDITOR"], player="")
    assert listed(small) == [{**row, "roles": ["AUDITOR"], "playerId": None, "player": None}]
    small.league.dispatcher.send(RequestAccess("w", "lee", "Lee"), "lee")
    assert [one["name"] for one in listed(small, standing="WAITING")] == ["Lee"]
    small.do("declineAccess", ADMIN, memberId="w")
    assert [one["memberId"] for one in listed(small, standing="DECLINED")] == ["w"]
    small.do("grantAccess", ADMIN, memberId="w", roles=["ADMIN"])
    for one in (member, "w"):
        assert small.do("removeMember", ADMIN, ID, memberId=one)["memberId"] == one
    assert listed(small) == []


def test_a_refusal_names_its_field(small: Served) -> None:
    """As a path of the input."""
    small.do("addMember", ADMIN, memberId="m", subject="kim", roles=["ADMIN"])
    for mutation, given, code, field in (
        ("addMember", {"subject": "kim", "roles": ["ADMIN"]}, "ALREADY_EXISTS", ["subject"]),
        ("addMember", {"subject": "lee", "roles": ["PLAYER"]}, "INVALID", ["player"]),
        ("addMember", {"subject": "lee", "roles": ["PLAYER"], "player": "none"}, "NOT_FOUND", ["player"]),
        ("addMember", {"subject": "lee", "roles": []}, "INVALID", ["roles"]),
        ("changeMember", {"memberId": "none", "roles": ["ADMIN"]}, "NOT_FOUND", ["memberId"]),
        ("grantAccess", {"memberId": "m", "roles": ["ADMIN"]}, "ALREADY_MEMBER", None),
    ):
        refused = small.do(mutation, ADMIN, **given)
        assert (refused["code"], refused["field"]) == (code, field), given
    small.do("removeMember", ADMIN, memberId="m")


def test_others_do_not_see_the_members(small: Served) -> None:
    """Their subjects are personal."""
    for bearer, code in ((token("scorekeeper", "auditor", "player"), "FORBIDDEN"), (None, "UNAUTHENTICATED")):
        assert small.error(MEMBERS, bearer)["extensions"]["code"] == code


def test_the_last_admin_stays(small: Served) -> None:
    """A member who is the only admin cannot remove themselves."""
    small.do("addMember", ADMIN, memberId="last", subject="kim", roles=["ADMIN"])
    own = token("admin", sub="member:last")
    assert small.do("removeMember", own, memberId="last")["code"] == "LAST_ADMIN"
    assert small.do("removeMember", ADMIN, ID, memberId="last")["memberId"] == "last"


def test_a_link_tells_the_position_of_its_event(small: Served) -> None:
    """Each link is an event of the log, as everything that is revoked later."""
    small.do("addMember", ADMIN, memberId="linked", subject="lee", roles=["AUDITOR"])
    made = small.do("makeSignInLink", ADMIN, "... on SignInLinkSuccess { position path }", memberId="linked")
    event = f'{{ event(position: "{made["position"]}") {{ entry {{ kind }} }} }}'
    assert small.ask(event, ADMIN)["event"]["entry"]["kind"] == "token-made"
    small.do("removeMember", ADMIN, memberId="linked")


def test_a_person_ends_their_sessions(small: Served) -> None:
    """They see the browsers that are signed in as themselves, and end one or all."""
    engine = engine_of(small.league.database.url)
    sessions, soon = WebSessions(engine), datetime.now(UTC) + timedelta(hours=1)
    for browser in ("Firefox", "Safari", "Chrome"):
        sessions.begin(NewSession("bea", ("player",), soon), browser)
    bea, asked = token("player", sub="bea"), "{ viewer { sessions { browser tokenId isCurrent } } }"
    seen = small.ask(asked, bea)["viewer"]["sessions"]
    assert [one["browser"] for one in seen] == ["Chrome", "Safari", "Firefox"]
    assert not any(one["isCurrent"] for one in seen)
    text = "mutation ($input: EndSessionsInput!) { endSessions(input: $input) { ... on SessionsSuccess { ended } } }"
    for given, ended in (({"tokenId": seen[0]["tokenId"]}, 1), ({}, 2), ({}, 0)):
        assert small.ask(text, bea, input=given)["endSessions"]["ended"] == ended
    engine.dispose()
