"""The tokens that were revoked; and whose rights a link to sign in, and the session that it began, were made with."""

from typing import Any

from psycopg import Connection

from league.domain.audit_trail import STREAM, TokenRevoked
from league.eventlog.records import Append, Request
from league.eventlog.store import EventStore
from league.projections.rows_again.declaration import RowsAgain

# A token that was revoked stays so for good: its expiry is in the token only, and the token is not here.
REVOKE = "INSERT INTO revoked_tokens (jti) VALUES (%s) ON CONFLICT DO NOTHING"
NAMES = ("token-revoked/1",)
UNKNOWN = """
    SELECT jti FROM league.revoked_tokens
    WHERE jti NOT IN (SELECT convert_from(state, 'UTF8')::jsonb #>> '{body,token}' FROM stored_events
                      WHERE topic = 'token-revoked/1')
    ORDER BY jti
"""
REBUILD = Request("rebuild", "manual")

# Who has used a link, and who is signed in, no event says. But a link, and the session that it began, have the rights
# with which the token was made; those of a member have the rights of the member. The log does not say that a token was
# made for a member, but it names whom it is for: a member who never had this name is not the one.
TOKENS = """
    WITH made AS (
        SELECT body ->> 'token' AS token_id, body ->> 'sub' AS sub, (body ->> 'expires_at')::timestamptz AS ends_at,
               ARRAY(SELECT jsonb_array_elements_text(body -> 'roles')) AS roles
        FROM (SELECT convert_from(state, 'UTF8')::jsonb -> 'body' AS body FROM stored_events
              WHERE topic = 'token-made/1') AS events
    ), names AS (
        SELECT substr(originator_id, 8) AS id, convert_from(state, 'UTF8')::jsonb #>> '{body,player}' AS name
        FROM stored_events WHERE topic IN ('member-added/1', 'access-granted/1', 'member-changed/1')
        UNION
        SELECT substr(originator_id, 8), originator_id
        FROM stored_events WHERE topic IN ('member-added/1', 'access-granted/1')
    )
"""
MEMBER = "(SELECT id FROM names WHERE (id, name) = (member_id, made.sub))"
LINKS = f"""
    {TOKENS}
    INSERT INTO sign_in_links (hash, token_id, member_id, sub, roles, expires_at, session_expires_at, used_at)
    SELECT hash, token_id, {MEMBER}, made.sub, made.roles, expires_at, ends_at, used_at
    FROM league.sign_in_links JOIN made USING (token_id)
"""  # noqa: S608  # constants
SESSIONS = f"""
    {TOKENS}
    INSERT INTO web_sessions (hash, token_id, member_id, sub, roles, browser, began_at, expires_at)
    SELECT hash, token_id, CASE WHEN made.sub IS NULL THEN member_id ELSE {MEMBER} END, coalesce(made.sub, ''),
           coalesce(made.roles, '{{}}'), browser, began_at, coalesce(ends_at, expires_at)
    FROM league.web_sessions LEFT JOIN made USING (token_id)
    WHERE ends_at IS NOT NULL OR member_id IS NOT NULL
"""  # noqa: S608  # constants


def revoke(conn: Connection[Any], token: str) -> bool:
    """Accept a token no longer. Returns whether it was accepted until now."""
    return bool(conn.execute(REVOKE, (token,)).rowcount)


def record_revocations(conn: Connection[Any], store: EventStore) -> None:
    """Record the revocations of which the log says nothing: no rebuild lets a token live again.

    The transaction has taken the lock of the log.
    """
    unknown = tuple(TokenRevoked(token) for (token,) in conn.execute(UNKNOWN))
    if unknown:
        store.append_on(conn, [Append(STREAM, store.version_on(conn, STREAM), unknown)], REBUILD)


def _make(conn: Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(NAMES):
        assert isinstance(stored.event, TokenRevoked), "its name says so"
        revoke(conn, stored.event.token)
    conn.execute(LINKS)
    conn.execute(SESSIONS)


TOKEN_ROWS = RowsAgain(("revoked_tokens", "sign_in_links", "web_sessions"), _make)
