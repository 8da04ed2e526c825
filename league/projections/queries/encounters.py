"""Two competitors in a month: what one has gained from the other, and what the next game would change."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    CompoundSelect,
    FromClause,
    Integer,
    Subquery,
    column,
    false,
    func,
    literal,
    select,
    union,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.domain.rules import Series
from league.domain.seating import sides_of
from league.domain.series import game_points, is_locked, series_points, stake
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.queries import catalogue
from league.projections.queries.editions import read_rulebook
from league.projections.queries.matches import facts_by_id
from league.projections.queries.pages import Order, Query
from league.projections.queries.series import Month, pairs
from league.projections.queries.snapshot import Snapshot

p, s, m = t.series_pairs.c, t.standings.c, t.matches.c


class Outlook(Struct, frozen=True):
    """What a competitor has gained from another one in a month, and what the next game would change."""

    month: Month
    own: CompetitorId
    other: str
    rules: Series
    wins: int = 0
    losses: int = 0
    ignored: int = 0
    """Games beyond the limit."""
    open_matches: int = 0
    over: bool = False
    """Whether the month is over, so that no further games can be played in it."""

    @property
    def locked(self) -> bool:
        """Whether all games of the month that count have been played."""
        return is_locked(self.wins, self.losses, self.rules)

    @property
    def may_meet(self) -> bool:
        """Whether another competitive match may be opened, even if the leader wins every open match."""
        return not self.over and max(self.wins, self.losses) + self.open_matches < self.rules.limit

    @property
    def next_counts(self) -> bool:
        """Whether another game would count."""
        return not self.over and not self.locked

    def holding(self, more_wins: int = 0, more_losses: int = 0) -> tuple[int, int]:
        """Series points and the points of the games, now or after further games."""
        wins, losses = self.wins + more_wins, self.losses + more_losses
        return series_points(wins, losses, self.rules), game_points(wins, losses, self.rules)


def rules_at(snapshot: Snapshot, month: Month, now: datetime) -> Series:
    """The rules for a match of this month that begins now, or as near to now as the month allows."""
    began_at = min(max(now, month.starts_at), month.ends_at - timedelta(microseconds=1))
    spans = catalogue.timeline(snapshot)
    in_force = [span.hash for span in spans if span.start is None or span.start <= began_at]
    return read_rulebook(snapshot, in_force[-1]).series


def outlook(snapshot: Snapshot, month: Month, own: CompetitorId, other: str, now: datetime) -> Outlook:
    """The outlook of a competitor against another one."""
    a, b = sorted((own, other))
    row = snapshot.conn.execute(pairs(snapshot.run, month).where(p.a == a, p.b == b)).one_or_none()
    rules, waiting = rules_at(snapshot, month, now), open_matches(snapshot, month, own).get(other, 0)
    if row is None:
        return Outlook(month, own, other, rules, open_matches=waiting, over=month.is_over(now))
    wins, losses = (row.a_wins, row.b_wins) if own == a else (row.b_wins, row.a_wins)
    return Outlook(month, own, other, rules, wins, losses, row.ignored, waiting, month.is_over(now))


def open_matches(snapshot: Snapshot, month: Month, own: CompetitorId) -> Mapping[str, int]:
    """A competitor's open matches that count in the series, by opponent."""
    mp = t.match_players.c
    query = (
        select(m.match_id, m.seats, m.competition, m.edition)
        .join(t.match_players, mp.match_id == m.match_id)
        .where(mp.player_id == players_of(own)[0], mp.began_at >= month.starts_at, mp.began_at < month.ends_at)
        .where(m.run == snapshot.run, m.mode == month.mode, m.status.in_(("open", "pending")))
    )
    rows = [
        row
        for row in snapshot.conn.execute(query).all()
        if row.competition in read_rulebook(snapshot, row.edition).series.competitions
    ]
    facts = facts_by_id(snapshot, [row.match_id for row in rows])
    found: dict[str, int] = {}
    for row in rows:
        played = facts[row.match_id].state.played
        sides = {competitor_of(side) for side in sides_of(month.mode, tuple(row.seats))}  # type: ignore[arg-type]  # a mode
        # A match that has ended and that cannot be judged is not waiting for a result.
        if own in sides and played is not None and played.decided_at is None:
            (other,) = sides - {own}
            found[other] = found.get(other, 0) + 1
    return found


class OpponentRow(NamedTuple):
    """An opponent in a month, with the games against them from the opponent's view."""

    id: str
    wins: int
    losses: int
    ignored: int
    open_matches: int


MOST_AT_STAKE_FIRST = Order((column("below", Integer), column("id", t.Id)))


def opponents(
    run: int, month: Month, own: CompetitorId, rules: Series, waiting: Mapping[str, int], now: datetime
) -> Query:
    """The opponents that a competitor can still meet competitively: id, wins, losses, ignored, open_matches.

    For a player every other player, for a pair every known pair, except erased ones; empty once the month is over.
    `waiting`: the open matches, by opponent.
    """
    everybody = select(t.players.c.player_id.label("id")) if month.mode == "1v1" else _pairs(run, month)
    known, met, open_ = everybody.subquery("known"), _met(run, month, own), _open(waiting)
    wins, losses = func.coalesce(met.c.wins, 0), func.coalesce(met.c.losses, 0)
    open_matches = func.coalesce(open_.c.open_matches, 0)
    columns = (
        known.c.id.collate("C").label("id"),
        wins.label("wins"),
        losses.label("losses"),
        func.coalesce(met.c.ignored, 0).label("ignored"),
        open_matches.label("open_matches"),
        (-func.coalesce(met.c.stake, stake(0, 0, rules))).label("below"),
    )
    joined = known.join(met, met.c.id == known.c.id, isouter=True).join(open_, open_.c.id == known.c.id, isouter=True)
    query = select(*columns).select_from(joined).where(func.greatest(wins, losses) + open_matches < rules.limit)
    players = competitor_columns.players_of(known.c.id)
    erased = select(t.players.c.player_id).where(t.players.c.name.is_(None), t.players.c.player_id == func.any(players))
    query = query.where(~players.op("&&")(list(players_of(own))), ~erased.exists())
    if month.is_over(now):
        query = query.where(false())
    return select(query.subquery("opponents"))


def _pairs(run: int, month: Month) -> CompoundSelect[Any]:
    """The pairs that have a rating, and those in the month's standings."""
    r = t.ratings.c
    rated = select(r.id).where(r.run == run, r.subject == "team", r.mode == month.mode)
    return union(rated, select(s.id).where(s.run == run, s.mode == month.mode, s.month == month.month))


def _met(run: int, month: Month, own: CompetitorId) -> Subquery:
    here = (p.run == run, p.mode == month.mode, p.month == month.month)
    as_a = select(p.b.label("id"), p.a_wins.label("wins"), p.b_wins.label("losses"), p.ignored, p.stake)
    as_b = select(p.a.label("id"), p.b_wins.label("wins"), p.a_wins.label("losses"), p.ignored, p.stake)
    return union_all(as_a.where(*here, p.a == own), as_b.where(*here, p.b == own)).subquery("met")


def _open(waiting: Mapping[str, int]) -> FromClause:
    ids, counts = literal(list(waiting), ARRAY(t.Text)), literal(list(waiting.values()), ARRAY(Integer))
    return func.unnest(ids, counts).table_valued("id", "open_matches").render_derived(name="open")
