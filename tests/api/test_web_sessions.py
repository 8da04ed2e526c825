"""Sessions of browsers, and the links that begin them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from league.api.auth.permissions import Viewer
from league.api.auth.web_sessions import MOST, NewSession, SignInLink, SignInLinks, WebSessions, make_link
from league.infra.database import connect
from league.infra.database import engine as engine_of

SOON = datetime.now(UTC) + timedelta(hours=1)
KIM = NewSession("kim", ("admin",), SOON)
LINK = SignInLink("t1", "ana", ("player",), SOON)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = engine_of(database_url)
    yield made
    made.dispose()


@pytest.fixture
def sessions(engine: Engine) -> WebSessions:
    return WebSessions(engine)


@pytest.fixture
def links(engine: Engine) -> SignInLinks:
    return SignInLinks(engine)


def do(url: str, statement: str, *values: str) -> None:
    with connect(url) as conn:
        conn.execute(statement, values)


def made(url: str, link: SignInLink = LINK) -> str:
    """The secret of a new link."""
    with connect(url) as conn:
        return make_link(link, conn)


def test_a_cookie_has_the_rights_of_its_session(sessions: WebSessions, database_url: str) -> None:
    """Its name, its roles, its end; another value has none, and the value itself is not stored."""
    cookie = sessions.begin(KIM, "Firefox")
    found = sessions.signed_in(cookie)
    assert found is not None
    assert (found.session.viewer.sub, found.session.viewer.roles) == ("kim", ("admin",))
    assert found.session.expires_at == SOON
    for wrong in (cookie[:-1], cookie + "a", "", "\0", "\ud800"):
        assert sessions.signed_in(wrong) is None
    with connect(database_url) as conn:
        assert cookie not in str(conn.execute("SELECT web_sessions::text FROM web_sessions").fetchall())


def test_a_session_ends(sessions: WebSessions, database_url: str) -> None:
    """A session ends by signing out, at its time, and when its token id is revoked."""
    signed_out, expired, revoked, other = (sessions.begin(KIM, "Firefox") for _ in range(4))
    sessions.end(signed_out)
    ids = {cookie: token_id(sessions, cookie) for cookie in (expired, revoked)}
    do(database_url, "UPDATE web_sessions SET expires_at = now() WHERE token_id = %s", ids[expired])
    do(database_url, "INSERT INTO revoked_tokens (jti) VALUES (%s)", ids[revoked])
    assert [sessions.signed_in(cookie) for cookie in (signed_out, expired, revoked)] == [None] * 3
    assert sessions.signed_in(other)


def test_a_person_sees_and_ends_their_sessions(sessions: WebSessions) -> None:
    """A person ends one session, or all; sessions of others stay, even if their id is given."""
    kim = Viewer("kim")
    cookies = [sessions.begin(KIM, browser) for browser in ("Firefox", "Safari", "Chrome")]
    other = sessions.begin(replace(KIM, sub="lee"), "Firefox")
    assert [one.browser for one in sessions.of(kim)] == ["Chrome", "Safari", "Firefox"]
    assert sessions.end_of(kim, token_id(sessions, other)) == 0
    assert sessions.end_of(kim, token_id(sessions, cookies[0])) == 1
    assert [bool(sessions.signed_in(cookie)) for cookie in cookies] == [False, True, True]
    assert sessions.end_of(kim) == 2
    assert sessions.of(kim) == []
    assert sessions.signed_in(other)


def test_the_sessions_of_a_person_are_bounded(sessions: WebSessions) -> None:
    """A further one ends the oldest."""
    first, second, *_ = (sessions.begin(KIM, "Firefox") for _ in range(MOST + 1))
    assert sessions.signed_in(first) is None
    assert sessions.signed_in(second)


def test_a_link_is_used_once(links: SignInLinks, sessions: WebSessions, database_url: str) -> None:
    """Looking at it changes nothing; of many uses at once one begins a session, which has the link's rights."""
    secret = made(database_url)
    assert [links.state(secret) for _ in range(3)] == ["usable"] * 3
    with ThreadPoolExecutor(4) as threads:
        used = [cookie for cookie in threads.map(lambda _: links.use(secret, "Safari"), range(8)) if cookie]
    assert len(used) == 1
    assert links.state(secret) == "used"
    found = sessions.signed_in(used[0])
    assert found is not None
    assert found.session.viewer == Viewer("ana", ("player",), "t1")


def test_a_link_that_cannot_be_used_says_why(links: SignInLinks, database_url: str) -> None:
    """Too late, taken back before it was used, or never made."""
    revoked = made(database_url)
    do(database_url, "INSERT INTO revoked_tokens (jti) VALUES (%s)", LINK.token_id)
    expired = made(database_url, replace(LINK, token_id="t2", lifetime=timedelta(0)))  # noqa: S106  # no password
    assert [links.state(secret) for secret in (expired, revoked, "made up")] == ["expired", "unknown", "unknown"]
    assert [links.use(secret, "Safari") for secret in (expired, revoked, "made up")] == [None] * 3


def test_a_member_has_the_roles_of_the_time(sessions: WebSessions, database_url: str) -> None:
    """What an admin changes holds for the next request; without its member a session is none."""
    do(
        database_url,
        "INSERT INTO members VALUES ('m1', 'kim@id.example', NULL, NULL, '{scorekeeper}', 'member', now())",
    )
    cookie = sessions.begin(replace(KIM, sub="", roles=(), member="m1"), "Firefox")
    assert viewer(sessions, cookie)[:2] == ("member:m1", ("scorekeeper",))
    do(database_url, "UPDATE members SET roles = '{player}', player_id = 'ana'")
    assert viewer(sessions, cookie)[:2] == ("ana", ("player",))
    seen = sessions.signed_in(cookie)
    assert seen is not None
    token_id = seen.session.viewer.jti or ""
    assert sessions.viewers([token_id, "none"]) == {token_id: seen.session.viewer}
    assert [one.browser for one in sessions.of(Viewer("ana"))] == ["Firefox"]
    do(database_url, "DELETE FROM members")
    assert sessions.signed_in(cookie) is None
    assert sessions.viewers([token_id]) == {}


def viewer(sessions: WebSessions, cookie: str) -> tuple[str | None, tuple[str, ...], str | None]:
    found = sessions.signed_in(cookie)
    assert found is not None
    seen = found.session.viewer
    return seen.sub, seen.roles, seen.jti


def token_id(sessions: WebSessions, cookie: str) -> str:
    found = viewer(sessions, cookie)[2]
    assert found is not None
    return found
