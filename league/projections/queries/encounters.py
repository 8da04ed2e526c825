"""Whom a competitor has met: what one has gained from the other in a month, and the most frequent company."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    FromClause,
    Integer,
    Subquery,
    and_,
    column,
    false,
    func,
    literal,
    select,
    true,
    union,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.rules import SeriesRules
from league.domain.seating import CompetitorId, competitor_of, players_of, sides_of
from league.domain.series import game_points, is_locked, series_points, stake
from league.projections import tables as t
from league.projections.queries import catalogue
from league.projections.queries.matches import facts_by_id
from league.projections.queries.pages import Order, Query
from league.projections.queries.series import ModeMonth, pairs
from league.projections.queries.snapshot import Snapshot, read_rulebook
from league.projections.queries.statistics import CountedMatches, conditions

p, s, m = t.series_pairs.c, t.standings.c, t.matches.c


class MonthOutlook(Struct, frozen=True):
    """A competitor's account with another in a month, and what the next game would change."""

    month: ModeMonth
    own: CompetitorId
    other: str
    rules: SeriesRules
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
        """The series points and the game points, now or after further games."""
        wins, losses = self.wins + more_wins, self.losses + more_losses
        return series_points(wins, losses, self.rules), game_points(wins, losses, self.rules)


def rules_at(snapshot: Snapshot, month: ModeMonth, now: datetime) -> SeriesRules:
    """The rules for a match of this month that begins now, or as near to now as the month allows."""
    began_at = min(max(now, month.starts_at), month.ends_at - timedelta(microseconds=1))
    spans = catalogue.timeline(snapshot)
    in_force = [span.hash for span in spans if span.start is None or span.start <= began_at]
    return read_rulebook(snapshot, in_force[-1]).series


def outlook(snapshot: Snapshot, month: ModeMonth, own: CompetitorId, other: str, now: datetime) -> MonthOutlook:
    """The outlook of a competitor against another."""
    a, b = sorted((own, other))
    row = snapshot.conn.execute(pairs(snapshot.run, month).where(p.a == a, p.b == b)).one_or_none()
    rules, waiting = rules_at(snapshot, month, now), open_matches(snapshot, month, [own])[own].get(other, 0)
    if row is None:
        return MonthOutlook(month, own, other, rules, open_matches=waiting, over=month.is_over(now))
    wins, losses = (row.a_wins, row.b_wins) if own == a else (row.b_wins, row.a_wins)
    return MonthOutlook(month, own, other, rules, wins, losses, row.ignored, waiting, month.is_over(now))


def open_matches(
    snapshot: Snapshot, month: ModeMonth, competitors: Sequence[CompetitorId]
) -> dict[CompetitorId, dict[str, int]]:
    """The number of open matches that count in the series, for each competitor by opponent."""
    mp = t.match_players.c
    in_month = (mp.began_at >= month.starts_at, mp.began_at < month.ends_at)
    theirs = mp.player_id.in_({players_of(own)[0] for own in competitors})
    ids = select(mp.match_id).where(theirs, *in_month)
    found: dict[CompetitorId, dict[str, int]] = {own: {} for own in competitors}
    unfinished = _unfinished(snapshot, month).where(m.match_id.in_(ids))
    for (a, b), matches in Counter(_waiting(snapshot, month, unfinished)).items():
        for own, other in ((a, b), (b, a)):
            if own in found:
                found[own][other] = matches
    return found


def all_open_matches(snapshot: Snapshot, month: ModeMonth) -> Mapping[tuple[CompetitorId, CompetitorId], int]:
    """The number of open matches of a month that count in the series, by the two competitors who play them."""
    in_month = (m.began_at >= month.starts_at, m.began_at < month.ends_at)
    return Counter(_waiting(snapshot, month, _unfinished(snapshot, month).where(*in_month)))


def _unfinished(snapshot: Snapshot, month: ModeMonth) -> Query:
    query = select(m.match_id, m.seats, m.competition, m.edition)
    return query.where(m.run == snapshot.run, m.mode == month.mode, m.status.in_(("open", "pending")))


