"""The statistics of a player or a pair: sums, streaks and form over their matches, and how they played turn by turn."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import CTE, ColumnElement, Float, Select, and_, bindparam, case, cast, func, or_, select, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.refusals import InvalidInput, NotFound
from league.domain.seating import CompetitorId, players_of
from league.domain.sentences import say
from league.domain.series import bounds
from league.projections import tables as t
from league.projections.queries import catalogue
from league.projections.queries.pages import grouped, typed
from league.projections.queries.snapshot import Snapshot

# ---------------------------------------------------------------- which matches count, and whose


class StatisticsFilter(Struct, frozen=True):
    """Which matches count; None: any."""

    mode: str | None = None
    season: str | None = None
    month: str | None = None
    """A month such as `2026-03` in the league's time zone. A match belongs to the month in which it began."""
    ruleset: str | None = None
    competition: str | None = None
    decided_until: datetime | None = None
    """Only matches decided at or before this time."""


class CountedMatches(Struct, frozen=True):
    """The matches that pass a filter: equality conditions, a range of beginnings, and a latest time of decision."""

    equal: tuple[tuple[str, str], ...] = ()
    """Columns of `appearances` and their required values."""
    began_from: datetime | None = None
    began_before: datetime | None = None
    decided_until: datetime | None = None

    @property
    def moments(self) -> dict[str, datetime]:
        """Its moments, which are parameters of its statements."""
        named = ((name, getattr(self, name)) for name in MOMENTS)
        return {name: moment for name, moment in named if moment is not None}

    @property
    def shape(self) -> "CountedMatches":
        """The conditions without the values of their moments: one statement serves all filters of this shape."""
        return replace(self, **dict.fromkeys(self.moments, ANY_MOMENT))


MOMENTS = ("began_from", "began_before", "decided_until")
ANY_MOMENT = datetime.fromtimestamp(0, UTC)


def conditions(columns: Any, counted: CountedMatches) -> list[ColumnElement[bool]]:
    """The conditions that select these matches in `appearances`. The moments are parameters with their names."""
    found = [columns[name] == value for name, value in counted.equal]
    moment = {name: bindparam(name, at, columns.decided_at.type) for name, at in counted.moments.items()}
    if "began_from" in moment:
        found.append(columns.began_at >= moment["began_from"])
    if "began_before" in moment:
        found.append(columns.began_at < moment["began_before"])
    if "decided_until" in moment:
        found.append(columns.decided_at <= moment["decided_until"])
    return found


def counted(snapshot: Snapshot, wanted: StatisticsFilter) -> CountedMatches:
    """The matches that pass a filter, by the league's seasons and time zone. Raises NotFound, InvalidInput."""
    spans: list[tuple[datetime | None, datetime | None]] = []
    if wanted.month is not None:
        spans.append(bounds(wanted.month, ZoneInfo(snapshot.zone)))
    if wanted.season is not None:
        season = next((s for s in catalogue.all_seasons(snapshot) if s.season_id == wanted.season), None)
        if season is None:
            raise NotFound("season", "season", wanted.season)
        spans.append((season.starts_at, season.ends_at))
    names = ("mode", "ruleset", "competition")
    return CountedMatches(
        equal=tuple((name, value) for name in names if (value := getattr(wanted, name)) is not None),
        began_from=max((start for start, _ in spans if start is not None), default=None),
        began_before=min((end for _, end in spans if end is not None), default=None),
        decided_until=wanted.decided_until,
    )


class MatchOwner(Struct, frozen=True):
    """The owner of the matches: a player, or a pair in either seating."""

    of: CompetitorId
    against: CompetitorId | None = None
    """Only matches with this player, or both players of this pair, on another side."""


def meeting(a: CompetitorId, b: CompetitorId, at: str) -> tuple[MatchOwner, MatchOwner]:
    """Two players or two pairs, each as the owner of the matches against the other.

    `at` is the input path of `b`. Raises InvalidInput.
    """
    one, other = players_of(a), players_of(b)
    if len(one) != len(other):
        raise InvalidInput(at, say("a player meets a player, and a pair meets a pair"))
    if both := sorted(set(one) & set(other)):
        raise InvalidInput(at, say("{both!r} cannot play against or with themselves", both=both[0]))
    return MatchOwner(a, b), MatchOwner(b, a)


