"""Makes the rows that commands write with their events again from the whole log: each row has one definition.

The function that writes a row with its event also writes it here, into temporary tables that hide the league's.
Verification compares the two, and a rebuild or a restore replaces the rows that differ. The core declares its rows
here, features declare theirs. `bookkeeping` lists what verification does not compare, with the reasons.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from psycopg import Connection, sql

from league.domain.audit_trail import STREAM, ReplayShown, ReplayWithdrawn, RolledBack, RunPromoted, TokenRevoked
from league.domain.deciders import Event
from league.domain.members import (
    AccessDeclined,
    AccessGranted,
    AccessRequested,
    MemberAdded,
    MemberChanged,
    MemberRemoved,
)
from league.eventlog.recorder import RIGHTS_CHANGED
from league.eventlog.records import Append, AppendRequest
from league.eventlog.sealing import MEMBER_STREAM
from league.eventlog.store import EventStore
from league.features import declared
from league.infra.database import SEARCH_PATH
from league.projections.row_part import RowPart, RowsAgain, SampledResults
from league.projections.runs import END_PROPOSAL, Conn

# ---------------------------------------------------------------- what is not compared


CORE_BOOKKEEPING = {
    "checkpoints": "places from which a correction folds again: they depend on the pages in which the log was folded",
    "official_run": "which run is official, and which one was before",
    "generation": "counts what has changed rows without an event",
    "replays": "the requests for replays; which are shown, with title and reason, is in `shown_replays`",
    "fitted_rules": "what `league tune` has fitted, which warns of comparisons and changes nothing",
    "rules_reviews": "what a worker has found of the rules after a month was closed, which changes nothing",
    "journal": "the steps in which ratings moved depend on when the log was folded; `journal_faults` adds them up",
    "notices": "what is told for a while; what promotions moved is in `promotions` and `promotion_moves`",
    "notice_players": "whom a notice concerns, taken from the journal or from `promotion_moves`",
    "league.singleton": "there is one row",
    "logos": "the log has the SHA-256 of the club's picture, and a constraint compares it with the picture",
    "revoked_tokens.revoked_at": "when the row was written: the event has its own time",
    "revoked_tokens.expires_at": "nothing reads it: a revoked token stays revoked",
    "sign_in_links.hash": "the hash of the secret in the link, which is stored nowhere",
    "sign_in_links.expires_at": "until when the link works: the event tells the end of the session",
    "sign_in_links.used_at": "whether the link was used: a session is no event",
    "web_sessions.hash": "the hash of the secret in the cookie, which is stored nowhere",
    "web_sessions.browser": "what the browser calls itself",
    "web_sessions.began_at": "when the person signed in: a session is no event",
    "play_progress": "up to where the play of hands is counted",
    "match_facts.changed_position": "the page that brought the facts depends on when the log was folded",
    "runs.position": "the log is folded up to there",
    "runs.code": "another version of the folds is a fault of its own",
    "runs.ready": "whether the run may be removed",
    "runs.created_at": "when the run was begun",
    "runs.base": "which rules a replay revises: it decides what may be promoted",
}


@cache
def bookkeeping() -> dict[str, str]:
    """Tables and columns (`table.column`) that are not compared, each with the reason."""
    of_features = {name: reason for part in declared(RowPart) for name, reason in part.bookkeeping.items()}
    return {**CORE_BOOKKEEPING, **of_features}


# ---------------------------------------------------------------- members


# `since` is the time at which the log recorded the member's first event.
INSERT_MEMBER = """
    INSERT INTO members (member_id, subject, name, player_id, roles, standing, since)
    SELECT %s, %s, %s, %s, %s, %s, recorded_at FROM stored_events
    WHERE originator_id = %s AND originator_version = 1
