"""The rows of disputes, and of the matches that time decides."""

from collections.abc import Iterator, Mapping
from typing import Any

from league.domain.match import MatchState
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.runs import Conn


def store_reviews(conn: Conn, states: Mapping[str, MatchState], known: Mapping[str, MatchState]) -> None:
    """Store what was said about the results of matches; `known`: their states before, where they have one."""
    remove_reviews(conn, [m for m, state in known.items() if state.review.disputes or state.review.confirm_by])
    copy_rows(conn, t.disputes, dispute_rows(states))
    copy_rows(conn, t.pending_matches, pending_rows(states))


def remove_reviews(conn: Conn, matches: list[str]) -> None:
    """Remove what was said about the results of these matches."""
    if matches:
        conn.execute("DELETE FROM disputes WHERE match_id = ANY(%s)", (matches,))
        conn.execute("DELETE FROM pending_matches WHERE match_id = ANY(%s)", (matches,))


def dispute_rows(states: Mapping[str, MatchState]) -> Iterator[tuple[Any, ...]]:
    """The disputes of matches."""
    for match, state in states.items():
        for one in state.review.disputes:
            yield match, one.number, one.player, one.reason, one.opened_at, one.outcome, one.closed_at, one.answer


def pending_rows(states: Mapping[str, MatchState]) -> Iterator[tuple[Any, ...]]:
    """When time decides matches that wait for a confirmation."""
    for match, state in states.items():
        if state.review.due_at is not None:
            yield match, state.review.due_at