STATEMENTS = 64
"""The most statements that are cached for each kind of statistics: building one takes as long as executing it."""
OWNERS = ("of_", "against", "player", "partner")


def owned_by(run: int, whose: Sequence[MatchOwner], counted: CountedMatches) -> dict[str, Any]:
    """The parameters of a statement that is built on `played`."""
    pairs = [(*players_of(w.of), None)[:2] for w in whose]
    columns = ([w.of for w in whose], [w.against for w in whose], *([pair[seat] for pair in pairs] for seat in (0, 1)))
    return {"run": run, **dict(zip(OWNERS, columns, strict=True)), **counted.moments}


def played(counted: CountedMatches) -> CTE:
    """A row for each match of each owner: the match from their side, with the sums of a pair's two players.

    `owned_by` gives the parameters.
    """
    arrays = (bindparam(name, type_=ARRAY(t.Text)) for name in OWNERS)
    owner = func.unnest(*arrays).table_valued(*OWNERS).render_derived(name="owner").c
    me, mate = t.appearances.alias("me"), t.appearances.alias("mate")
    same_match = (mate.c.run == me.c.run, mate.c.decided_at == me.c.decided_at, mate.c.match_id == me.c.match_id)
    query = (
        select(
            owner.of_,
            owner.against,
            case((owner.partner.is_(None), "player"), else_="team").label("subject"),
            *(me.c[name] for name in ("match_id", "decided_at", "mode", "won", "hands_won", "hands_won_by_block")),
            *(me.c[name] for name in ("pollona", "pollona_suffered", "trailed_by")),
            (me.c.own_score - me.c.other_score).label("difference"),
            *((me.c[name] + func.coalesce(mate.c[name], 0)).label(name) for name in ("capicuas", "viajeras")),
        )
        .join_from(owner.of_.table, me, me.c.player_id == owner.player)
        .outerjoin(mate, and_(mate.c.player_id == owner.partner, *same_match))
        .where(
            me.c.run == bindparam("run"),
            or_(owner.partner.is_(None), me.c.partner == owner.partner),
            or_(owner.against.is_(None), me.c.opponents.contains(t.players_of(owner.against))),
            *conditions(me.c, counted),
        )
    )
    return query.cte("played")


def in_a_row(rows: CTE, counted: CountedMatches) -> CTE:
    """Matches of two sides: only these make streaks and form, unless matches of individuals are asked for."""
    asked_for = ("mode", "individuals") in counted.equal
    return rows if asked_for else select(rows).where(rows.c.mode != "individuals").cte("of_sides")


FORM = 10
"""How many of the latest matches make up the form."""

# ---------------------------------------------------------------- sums


class MatchTotals(Struct, frozen=True):
    """Sums over the matches."""

    matches: int = 0
    wins: int = 0
    average_difference: float | None = None
    """Own score minus the best other score, over the matches with points; None without any."""
    hands_won: int = 0
    """Hands won by the side."""
    hands_won_by_block: int = 0
    capicuas: int = 0
    viajeras: int = 0
    pollonas: int = 0
    pollonas_suffered: int = 0
    recoveries: tuple[tuple[int, int], ...] = ()
    """The matches won after trailing, by step of the recovery badge: the step's points, and the number of matches."""


def totals(snapshot: Snapshot, counted: CountedMatches, whose: Sequence[MatchOwner]) -> dict[MatchOwner, MatchTotals]:
    """The sums of each owner of matches."""
    shown = snapshot.shown_as_of(counted.decided_until)
    steps = tuple(step.behind for step in shown.rulebook.badges.recoveries) if shown else ()
    found = {one: MatchTotals(recoveries=tuple((step, 0) for step in steps)) for one in whose}
    for row in snapshot.conn.execute(_totals(counted.shape, steps), owned_by(snapshot.run, whose, counted)):
        figures = {name: getattr(row, name) for name in MatchTotals.__struct_fields__ if name != "recoveries"}
        recoveries = tuple((step, getattr(row, f"recovery_{n}")) for n, step in enumerate(steps))
        found[MatchOwner(row.of_, row.against)] = MatchTotals(**figures, recoveries=recoveries)
    return found


