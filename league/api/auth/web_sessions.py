"""Sessions of browsers, and the links that begin one: the league stores hashes of the secrets in cookies and links.

A session of a member has the roles that the member has at the time of each request. A session that a link began has
the roles of the link. `revokeToken` ends a session by its token id, as it does a bearer token.

A link signs one browser in, once. Looking at it does not use it up, so that the preview of a chat may fetch it; `use`
does, and begins the session in the same transaction.
"""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import psycopg
from msgspec import Struct
from sqlalchemy import Connection, Engine, Row, text

from league.api.auth.permissions import Viewer
from league.api.auth.reach import ROLES
from league.api.auth.tokens import TokenSession
from league.domain.members import Standing
from league.eventlog.recorder import RIGHTS_CHANGED

LONGEST = timedelta(days=30)
"""Lifetime of a session. Then the person signs in again."""
MOST = 20
"""Limit on the sessions of one person. A further one ends the oldest."""
LONGEST_BROWSER = 200
"""Limit on the stored characters of what a browser calls itself."""

LINK_LIFETIME = timedelta(minutes=15)
LINK_PATH = "/sign-in/link/"
"""The path of a link before its secret."""
HERE = "http://127.0.0.1:8000"
"""Where `league serve` listens by default."""

LinkState = Literal["usable", "used", "expired", "unknown"]
"""`unknown`: never made, taken back, or expired days ago."""

# The subject of a member never leaves `members`: the log and its readers know their player, else their id.
_ALIVE = """
    FROM web_sessions AS session LEFT JOIN members AS member USING (member_id)
    WHERE session.expires_at > clock_timestamp()
    AND (session.member_id IS NULL OR member.member_id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM revoked_tokens WHERE jti = session.token_id)
"""
_SUB = "CASE WHEN session.member_id IS NULL THEN session.sub ELSE coalesce(player_id, 'member:' || member_id) END"
_FIND = text(f"""
    SELECT token_id, session.expires_at, standing, {_SUB} AS sub,
           CASE WHEN session.member_id IS NULL THEN session.roles ELSE member.roles END AS roles
    {_ALIVE} AND session.hash = :hash
""")  # constants
_OF_PERSON = text(f"""
    SELECT token_id, browser, began_at, session.expires_at {_ALIVE} AND {_SUB} = :sub ORDER BY began_at DESC, token_id
""")  # constants
_MEMBER = text("SELECT member_id FROM members WHERE subject = :subject")
_STANDING = text("SELECT standing FROM web_sessions JOIN members USING (member_id) WHERE token_id = :token_id")
_DROP_EXPIRED = text("DELETE FROM web_sessions WHERE expires_at <= clock_timestamp()")
_DROP_OLDEST = text("""
    DELETE FROM web_sessions WHERE hash IN (
        SELECT hash FROM web_sessions
        WHERE CASE WHEN cast(:member AS text) IS NULL THEN member_id IS NULL AND sub = :sub ELSE member_id = :member END
        ORDER BY began_at DESC, hash OFFSET :most)
""")
_INSERT = text("""
    INSERT INTO web_sessions (hash, token_id, member_id, sub, roles, browser, expires_at)
    VALUES (:hash, :token_id, :member, :sub, :roles, :browser, :expires_at)
""")
_TELL = text(RIGHTS_CHANGED)
_VIEWERS = text(f"""
    SELECT token_id, {_SUB} AS sub,
           CASE WHEN session.member_id IS NULL THEN session.roles ELSE member.roles END AS roles
    {_ALIVE} AND token_id = ANY(:token_ids)
""")  # constants
_END = text("DELETE FROM web_sessions WHERE hash = :hash")
_END_OF_PERSON = text(f"""
    DELETE FROM web_sessions WHERE token_id IN (SELECT token_id {_ALIVE} AND {_SUB} = :sub)
    AND (cast(:token_id AS text) IS NULL OR token_id = :token_id)
""")  # noqa: S608  # constants

_INSERT_LINK = """
    INSERT INTO sign_in_links (hash, token_id, member_id, sub, roles, expires_at, session_expires_at)
    VALUES (%s, %s, %s, %s, %s, clock_timestamp() + %s, %s)
"""
_DROP_OLD_LINKS = "DELETE FROM sign_in_links WHERE expires_at < clock_timestamp() - interval '7 days'"
_USABLE_LINK = """
    used_at IS NULL AND expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM revoked_tokens WHERE jti = token_id)
    AND (member_id IS NULL OR EXISTS (SELECT FROM members WHERE members.member_id = sign_in_links.member_id))
"""
_STATE_OF_LINK = text(f"""
    SELECT CASE WHEN {_USABLE_LINK} THEN 'usable' WHEN used_at IS NOT NULL THEN 'used'
                WHEN expires_at <= clock_timestamp() THEN 'expired' ELSE 'unknown' END
    FROM sign_in_links WHERE hash = :hash
""")  # noqa: S608  # constants
_USE_LINK = text(f"""
    UPDATE sign_in_links SET used_at = clock_timestamp() WHERE hash = :hash AND {_USABLE_LINK}
    RETURNING token_id, member_id, sub, roles, session_expires_at
""")  # noqa: S608  # constants


class SignedInSession(Struct, frozen=True):
    """A signed-in person: the session with its rights and its end, and whether an admin has let them in."""

    session: TokenSession
    standing: Standing = "member"


class OpenSession(Struct, frozen=True):
    """A session in the list that its person sees."""

    token_id: str
    browser: str
    began_at: datetime
    expires_at: datetime


class NewSession(Struct, frozen=True):
    """A session to begin, of a member or of a `sub` with roles."""

    sub: str
    roles: tuple[str, ...]
    expires_at: datetime
    member: str | None = None
    token_id: str | None = None
    """None: a new one."""


