"""Earned badges, and the progress toward the next ones."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, and_, func, select

from league.domain.competitor import CompetitorId, players_of
from league.domain.rules import Badges
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.display_rules import shown_now
from league.projections.folds.badges import measures_of
from league.projections.queries.editions import read_rulebook
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import typed
from league.projections.queries.short import short
from league.projections.queries.snapshot import NO_RUN, Snapshot

b, a, h, m, x = (table.c for table in (t.badges, t.achievements, t.honours, t.matches, t.appearances))

FIRST_HOLDER_FIRST = Order((b.earned_at, b.player_id))
LATEST_FIRST = (b.earned_at.desc(), b.match_id.desc(), b.measure, b.threshold)


class BadgeRow(NamedTuple):
    """A badge that a player has earned."""

    player_id: str
    badge: str
    """The measure and the threshold, such as `streak-5`."""
    measure: str
    threshold: int
    earned_at: datetime
    match_id: str | None
    """None if a closed month earned it."""
    position: int
    edition: str | None
    """The hash of the match's edition."""


class Measured(msgspec.Struct):
    """A player's values that badges measure."""

    streak: int = 0
    """Rated matches won in a row, up to now."""
    best: dict[str, int] = {}
    """By measure, the highest value so far."""


class Progress(msgspec.Struct, frozen=True):
    """A player's progress in one measure. `reached` counts toward `next`; it equals `best`, except for a streak."""

    measure: str
    reached: int
    best: int
    next: int | None
    """The lowest threshold whose badge is not earned yet; None if all are."""


def earned(run: int) -> Query:
    """Every badge that was earned, with the edition of the match that earned it."""
    same_match = (m.run == b.run) & (m.match_id == b.match_id)
    return select(t.badges, m.edition).outerjoin(t.matches, same_match).where(b.run == run)


def holders_of(run: int, badge: ColumnElement[str]) -> Query:
    """The players who have earned a badge."""
    return earned(run).where(b.badge == badge)


@short
def holder_counts(snapshot: Snapshot, badges: Sequence[str]) -> dict[str, int]:
    """How many players hold each badge; badges without a holder are left out."""
    of_each = select(b.badge, func.count().label("total")).group_by(b.badge)
    query = of_each.where(b.run == snapshot.run, b.badge.in_(badges))
    return {row.badge: row.total for row in snapshot.conn.execute(query)}


@short
def badges_by_player(snapshot: Snapshot, players: Sequence[str]) -> dict[str, list[BadgeRow]]:
    """The badges of players, latest first; badges of one match by measure and threshold."""
    found: dict[str, list[BadgeRow]] = {player: [] for player in players}
    rows = snapshot.conn.execute(earned(snapshot.run).where(b.player_id.in_(players)).order_by(*LATEST_FIRST))
    for row in typed(BadgeRow, rows):
        found[row.player_id].append(row)
    return found


@short
def badges_by_pair(snapshot: Snapshot, pairs: Sequence[str]) -> dict[str, list[BadgeRow]]:
    """By pair, the badges that its players earned in matches that they played as partners, in the same order."""
    partners = {player for pair in pairs for player in players_of(CompetitorId(pair))}
    pair = competitor_columns.pair_of(x.player_id, x.partner)
    played = and_(x.run == b.run, x.player_id == b.player_id, x.match_id == b.match_id)
    query = earned(snapshot.run).add_columns(pair.label("pair")).join(t.appearances, played)
    ours = (b.player_id.in_(partners), x.partner.is_not(None), pair.in_(pairs))
    found: dict[str, list[BadgeRow]] = {pair: [] for pair in pairs}
    rows = snapshot.conn.execute(query.where(*ours).order_by(*LATEST_FIRST, b.player_id)).all()
    for untyped, row in zip(rows, typed(BadgeRow, rows), strict=True):
        found[untyped.pair].append(row)
    return found


def measured_by_player(snapshot: Snapshot, players: Sequence[str]) -> dict[str, Measured]:
    """The measured values of each player; players without a match are left out."""
    by_matches = select(a.player_id, a.streak, a.best).where(a.run == snapshot.run, a.player_id.in_(players))
    found = {row.player_id: Measured(row.streak, dict(row.best)) for row in snapshot.conn.execute(by_matches)}
    months = select(h.player_id, h.measure, func.count().label("total")).group_by(h.player_id, h.measure)
    for row in snapshot.conn.execute(months.where(h.run == snapshot.run, h.player_id.in_(players))):
        found[row.player_id].best[row.measure] = row.total
    return found


def shown_rules(snapshot: Snapshot) -> Badges | None:
    """The badges of the displayed edition, that of the latest decided match. None without a match."""
    shown = None if snapshot.run == NO_RUN else shown_now(snapshot.conn, snapshot.run)
    return None if shown is None else shown.rulebook.badges


def rules_by_edition(snapshot: Snapshot, hashes: Sequence[str]) -> dict[str, Badges]:
    """The badges of editions."""
    return {hash_: read_rulebook(snapshot, hash_).badges for hash_ in hashes}


def progress_of(measured: Measured, held: Collection[str], rules: Badges) -> list[Progress]:
    """A player's progress in every measure of an edition; `held`: the player's badges."""
    found = []
    for measure in measures_of(rules):
        key = measure.key
        missing = (threshold for threshold in sorted(measure.thresholds) if f"{key}-{threshold}" not in held)
        reached = measure.definition.reached(measured, key)
        found.append(Progress(key, reached, measured.best.get(key, 0), next(missing, None)))
    return found