@lru_cache(STATEMENTS)
def _totals(counted: CountedMatches, steps: tuple[int, ...]) -> Select[Any]:
    p = played(counted).c
    sums = ("hands_won", "hands_won_by_block", "capicuas", "viajeras")
    return select(
        p.of_,
        p.against,
        func.count().label("matches"),
        func.count().filter(p.won).label("wins"),
        cast(func.avg(p.difference), Float(53)).label("average_difference"),
        *(func.sum(p[name]).label(name) for name in sums),
        func.count().filter(p.pollona).label("pollonas"),
        func.count().filter(p.pollona_suffered).label("pollonas_suffered"),
        *(func.count().filter(p.trailed_by >= step).label(f"recovery_{n}") for n, step in enumerate(steps)),
    ).group_by(p.of_, p.against)


# ---------------------------------------------------------------- streaks and form


class MatchStreak(Struct, frozen=True):
    """Consecutive wins or losses in the order decided."""

    won: bool
    length: int
    since: datetime
    """When the first of them was decided."""
    until: datetime
    """When the last of them was decided."""


class MatchStreaks(Struct, frozen=True):
    """The streak of the latest match, and the longest streaks; of equally long ones the earliest."""

    current: MatchStreak | None = None
    longest_won: MatchStreak | None = None
    longest_lost: MatchStreak | None = None


def streaks(snapshot: Snapshot, counted: CountedMatches, whose: Sequence[MatchOwner]) -> dict[MatchOwner, MatchStreaks]:
    """The streaks of each competitor."""
    by_owner: dict[MatchOwner, dict[str, MatchStreak]] = {one: {} for one in whose}
    for row in snapshot.conn.execute(_streaks(counted.shape), owned_by(snapshot.run, whose, counted)):
        streak, of_owner = (
            MatchStreak(row.won, row.length, row.since, row.until),
            by_owner[MatchOwner(row.of_, row.against)],
        )
        if row.latest == 1:
            of_owner["current"] = streak
        if row.longest == 1:
            of_owner["longest_won" if row.won else "longest_lost"] = streak
    return {one: MatchStreaks(**of_owner) for one, of_owner in by_owner.items()}


@lru_cache(STATEMENTS)
def _streaks(counted: CountedMatches) -> Select[Any]:
    rows = in_a_row(played(counted), counted)
    r, in_order = rows.c, (rows.c.decided_at, rows.c.match_id)
    number = func.row_number().over(partition_by=(r.of_, r.against), order_by=in_order)
    number_of_kind = func.row_number().over(partition_by=(r.of_, r.against, r.won), order_by=in_order)
    # Within a streak both numbers grow by one, so their difference identifies the streak.
    numbered = select(
        r.of_, r.against, r.won, r.decided_at, number.label("number"), (number - number_of_kind).label("streak")
    ).subquery("numbered")
    n = numbered.c
    length, last = func.count(), func.max(n.number)
    found = (
        select(
            n.of_,
            n.against,
            n.won,
            length.label("length"),
            func.min(n.decided_at).label("since"),
            func.max(n.decided_at).label("until"),
            func.row_number().over(partition_by=(n.of_, n.against), order_by=last.desc()).label("latest"),
            func.row_number()
            .over(partition_by=(n.of_, n.against, n.won), order_by=(length.desc(), last))
            .label("longest"),
        )
        .group_by(n.of_, n.against, n.won, n.streak)
        .subquery("streaks")
    )
    return select(found).where(or_(found.c.latest == 1, found.c.longest == 1))


class FormRow(NamedTuple):
    """One of the latest matches."""

    match_id: str
    decided_at: datetime
    won: bool


def form(snapshot: Snapshot, counted: CountedMatches, whose: Sequence[MatchOwner]) -> dict[MatchOwner, list[FormRow]]:
    """The last ten matches of each competitor, latest first."""
    latest_ten = snapshot.conn.execute(_form(counted.shape), owned_by(snapshot.run, whose, counted)).all()
    owners = (MatchOwner(row.of_, row.against) for row in latest_ten)
    return grouped(whose, zip(owners, typed(FormRow, latest_ten), strict=True))