"""
CHANGE_MEMBER = "UPDATE members SET player_id = %s, roles = %s, standing = 'member' WHERE member_id = %s"
DECLINE_MEMBER = "UPDATE members SET standing = 'declined' WHERE member_id = %s"
REMOVE_MEMBER = "DELETE FROM members WHERE member_id = %s"
MEMBER_EVENTS = (
    "member-added/1", "access-requested/1", "access-granted/1", "access-declined/1", "member-changed/1",
    "member-removed/1",
)  # fmt: skip


def write_member(conn: Connection[Any], stream: str, event: Event) -> None:
    """Apply an event of a member to the member's row."""
    member = stream.removeprefix(MEMBER_STREAM)
    match event:
        case MemberAdded():
            given = (event.subject, None, event.player, list(event.roles), "member")
            _insert_member(conn, stream, event.subject, given)
        case AccessRequested():
            _insert_member(conn, stream, event.subject, (event.subject, event.name, None, [], "waiting"))
        case AccessGranted() | MemberChanged():
            conn.execute(CHANGE_MEMBER, (event.player, list(event.roles), member))
        case AccessDeclined():
            conn.execute(DECLINE_MEMBER, (member,))
        case MemberRemoved():
            conn.execute(REMOVE_MEMBER, (member,))


def _insert_member(conn: Connection[Any], stream: str, subject: str | None, columns: tuple[object, ...]) -> None:
    if subject is not None:  # None: the member was removed since, which erased it
        conn.execute(INSERT_MEMBER, (stream.removeprefix(MEMBER_STREAM), *columns, stream))


