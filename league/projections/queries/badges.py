"""Earned badges, the progress toward the next ones, and the matches that a badge or an achievement counts."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Integer, and_, case, cast, func, literal, or_, select, tuple_

from league.domain.rules import BadgeRules
from league.domain.seating import CompetitorId, players_of
from league.projections import tables as t
from league.projections.boards.board import display_rules_now
from league.projections.boards.definitions import ADDED
from league.projections.folds.badges import BadgeMeasure, CountedBadge, StreakBadge, measures_of
from league.projections.folds.league_fold import RATED_MODES
from league.projections.queries.matches import ChangeRow
from league.projections.queries.pages import Order, Query, grouped, typed
from league.projections.queries.snapshot import NO_RUN, Snapshot, read_rulebook, short

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


class MeasuredValues(msgspec.Struct):
    """A player's values that badges measure."""

    streak: int = 0
    """Rated matches won in a row, up to now."""
    best: dict[str, int] = {}
    """The highest value of each measure so far."""


class MeasureProgress(msgspec.Struct, frozen=True):
    """A player's progress in one measure. `reached` counts toward `next`; it equals `best`, except for a streak."""

    measure: str
    reached: int
    best: int
    next: int | None
    """The lowest threshold whose badge is not earned yet; None if all are."""


def earned(run: int) -> Query:
    """Every badge that was earned, with the edition of the match that earned it."""
    # No join: PostgreSQL would also look the matches up to count the badges, although a count needs none.
    edition = select(m.edition).where(m.run == b.run, m.match_id == b.match_id).correlate(t.badges)
    return select(t.badges, edition.scalar_subquery().label("edition")).where(b.run == run)


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
    rows = snapshot.conn.execute(earned(snapshot.run).where(b.player_id.in_(players)).order_by(*LATEST_FIRST))
    return grouped(players, ((row.player_id, row) for row in typed(BadgeRow, rows)))


@short
def badges_by_pair(snapshot: Snapshot, pairs: Sequence[str]) -> dict[str, list[BadgeRow]]:
    """The badges that the players of each pair earned in matches as partners, latest first."""
    partners = {player for pair in pairs for player in players_of(CompetitorId(pair))}
    pair = t.pair_of(x.player_id, x.partner)
    played = and_(x.run == b.run, x.player_id == b.player_id, x.match_id == b.match_id)
    query = earned(snapshot.run).add_columns(pair.label("pair")).join(t.appearances, played)
    ours = (b.player_id.in_(partners), x.partner.is_not(None), pair.in_(pairs))
    rows = snapshot.conn.execute(query.where(*ours).order_by(*LATEST_FIRST, b.player_id)).all()
    return grouped(pairs, zip((row.pair for row in rows), typed(BadgeRow, rows), strict=True))


def measured_by_player(snapshot: Snapshot, players: Sequence[str]) -> dict[str, MeasuredValues]:
    """The measured values of each player; players without a match are left out."""
    by_matches = select(a.player_id, a.streak, a.best).where(a.run == snapshot.run, a.player_id.in_(players))
    found = {row.player_id: MeasuredValues(row.streak, dict(row.best)) for row in snapshot.conn.execute(by_matches)}
    months = select(h.player_id, h.measure, func.count().label("total")).group_by(h.player_id, h.measure)
    for row in snapshot.conn.execute(months.where(h.run == snapshot.run, h.player_id.in_(players))):
        found[row.player_id].best[row.measure] = row.total
    return found


def shown_rules(snapshot: Snapshot) -> BadgeRules | None:
    """The badge rules of the displayed edition, which is that of the latest decided match. None without a match."""
    shown = None if snapshot.run == NO_RUN else display_rules_now(snapshot.conn, snapshot.run)
    return None if shown is None else shown.rulebook.badges


def rules_by_edition(snapshot: Snapshot, hashes: Sequence[str]) -> dict[str, BadgeRules]:
    """The badge rules of editions, by hash."""
    return {hash_: read_rulebook(snapshot, hash_).badges for hash_ in hashes}


def progress_of(measured: MeasuredValues, held: Collection[str], rules: BadgeRules) -> list[MeasureProgress]:
    """A player's progress in every measure of an edition; `held`: the player's badges."""
    found = []
    for measure in measures_of(rules):
        key = measure.key
        missing = (threshold for threshold in sorted(measure.thresholds) if f"{key}-{threshold}" not in held)
        reached = measure.definition.reached(measured, key)
        found.append(MeasureProgress(key, reached, measured.best.get(key, 0), next(missing, None)))
    return found