def _waiting(snapshot: Snapshot, month: ModeMonth, unfinished: Query) -> Iterator[tuple[CompetitorId, CompetitorId]]:
    """The two competitors, in order of their ids, of each match that counts in the series and waits for a result."""
    rows = [
        row
        for row in snapshot.conn.execute(unfinished).all()
        if row.competition in read_rulebook(snapshot, row.edition).series.competitions
    ]
    facts = facts_by_id(snapshot, [row.match_id for row in rows])
    for row in rows:
        played = facts[row.match_id].state.played
        # A match that has ended, but that cannot be judged, is not waiting for a result.
        if played is not None and played.decided_at is None:
            sides = sides_of(month.mode, tuple(row.seats))  # type: ignore[arg-type]  # a mode
            a, b = sorted(map(competitor_of, sides))
            yield a, b


class OpponentGamesRow(NamedTuple):
    """An opponent in a month, with the games against them from the opponent's view."""

    id: str
    wins: int
    losses: int
    ignored: int
    open_matches: int


MOST_AT_STAKE_FIRST = Order((column("below", Integer), column("id", t.Id)))


def opponents(
    run: int, month: ModeMonth, own: CompetitorId, rules: SeriesRules, waiting: Mapping[str, int], now: datetime
) -> Query:
    """The opponents that a competitor can still meet competitively: id, wins, losses, ignored, open_matches.

    A player can meet every other player, a pair every known pair, except erased players. Empty once the month is over.
    `waiting`: the number of open matches by opponent.
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
    players = t.players_of(known.c.id)
    erased = select(t.players.c.player_id).where(t.players.c.name.is_(None), t.players.c.player_id == func.any(players))
    query = query.where(~players.op("&&")(list(players_of(own))), ~erased.correlate(known).exists())
    if month.is_over(now):
        query = query.where(false())
    return select(query.subquery("opponents"))


def _pairs(run: int, month: ModeMonth) -> CompoundSelect[Any]:
    """The pairs that have a rating, and those in the month's standings."""
    r = t.ratings.c
    rated = select(r.id).where(r.run == run, r.subject == "team", r.mode == month.mode)
    return union(rated, select(s.id).where(s.run == run, s.mode == month.mode, s.month == month.month))


def _met(run: int, month: ModeMonth, own: CompetitorId) -> Subquery:
    here = (p.run == run, p.mode == month.mode, p.month == month.month)
    as_a = select(p.b.label("id"), p.a_wins.label("wins"), p.b_wins.label("losses"), p.ignored, p.stake)
    as_b = select(p.a.label("id"), p.b_wins.label("wins"), p.a_wins.label("losses"), p.ignored, p.stake)
    return union_all(as_a.where(*here, p.a == own), as_b.where(*here, p.b == own)).subquery("met")


def _open(waiting: Mapping[str, int]) -> FromClause:
    ids, counts = literal(list(waiting), ARRAY(t.Text)), literal(list(waiting.values()), ARRAY(Integer))
    return func.unnest(ids, counts).table_valued("id", "open_matches").render_derived(name="open")


class EncounterRow(NamedTuple):
    """Two competitors in a month, in the order of their ids."""

    a: CompetitorId
    b: CompetitorId
    a_wins: int
    b_wins: int
    ignored: int
    open_matches: int


BY_IDS = Order((column("a", t.Id), column("b", t.Id)))


