"""Links that sign one browser in, once: the league stores a hash of the secret in a link.

Looking at a link does not use it up, so that the preview of a chat may fetch it; `use` does, and begins the session in
the same transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

import psycopg
from msgspec import Struct
from sqlalchemy import Engine, text

from league.api.auth.web_sessions import NewSession, begin_on, hash_of, new_secret

LIFETIME = timedelta(minutes=15)
PATH = "/sign-in/link/"
"""The path of a link before its secret."""
HERE = "http://127.0.0.1:8000"
"""Where `league serve` listens by default."""

State = Literal["usable", "used", "expired", "unknown"]
"""`unknown`: also one that was taken back, or that expired days ago."""

_INSERT = """
    INSERT INTO sign_in_links (hash, token_id, member_id, sub, roles, expires_at, session_expires_at)
    VALUES (%s, %s, %s, %s, %s, clock_timestamp() + %s, %s)
"""
_DROP_OLD = "DELETE FROM sign_in_links WHERE expires_at < clock_timestamp() - interval '7 days'"
_USABLE = """
    used_at IS NULL AND expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM revoked_tokens WHERE jti = token_id)
    AND (member_id IS NULL OR EXISTS (SELECT FROM members WHERE members.member_id = sign_in_links.member_id))
"""
_STATE = text(f"""
    SELECT CASE WHEN {_USABLE} THEN 'usable' WHEN used_at IS NOT NULL THEN 'used'
                WHEN expires_at <= clock_timestamp() THEN 'expired' ELSE 'unknown' END
    FROM sign_in_links WHERE hash = :hash
""")  # noqa: S608  # constants
_USE = text(f"""
    UPDATE sign_in_links SET used_at = clock_timestamp() WHERE hash = :hash AND {_USABLE}
    RETURNING token_id, member_id, sub, roles, session_expires_at
""")  # noqa: S608  # constants


class Link(Struct, frozen=True):
    """A link to make. The session that it begins has its token id."""

    token_id: str
    sub: str
    roles: tuple[str, ...]
    session_expires_at: datetime
    member: str | None = None
    """The session has the roles of this member."""
    lifetime: timedelta = LIFETIME


def make_link(link: Link, conn: psycopg.Connection[Any]) -> str:
    """Store a link in a transaction. Returns its secret."""
    secret = new_secret()
    conn.execute(_DROP_OLD)
    given = (link.token_id, link.member, link.sub, list(link.roles), link.lifetime, link.session_expires_at)
    conn.execute(_INSERT, (hash_of(secret), *given))
    return secret


def address_of_link(secret: str, public_url: str | None) -> str:
    """What a person opens."""
    return f"{public_url or HERE}{PATH}{secret}"


class SignInLinks:
    """The links that were made. Every method blocks. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def state(self, secret: str) -> State:
        """Whether a link can be used, and if not, why. Changes nothing."""
        with self._engine.connect() as conn:
            state: State | None = conn.execute(_STATE, {"hash": hash_of(secret)}).scalar()
        return state or "unknown"

    def use(self, secret: str, browser: str) -> str | None:
        """Use a link up, and begin its session. Returns the value of the cookie; None if the link cannot be used.

        Of several uses at once, one succeeds.
        """
        with self._engine.begin() as conn:
            row = conn.execute(_USE, {"hash": hash_of(secret)}).one_or_none()
            if row is None:
                return None
            new = NewSession(row.sub, tuple(row.roles), row.session_expires_at, row.member_id, row.token_id)
            return begin_on(conn, new, browser)