# ---------------------------------------------------------------- what a badge or an achievement counts


appearance = t.appearances.c
change = t.changes.c
match = t.matches.c
honour = t.honours.c
closing = t.closed_months.c
standing = t.standings.c

MOST = 20
"""How many of the latest matches are listed."""


class UpToMatch(Struct, frozen=True):
    """An upper bound on matches: this match included; without an id, all matches decided at that time included."""

    decided_at: datetime
    match: str | None = None


class AddedRow(NamedTuple):
    """A match that added to a count in a player's career."""

    match_id: str
    added: int
    position: int
    """The position of the event that decided the match."""


class LastMatchRow(NamedTuple):
    """The latest decided match of a player."""

    match_id: str
    position: int
    """The position of the event that decided the match."""


class HonourRow(NamedTuple):
    """An honour of a closed month, with one of the standings behind it."""

    month: str
    mode: str | None
    """None: the honour is for both modes."""
    position: int
    """The position of the event that closed the month."""
    standing_mode: str
    standing_id: CompetitorId
    """The player, or the pair."""
    games: int


class CountedProgress(Struct, frozen=True):
    """A count in a player's career."""

    value: int
    latest: Sequence[AddedRow]
    """The latest matches that added to it, latest first."""


def counted(snapshot: Snapshot, player: str, measure: BadgeMeasure, until: UpToMatch) -> CountedProgress:
    """The count of a badge over rated matches; for a streak, over the matches since the last loss."""
    badge = measure.definition
    mine = and_(
        appearance.run == snapshot.run, appearance.player_id == player, appearance.mode.in_(RATED_MODES), _until(until)
    )
    if isinstance(badge, StreakBadge):
        lost = select(appearance.decided_at, appearance.match_id).where(mine, ~appearance.won)
        last = snapshot.conn.execute(
            lost.order_by(appearance.decided_at.desc(), appearance.match_id.desc()).limit(1)
        ).one_or_none()
        if last is not None:
            mine = and_(mine, tuple_(appearance.decided_at, appearance.match_id) > _key(last.decided_at, last.match_id))
        return _summed(snapshot, mine, cast(appearance.won, Integer))
    assert isinstance(badge, CountedBadge), "ratings and months are not counted in matches"
    return _summed(snapshot, mine, cast(badge.added(Appearances(snapshot.run), measure.numbers), Integer))


def achieved(snapshot: Snapshot, player: str, measure: str, until: UpToMatch | None) -> CountedProgress:
    """The count of an achievement over all decided matches. `until` None: up to now, as the fold stored it."""
    mine, added = and_(appearance.run == snapshot.run, appearance.player_id == player), ADDED[measure]
    if until is not None:
        return _summed(snapshot, and_(mine, _until(until)), added)
    a = t.achievements.c
    stored: int = snapshot.conn.execute(
        select(a[measure]).where(a.run == snapshot.run, a.player_id == player)
    ).scalar_one()
    return CountedProgress(stored, _latest(snapshot, mine, added, stored))


def last_change(snapshot: Snapshot, subject: str, id_: str, mode: str, until: UpToMatch) -> ChangeRow | None:
    """The latest change of a rating."""
    mine = and_(
        change.run == snapshot.run,
        change.subject == subject,
        change.id == id_,
        change.mode == mode,
        change.decided_at <= until.decided_at,
    )
    latest_first = (change.decided_at.desc(), change.match_id.desc())
    query = select(t.changes).where(mine).order_by(*latest_first).limit(1)
    return next(typed(ChangeRow, snapshot.conn.execute(query)), None)


def last_match(snapshot: Snapshot, player: str, until: UpToMatch) -> LastMatchRow | None:
    """A player's latest decided match of any kind."""
    latest_first = (appearance.decided_at.desc(), appearance.match_id.desc())
    query: Query = select(appearance.match_id, match.position).join(
        t.matches, (match.run == appearance.run) & (match.match_id == appearance.match_id)
    )
    query = query.where(appearance.run == snapshot.run, appearance.player_id == player, _until(until)).order_by(
        *latest_first
    )
    return next(typed(LastMatchRow, snapshot.conn.execute(query.limit(1))), None)