def encounters(
    run: int,
    month: ModeMonth,
    among_first: int,
    rules: SeriesRules,
    waiting: Mapping[tuple[CompetitorId, CompetitorId], int],
    now: datetime,
    *,
    may_meet: bool | None = None,
) -> Query:
    """Every two of the first in the standings who can play each other: `EncounterRow`. Erased players are left out.

    `waiting`: the number of open matches. `may_meet`: only pairs of competitors who may open another match (true), or
    only those who may not (false).
    """
    one, other = (_first_standings(run, month, among_first).subquery(name) for name in ("one", "other"))
    a, b = one.c.id, other.c.id
    pair = and_(p.run == run, p.mode == month.mode, p.month == month.month, p.a == a, p.b == b)
    texts = (literal([ids[side] for ids in waiting], ARRAY(t.Text)) for side in (0, 1))
    counts = literal(list(waiting.values()), ARRAY(Integer))
    open_ = func.unnest(*texts, counts).table_valued("a", "b", "open_matches").render_derived(name="open").c
    a_wins, b_wins = func.coalesce(p.a_wins, 0), func.coalesce(p.b_wins, 0)
    open_matches = func.coalesce(open_.open_matches, 0)
    columns = (a.label("a"), b.label("b"), a_wins.label("a_wins"), b_wins.label("b_wins"))
    more = (func.coalesce(p.ignored, 0).label("ignored"), open_matches.label("open_matches"))
    apart = ~t.players_of(a).op("&&")(t.players_of(b))
    joined = one.join(other, and_(a < b, apart)).outerjoin(t.series_pairs, pair)
    joined = joined.outerjoin(open_.a.table, and_(open_.a == a, open_.b == b))
    query = select(*columns, *more).select_from(joined)
    if may_meet is not None:
        may = false() if month.is_over(now) else func.greatest(a_wins, b_wins) + open_matches < rules.limit
        query = query.where(may if may_meet else ~may)
    return select(query.subquery("encounters"))


def no_encounters(run: int) -> Query:
    """An empty list with the columns of `encounters`, for a league that has no rules yet."""
    columns = (p.a, p.b, p.a_wins, p.b_wins, p.ignored, p.stake.label("open_matches"))
    return select(select(*columns).where(p.run == run, false()).subquery("encounters"))


def _first_standings(run: int, month: ModeMonth, most: int) -> Query:
    players = t.players_of(s.id)
    erased = select(t.players.c.player_id).where(t.players.c.name.is_(None), t.players.c.player_id == func.any(players))
    query = select(s.id).where(s.run == run, s.mode == month.mode, s.month == month.month)
    return query.where(~erased.correlate(t.standings).exists()).order_by(s.total.desc(), s.id).limit(most)


# ---------------------------------------------------------------- company


a = t.appearances.c


class CompanyRow(NamedTuple):
    """A partner or an opponent: matches with or against them, and how many of these the list's owner won."""

    id: str
    matches: int
    wins: int


MOST_OFTEN_FIRST = Order((column("seldom", Integer), column("id", t.Id)))


def partners_of(run: int, player: ColumnElement[str], counted: CountedMatches) -> Query:
    """The players who have played on a player's side: id, matches, wins."""
    met = _players_met(a.partner.label("id")).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met)
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_player(run: int, player: ColumnElement[str], counted: CountedMatches) -> Query:
    """The players who have played against a player: id, matches, wins."""
    opponent = func.unnest(a.opponents).table_valued("id").render_derived(name="opponent")
    met = _players_met(opponent.c.id.collate("C").label("id")).join(opponent, true())
    grouped = _most_often(met.where(a.run == run, *conditions(a, counted)))
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_pair(run: int, pair: ColumnElement[str], counted: CountedMatches) -> Query:
    """The pairs that have played against a pair: id, matches, wins."""
    seats = [a.opponents[number].collate("C") for number in (1, 2)]
    team = t.pair_of(*seats)
    met = _players_met(team.label("id"), a.partner).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met, "partner")
    players = (grouped.c.player_id, grouped.c.partner)
    own = t.partners_of(pair)
    return select(grouped).where(*(seat == player for seat, player in zip(players, own, strict=True)))


def _players_met(*columns: Any) -> Query:
    """A row for each player whom a player met in a match."""
    return select(a.player_id, a.won, *columns).select_from(t.appearances)


def _most_often(met: Query, *also: str) -> Subquery:
    """Whom each player met and how often. If one player is asked for, the database reads no other player's rows."""
    m = met.subquery("met").c
    keys = (m.player_id, *(m[name] for name in also), m.id)
    times = func.count()
    # Pages go by ascending keys.
    figures = (times.label("matches"), func.count().filter(m.won).label("wins"), (-times).label("seldom"))
    return select(*keys, *figures).group_by(*keys).subquery("grouped")