class WebSessions:
    """The sessions of all browsers. Every method blocks. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def signed_in(self, cookie: str) -> SignedInSession | None:
        """The person with this cookie; None if the session has ended or never was. Takes one statement."""
        with self._engine.connect() as conn:
            row = conn.execute(_FIND, {"hash": hash_of(cookie)}).one_or_none()
        if row is None:
            return None
        return SignedInSession(TokenSession(_viewer(row), row.expires_at), row.standing or "member")

    def viewers(self, token_ids: Collection[str]) -> dict[str, Viewer]:
        """The viewers of these sessions with their current rights, by token id. Ended sessions are left out."""
        with self._engine.connect() as conn:
            rows = conn.execute(_VIEWERS, {"token_ids": list(token_ids)}).all()
        return {row.token_id: _viewer(row) for row in rows}

    def member_of(self, subject: str) -> str | None:
        """The id of the member who signs in, or has asked to, under this subject; None if there is none."""
        with self._engine.connect() as conn:
            member: str | None = conn.execute(_MEMBER, {"subject": subject}).scalar()
        return member

    def standing_of(self, viewer: Viewer) -> Standing | None:
        """The standing of the member whose session this is; None for a session that is not of a member."""
        with self._engine.connect() as conn:
            standing: Standing | None = conn.execute(_STANDING, {"token_id": viewer.jti}).scalar()
        return standing

    def begin(self, new: NewSession, browser: str) -> str:
        """Begin a session. Returns the value of its cookie."""
        with self._engine.begin() as conn:
            return begin_on(conn, new, browser)

    def of(self, viewer: Viewer) -> Sequence[OpenSession]:
        """The sessions of a person, the newest first."""
        with self._engine.connect() as conn:
            return [_shown(row) for row in conn.execute(_OF_PERSON, {"sub": viewer.sub})]

    def end(self, cookie: str) -> None:
        """Sign a browser out."""
        with self._engine.begin() as conn:
            conn.execute(_END, {"hash": hash_of(cookie)})
            conn.execute(_TELL)

    def end_of(self, viewer: Viewer, token_id: str | None = None) -> int:
        """Sign a person out in one of their browsers; None: in all of them. Returns how many sessions ended."""
        with self._engine.begin() as conn:
            ended = conn.execute(_END_OF_PERSON, {"sub": viewer.sub, "token_id": token_id}).rowcount
            conn.execute(_TELL)
        return ended


def begin_on(conn: Connection, new: NewSession, browser: str) -> str:
    """Begin a session in a transaction, and remove what has expired. Returns the value of its cookie."""
    cookie = new_secret()
    conn.execute(_DROP_EXPIRED)
    conn.execute(
        _INSERT,
        {
            "hash": hash_of(cookie),
            "token_id": new.token_id or uuid.uuid4().hex,
            "member": new.member,
            "sub": new.sub,
            "roles": list(new.roles),
            "browser": browser.replace("\x00", "")[:LONGEST_BROWSER],
            "expires_at": new.expires_at,
        },
    )
    if conn.execute(_DROP_OLDEST, {"member": new.member, "sub": new.sub, "most": MOST}).rowcount:
        conn.execute(_TELL)
    return cookie


def cookie_name(*, secure: bool) -> str:
    """The name of the cookie. `__Host-` makes browsers refuse one that another host of the same domain has set."""
    return "__Host-league" if secure else "league"


def new_secret() -> str:
    """A secret for a cookie or a link: 256 random bits."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> bytes:
    """The hash that is stored in place of a secret. The secret is random, so a plain hash does not help to guess it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _viewer(row: Row[Any]) -> Viewer:
    return Viewer(row.sub, tuple(role for role in ROLES if role in row.roles), row.token_id)


def _shown(row: Row[Any]) -> OpenSession:
    return OpenSession(row.token_id, row.browser, row.began_at, row.expires_at)


class SignInLink(Struct, frozen=True):
    """A link to make. The session that it begins has its token id."""

    token_id: str
    sub: str
    roles: tuple[str, ...]
    session_expires_at: datetime
    member: str | None = None
    """The session has the roles of this member."""
    lifetime: timedelta = LINK_LIFETIME


def make_link(link: SignInLink, conn: psycopg.Connection[Any]) -> str:
    """Store a link in a transaction. Returns its secret."""
    secret = new_secret()
    conn.execute(_DROP_OLD_LINKS)
    given = (link.token_id, link.member, link.sub, list(link.roles), link.lifetime, link.session_expires_at)
    conn.execute(_INSERT_LINK, (hash_of(secret), *given))
    return secret


def address_of_link(secret: str, public_url: str | None) -> str:
    """The address that a person opens."""
    return f"{public_url or HERE}{LINK_PATH}{secret}"


class SignInLinks:
    """The links that were made. Every method blocks. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def state(self, secret: str) -> LinkState:
        """Whether a link can be used, and if not, why. Changes nothing."""
        with self._engine.connect() as conn:
            state: LinkState | None = conn.execute(_STATE_OF_LINK, {"hash": hash_of(secret)}).scalar()
        return state or "unknown"

    def use(self, secret: str, browser: str) -> str | None:
        """Use a link up, and begin its session. Returns the value of the cookie; None if the link cannot be used.

        One of several uses at once succeeds.
        """
        with self._engine.begin() as conn:
            row = conn.execute(_USE_LINK, {"hash": hash_of(secret)}).one_or_none()
            if row is None:
                return None
            new = NewSession(row.sub, tuple(row.roles), row.session_expires_at, row.member_id, row.token_id)
            return begin_on(conn, new, browser)
