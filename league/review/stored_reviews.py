"""The review of a hand as it is stored: how far it is, with the names that its sentences need."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from sqlalchemy import select, text

from league.domain.rules import Mode
from league.projections import tables as t
from league.projections.queries.match_watch import MatchWatch
from league.projections.queries.merges import former_ids
from league.projections.queries.official import names_of
from league.projections.queries.snapshot import Snapshot
from league.review.hand import Parts
from league.review.moves import ReviewedMove
from league.review.stored_losses import consenting

CHANNEL = "league_reviews"
"""The channel on which each step of a review is announced."""
CHANNELS = (CHANNEL,)

Status = Literal["waiting", "done", "impossible", "failed", "hidden"]

_ROW = text(
    "SELECT status, decisions, moves::text, parts::text FROM hand_reviews WHERE match_id = :match AND hand = :hand"
)
_PROGRESS = text(
    "SELECT hand, version, status, jsonb_array_length(moves) FROM hand_reviews WHERE match_id = :match ORDER BY hand"
)
_MOVES = msgspec.json.Decoder(tuple[ReviewedMove, ...])
_PARTS = msgspec.json.Decoder(tuple[Parts, ...])


class StoredReview(Struct, frozen=True):
    """The review of a hand that somebody asked for."""

    status: Status
    move_count: int | None
    """How many moves there are; None before the first one is reviewed."""
    moves: tuple[ReviewedMove, ...]
    """Those that are reviewed, in their order."""
    parts: tuple[Parts, ...] | None
    """By side, what made the result; None before the review is done."""
    names: tuple[str, ...]
    """Of the players, by seat."""
    mode: Mode


def stored_review(
    snapshot: Snapshot, match: str, hand: int, viewer: str | None, *, sees_all: bool
) -> StoredReview | None:
    """The review of a hand; None if none was requested, or if the run does not know the match yet.

    A voided match has no review: its status is `impossible`, even if a review is stored. All other reviews are hidden
    from viewers who did not sit in the match, unless all its players consent. `viewer`: a player, by any id;
    `sees_all`: whether the viewer is in charge of the league.
    """
    row = snapshot.conn.execute(_ROW, {"match": match, "hand": hand}).one_or_none()
    m = t.matches.c
    of_match = select(m.mode, m.seats, m.status).where(m.run == snapshot.run, m.match_id == match)
    known = None if row is None else snapshot.conn.execute(of_match).one_or_none()
    if row is None or known is None:
        return None
    named = names_of(snapshot.conn, known.seats)
    names = tuple(named[player] for player in known.seats)
    if known.status == "voided":
        return StoredReview("impossible", None, (), None, names, known.mode)
    if not (sees_all or _sat(snapshot, viewer, known.seats) or consenting(snapshot, known.seats) >= {*known.seats}):
        return StoredReview("hidden", None, (), None, names, known.mode)
    return StoredReview(
        row.status,
        row.decisions,
        _MOVES.decode(row.moves),
        None if row.parts is None else _PARTS.decode(row.parts),
        names,
        known.mode,
    )


def _sat(snapshot: Snapshot, viewer: str | None, seats: Sequence[str]) -> bool:
    """Whether the viewer sat in a match, by any id."""
    former = former_ids(snapshot, seats)
    return viewer is not None and any(viewer in {seat, *former[seat]} for seat in seats)


def _progress(snapshot: Snapshot, match: str) -> list[tuple[Any, ...]]:
    """How far the reviews of a match are: by hand the version, the status, and how many moves are reviewed."""
    return [tuple(row) for row in snapshot.conn.execute(_PROGRESS, {"match": match})]


OF_MATCH = MatchWatch(CHANNEL, _progress)