def _make_member_rows(conn: Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(MEMBER_EVENTS):
        write_member(conn, stored.stream, stored.event)


MEMBER_ROWS = RowsAgain(("members",), _make_member_rows)


# ---------------------------------------------------------------- tokens


# A revoked token stays in this table for ever: only the token itself holds its expiry.
REVOKE = "INSERT INTO revoked_tokens (jti) VALUES (%s) ON CONFLICT DO NOTHING"
TOKEN_EVENTS = ("token-revoked/1",)
UNKNOWN_REVOCATIONS = """
    SELECT jti FROM league.revoked_tokens
    WHERE jti NOT IN (SELECT convert_from(state, 'UTF8')::jsonb #>> '{body,token}' FROM stored_events
                      WHERE topic = 'token-revoked/1')
    ORDER BY jti
"""
REBUILD = AppendRequest("rebuild", "manual")

# No event says who has used a link, or who is signed in. But a link, and the session that it began, have the rights
# with which the token was made, and a member's session has the rights of the member. The log does not say for which
# member a token was made, but it has the name that the token is for: a member who never had this name is not the one.
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
    is_new = bool(conn.execute(REVOKE, (token,)).rowcount)
    if is_new:
        conn.execute(RIGHTS_CHANGED)
    return is_new


def record_revocations(conn: Connection[Any], store: EventStore) -> None:
    """Append the revocations that the log lacks, so that no rebuild makes a revoked token valid again.

    The transaction must hold the lock of the log.
    """
    unknown = tuple(TokenRevoked(token) for (token,) in conn.execute(UNKNOWN_REVOCATIONS))
    if unknown:
        store.append_on(conn, [Append(STREAM, store.version_on(conn, STREAM), unknown)], REBUILD)


def _make_token_rows(conn: Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(TOKEN_EVENTS):
        assert isinstance(stored.event, TokenRevoked), "its name says so"
        revoke(conn, stored.event.token)
    conn.execute(LINKS)
    conn.execute(SESSIONS)


TOKEN_ROWS = RowsAgain(("revoked_tokens", "sign_in_links", "web_sessions"), _make_token_rows)


# ---------------------------------------------------------------- shown candidates


SHOW_REPLAY = """
    INSERT INTO shown_replays (replay, shown_at, title, reason)
    SELECT %s, recorded_at, %s, %s FROM stored_events WHERE position = %s
"""
SHOWING_EVENTS = ("replay-shown/1", "replay-withdrawn/1", "run-promoted/1", "rolled-back/1")


def write_shown(conn: Connection[Any], position: int, event: Event) -> None:
    """Apply an event, stored at a position, that shows a candidate to everybody or ends that."""
    match event:
        case ReplayShown():
            conn.execute(SHOW_REPLAY, (event.replay, event.title, event.reason, position))
        case ReplayWithdrawn():
            conn.execute(END_PROPOSAL, (event.replay,))
        case RunPromoted() | RolledBack():
            conn.execute(END_PROPOSAL, (event.run,))


def _make_shown_rows(conn: Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(SHOWING_EVENTS):
        write_shown(conn, stored.position, stored.event)


SHOWN_ROWS = RowsAgain(("shown_replays",), _make_shown_rows)


# ---------------------------------------------------------------- making them again


# Names without a schema mean the temporary tables, until the transaction ends.
HIDE = f"SET LOCAL search_path = pg_temp, {SEARCH_PATH}"
SHOW = f"SET LOCAL search_path = {SEARCH_PATH}, pg_temp"
MAKE_APART = "CREATE TEMPORARY TABLE {table} (LIKE league.{table} INCLUDING ALL) ON COMMIT DROP"
COLUMNS = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = ('league.' || %s)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
KEYS = """
    SELECT ARRAY(SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (attnum, place)
                 JOIN pg_attribute USING (attnum) WHERE attrelid = indrelid ORDER BY place)
    FROM pg_index WHERE indrelid = ('league.' || %s)::regclass AND indisunique ORDER BY indisprimary DESC, indexrelid
"""

LAST_HASH = "SELECT hash FROM stored_events ORDER BY position DESC LIMIT 1"

# A row that is right stays, with the columns that no event fills.
REMOVE = """
    DELETE FROM league.{table} AS official
    WHERE NOT EXISTS (SELECT FROM pg_temp.{table} AS anew WHERE {same_row} AND {same_values})
"""
ADD = """
    INSERT INTO league.{table} SELECT * FROM pg_temp.{table} AS anew
    WHERE NOT EXISTS (SELECT FROM league.{table} AS official WHERE {same_row})
"""


class ComparedColumns(Struct, frozen=True):
    """The columns of a table whose rows are made again."""

    key: tuple[str, ...]
    compared: tuple[str, ...]
    """The columns that follow from the log, the key included: all that are not in `bookkeeping`."""


def all_rows_again() -> list[RowsAgain]:
    """The declarations of the core and of the installed features."""
    return [MEMBER_ROWS, TOKEN_ROWS, SHOWN_ROWS, *(part.again for part in declared(RowPart))]


def tables_made_again() -> list[str]:
    """The tables whose rows are written with their events."""
    return [table for rows in all_rows_again() for table in rows.tables]


def make_in_temporary_tables(conn: Conn, store: EventStore) -> None:
    """Make all these rows in temporary tables, which hide the league's until the transaction ends."""
    for table in tables_made_again():
        conn.execute(sql.SQL(MAKE_APART).format(table=sql.Identifier(table)))
    conn.execute(HIDE)
    log = store.reading_on(conn)
    for rows in all_rows_again():
        rows.make(conn, log)


def sample_again(conn: Conn, store: EventStore) -> Iterator[SampledResults]:
    """Compute a few long results again, from the rows in the temporary tables."""
    (last,) = conn.execute(LAST_HASH).fetchone() or (b"",)
    for rows in all_rows_again():
        if rows.sample is not None:
            yield rows.sample(conn, store.reading_on(conn), bytes(last))


def write_again(conn: Conn, store: EventStore) -> None:
    """Replace the rows that are not what their events say, in one transaction, under the lock of the log."""
    with conn.transaction():
        store.lock(conn)
        record_revocations(conn, store)
        make_in_temporary_tables(conn, store)
        conn.execute(SHOW)  # triggers read the league's tables
        for table in tables_made_again():
            for statement in _replacing(table, columns_of(conn, table)):
                conn.execute(statement)


def columns_of(conn: Conn, table: str) -> ComparedColumns:
    """The columns of a table. Its key is the first unique key that has no column in `bookkeeping`."""
    compared = [name for (name,) in conn.execute(COLUMNS, (table,)) if f"{table}.{name}" not in bookkeeping()]
    key = next(columns for (columns,) in conn.execute(KEYS, (table,)) if set(columns) <= set(compared))
    return ComparedColumns(tuple(key), tuple(compared))


def _replacing(table: str, columns: ComparedColumns) -> Iterator[sql.Composed]:
    parts = {
        "table": sql.Identifier(table),
        "same_row": sql.SQL("{} = {}").format(_row("anew", columns.key), _row("official", columns.key)),
        "same_values": sql.SQL("{} IS NOT DISTINCT FROM {}").format(
            _row("anew", columns.compared), _row("official", columns.compared)
        ),
    }
    for statement in (REMOVE, ADD):
        yield sql.SQL(statement).format(**parts)


def _row(of: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("ROW({})").format(sql.SQL(", ").join(sql.Identifier(of, name) for name in columns))