def honours_until(snapshot: Snapshot, player: str, measure: str, position: int) -> Sequence[HonourRow]:
    """The honours of months closed up to a log position, with the standings behind them."""
    highest = t.standings.alias("highest").c
    first = select(func.max(highest.total)).where(
        highest.run == standing.run, highest.mode == standing.mode, highest.month == standing.month
    )
    theirs = and_(
        standing.run == honour.run,
        standing.month == honour.month,
        t.includes(standing.id, player),
        or_(
            honour.mode.is_(None),
            and_(standing.mode == honour.mode, standing.total == first.correlate(t.standings).scalar_subquery()),
        ),
    )
    query: Query = (
        select(
            honour.month,
            honour.mode,
            closing.position,
            standing.mode.label("standing_mode"),
            standing.id.label("standing_id"),
            (standing.wins + standing.losses).label("games"),
        )
        .join(t.closed_months, closing.month == honour.month)
        .join(t.standings, theirs)
    )
    mine = (
        honour.run == snapshot.run,
        honour.player_id == player,
        honour.measure == measure,
        closing.position <= position,
    )
    query = query.where(*mine).order_by(closing.position, honour.mode, standing.mode, standing.id)
    return list(typed(HonourRow, snapshot.conn.execute(query)))


def highest_rating(snapshot: Snapshot, player: str, established: int) -> ChangeRow | None:
    """The change that reached the highest rating after this many rated matches in its mode; None without one."""
    mine = (
        change.run == snapshot.run,
        change.subject == "player",
        change.id == player,
        change.matches_before + 1 >= established,
    )
    highest_first = (change.after.desc(), change.decided_at, change.match_id)
    query = select(t.changes).where(*mine).order_by(*highest_first).limit(1)
    return next(typed(ChangeRow, snapshot.conn.execute(query)), None)


def _summed(snapshot: Snapshot, mine: ColumnElement[bool], added: ColumnElement[Any]) -> CountedProgress:
    total = int(snapshot.conn.execute(select(func.coalesce(func.sum(added), 0)).where(mine)).scalar_one())
    return CountedProgress(total, _latest(snapshot, mine, added, total))


def _latest(snapshot: Snapshot, mine: ColumnElement[bool], added: ColumnElement[Any], total: int) -> Sequence[AddedRow]:
    query: Query = (
        select(appearance.match_id, added.label("added"), match.position)
        .join(t.matches, (match.run == appearance.run) & (match.match_id == appearance.match_id))
        .where(mine, added > 0)
        .order_by(appearance.decided_at.desc(), appearance.match_id.desc())
        # Stop at the known number of matches instead of searching the rest of a long career.
        .limit(min(total, MOST))
    )
    return list(typed(AddedRow, snapshot.conn.execute(query)))


class Appearances:
    """The table's columns under the attribute names of `folds.badges.Appearance`."""

    def __init__(self, run: int) -> None:
        self._run = run

    def __getattr__(self, name: str) -> ColumnElement[Any]:
        return appearance[name]

    @property
    def rated_higher(self) -> ColumnElement[Any]:
        """The mean rating of the other side minus that of the player's side, before the match; 0 after a forfeit."""
        gap = _gap(self._run)
        return case((_status(self._run) == "forfeited", 0.0), (appearance.won, gap), else_=-gap)


def _gap(run: int) -> ColumnElement[Any]:
    """The mean rating of the side that lost a match minus that of the winning side, before the match."""
    lost, won = (
        func.sum(change.before).filter(change.outcome == score) / func.count().filter(change.outcome == score)
        for score in (0.0, 1.0)
    )
    theirs = (change.run == run, change.match_id == appearance.match_id, change.subject == "player")
    return select(lost - won).where(*theirs).correlate(t.appearances).scalar_subquery()


def _status(run: int) -> ColumnElement[Any]:
    """The status of a match."""
    ended = t.matches.alias("ended").c
    theirs = (ended.run == run, ended.match_id == appearance.match_id)
    return select(ended.status).where(*theirs).correlate(t.appearances).scalar_subquery()


def _until(until: UpToMatch) -> ColumnElement[bool]:
    if until.match is None:
        return appearance.decided_at <= until.decided_at
    place: ColumnElement[bool] = tuple_(appearance.decided_at, appearance.match_id) <= _key(
        until.decided_at, until.match
    )
    return place


def _key(decided_at: datetime, match: str) -> Any:
    return tuple_(literal(decided_at, t.Time), literal(match, t.Id))
