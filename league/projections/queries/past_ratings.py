"""Ratings at a moment of play, from the matches that were decided by then."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import column, func, literal, select, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.projections import tables as t
from league.projections.display_rules import shown_at
from league.projections.folds.ratings import RATED_MODES, LeagueState, RatingRow, Standing, key_of, rating_rows
from league.projections.queries.snapshot import Snapshot


def ratings_at(snapshot: Snapshot, subject: str, at: datetime, ids: Sequence[str]) -> Mapping[str, list[RatingRow]]:
    """The ratings of players (`player`) or pairs (`team`), displayed by the edition of the latest match then."""
    shown = shown_at(snapshot.conn, snapshot.run, [at]).get(at)
    if shown is None:
        return {}
    state = LeagueState()
    for row in _latest_changes(snapshot, subject, at, ids):
        standing = Standing(row.after, row.matches_before + 1, row.decided_at)
        state.standings[key_of((subject, row.id_, row.mode_))] = standing
    if subject == "player":
        state.last_seen = _last_seen(snapshot, at, ids)
    return {id_: rating_rows(state, subject, id_, shown.rulebook.rating) for id_ in ids}


def _latest_changes(snapshot: Snapshot, subject: str, at: datetime, ids: Sequence[str]) -> Sequence[Any]:
    c, id_, mode = t.changes.c, column("id_", t.Id), column("mode_", t.Id)
    owner = func.unnest(literal(list(ids), ARRAY(t.Text))).table_valued(id_).render_derived(name="owner")
    modes = func.unnest(literal(list(RATED_MODES), ARRAY(t.Text))).table_valued(mode).render_derived(name="modes")
    latest = (
        select(c.after, c.matches_before, c.decided_at)
        .where(c.run == snapshot.run, c.subject == subject, c.id == owner.c.id_, c.mode == modes.c.mode_)
        .where(c.decided_at <= at)
        .order_by(c.decided_at.desc(), c.match_id.desc())
        .limit(1)
        .lateral("latest")
    )
    query = select(owner.c.id_, modes.c.mode_, latest).select_from(owner.join(modes, true()).join(latest, true()))
    return snapshot.conn.execute(query).all()


def _last_seen(snapshot: Snapshot, at: datetime, ids: Sequence[str]) -> dict[str, datetime]:
    x = t.appearances.c
    query = select(x.player_id, func.max(x.decided_at).label("seen")).where(
        x.run == snapshot.run, x.player_id.in_(ids), x.decided_at <= at
    )
    return {row.player_id: row.seen for row in snapshot.conn.execute(query.group_by(x.player_id))}
