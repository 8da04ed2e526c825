"""The rows of disputes, and of the matches that time decides."""

from collections.abc import Iterator, Mapping
from typing import Any

from league.domain.match import MatchState
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.runs import Conn


def store_reviews(conn: Conn, states: Mapping[str, MatchState], known: Mapping[str, MatchState]) -> None:
    """Store what was said about the results of matches; `known`: their states before, where they have one."""
    outdated = [match for match, state in known.items() if state.review.disputes or state.review.confirm_by]
    if outdated:
        conn.execute("DELETE FROM disputes WHERE match_id = ANY(%s)", (outdated,))
        conn.execute("DELETE FROM pending_matches WHERE match_id = ANY(%s)", (outdated,))
    copy_rows(conn, t.disputes, _dispute_rows(states))
    due = ((match, state.review.due_at) for match, state in states.items())
    copy_rows(conn, t.pending_matches, ((match, due_at) for match, due_at in due if due_at is not None))


def _dispute_rows(states: Mapping[str, MatchState]) -> Iterator[tuple[Any, ...]]:
    for match, state in states.items():
        for one in state.review.disputes:
            yield match, one.number, one.player, one.reason, one.opened_at, one.outcome, one.closed_at, one.answer