@lru_cache(STATEMENTS)
def _form(counted: CountedMatches) -> Select[Any]:
    r = in_a_row(played(counted), counted).c
    latest = (r.decided_at.desc(), r.match_id.desc())
    back = func.row_number().over(partition_by=(r.of_, r.against), order_by=latest)
    numbered = select(r.of_, r.against, r.match_id, r.decided_at, r.won, back.label("back")).subquery("numbered")
    return select(numbered).where(numbered.c.back <= FORM).order_by(numbered.c.back)


# ---------------------------------------------------------------- play, turn by turn


class PlayTotals(Struct, frozen=True):
    """Sums over hands; for a pair, over the hands of both players."""

    hands: int = 0
    """Hands whose turns are known."""
    turns: int = 0
    passes: int = 0
    passes_caused: int = 0
    average_milliseconds: float | None = None
    """The average time of a play; None without a play whose time is known."""
    closed_by_domino: int = 0
    closed_by_block: int = 0
    average_pips: float | None = None
    """The average number of pips that a player held at the end of a hand; None without a hand."""
    led: tuple[tuple[int, int], ...] = ()
    """Each half with the number of hands that a tile with this half led, in ascending order; only halves that led."""


def play_of(snapshot: Snapshot, counted: CountedMatches, whose: Sequence[MatchOwner]) -> dict[MatchOwner, PlayTotals]:
    """How each owner played in these matches."""
    (sums, led), of_these = _play(counted.shape), owned_by(snapshot.run, whose, counted)
    of_halves = snapshot.conn.execute(led, of_these)
    halves = grouped(whose, ((MatchOwner(of, against), (number, times)) for of, against, number, times in of_halves))
    found = {one: PlayTotals() for one in whose}
    for row in snapshot.conn.execute(sums, of_these):
        figures = {name: getattr(row, name) for name in PlayTotals.__struct_fields__ if name != "led"}
        one = MatchOwner(row.of_, row.against)
        found[one] = PlayTotals(**figures, led=tuple(halves[one]))
    return found


@lru_cache(STATEMENTS)
def _play(counted: CountedMatches) -> tuple[Select[Any], Select[Any]]:
    """The statements that read the sums over all hands, and how often each half led."""
    rows, p, h, m = played(counted), t.play_metrics.c, t.hands.c, t.matches.c
    owners = t.players_of(rows.c.of_)
    hands = (
        select(rows.c.of_, rows.c.against, *(column for column in p if column.name != "player_id"))
        .join(t.play_metrics, and_(p.match_id == rows.c.match_id, p.player_id == func.any(owners)))
        .join(t.hands, and_(h.run == bindparam("run"), h.match_id == p.match_id, h.hand == p.hand))
        .join(t.matches, and_(m.run == bindparam("run"), m.match_id == p.match_id))
        .where(h.counted, m.status != "forfeited")
        .cte("of_hands")
    ).c
    sums = ("turns", "passes", "passes_caused")
    query = select(
        hands.of_,
        hands.against,
        func.count(func.distinct(func.row(hands.match_id, hands.hand))).label("hands"),
        *(func.sum(hands[name]).label(name) for name in sums),
        cast(func.sum(hands.milliseconds) / func.nullif(cast(func.sum(hands.timed), Float(53)), 0), Float(53)).label(
            "average_milliseconds"
        ),
        func.count().filter(hands.closed_by == "domino").label("closed_by_domino"),
        func.count().filter(hands.closed_by == "block").label("closed_by_block"),
        cast(func.avg(hands.pips), Float(53)).label("average_pips"),
    ).group_by(hands.of_, hands.against)
    half = func.unnest(hands.led).table_valued("half").render_derived(name="halves")
    # A double has its number twice, and leads with it once.
    led = (
        select(hands.of_, hands.against, half.c.half, func.count(func.distinct(func.row(hands.match_id, hands.hand))))
        .join(half, true())
        .group_by(hands.of_, hands.against, half.c.half)
        .order_by(half.c.half)
    )
    return query, led
