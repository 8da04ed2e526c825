"""Which competitors' matches, and which of them, statistics are computed from."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import CTE, ColumnElement, and_, bindparam, case, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.competitor import CompetitorId, players_of
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.domain.series import bounds
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.queries import catalogue
from league.projections.queries.snapshot import Snapshot


class StatisticsFilter(Struct, frozen=True):
    """Which matches count; None: any."""

    mode: str | None = None
    season: str | None = None
    month: str | None = None
    """Such as `2026-03`, in the league's time zone; a match belongs to the month in which it began."""
    ruleset: str | None = None
    competition: str | None = None
    decided_until: datetime | None = None
    """Only matches decided at or before this time."""


class Counted(Struct, frozen=True):
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
    def shape(self) -> "Counted":
        """The conditions whatever their moments are: one statement serves all that have this shape."""
        return replace(self, **dict.fromkeys(self.moments, ANY_MOMENT))


MOMENTS = ("began_from", "began_before", "decided_until")
ANY_MOMENT = datetime.fromtimestamp(0, UTC)


def conditions(columns: Any, counted: Counted) -> list[ColumnElement[bool]]:
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


def counted(snapshot: Snapshot, wanted: StatisticsFilter) -> Counted:
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
    return Counted(
        equal=tuple((name, value) for name in names if (value := getattr(wanted, name)) is not None),
        began_from=max((start for start, _ in spans if start is not None), default=None),
        began_before=min((end for _, end in spans if end is not None), default=None),
        decided_until=wanted.decided_until,
    )


class Whose(Struct, frozen=True):
    """The owner of the matches: a player, or a pair in either seating."""

    of: CompetitorId
    against: CompetitorId | None = None
    """Only matches with this player, or both players of this pair, on another side."""


def meeting(a: CompetitorId, b: CompetitorId, at: str) -> tuple[Whose, Whose]:
    """Two players or two pairs, each against the other. `at` is the input path of `b`. Raises InvalidInput."""
    one, other = players_of(a), players_of(b)
    if len(one) != len(other):
        raise InvalidInput(at, say("a player meets a player, and a pair meets a pair"))
    if both := sorted(set(one) & set(other)):
        raise InvalidInput(at, say("{both!r} cannot play against or with themselves", both=both[0]))
    return Whose(a, b), Whose(b, a)


STATEMENTS = 64
"""Of each kind of statistics that are kept, by the shape of the filter: to build one takes as long as to execute it."""
OWNERS = ("of_", "against", "player", "partner")


def owned_by(run: int, whose: Sequence[Whose], counted: Counted) -> dict[str, Any]:
    """The parameters of a statement with `played`."""
    pairs = [(*players_of(w.of), None)[:2] for w in whose]
    columns = ([w.of for w in whose], [w.against for w in whose], *([pair[seat] for pair in pairs] for seat in (0, 1)))
    return {"run": run, **dict(zip(OWNERS, columns, strict=True)), **counted.moments}


def played(counted: Counted) -> CTE:
    """A row for each match of each owner: the match from their side, with the sums of a pair's two players.

    The parameters are `owned_by`.
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
            or_(owner.against.is_(None), me.c.opponents.contains(competitor_columns.players_of(owner.against))),
            *conditions(me.c, counted),
        )
    )
    return query.cte("played")


def in_a_row(rows: CTE, counted: Counted) -> CTE:
    """Matches of two sides: only these make streaks and form, unless matches of individuals are asked for."""
    asked_for = ("mode", "individuals") in counted.equal
    return rows if asked_for else select(rows).where(rows.c.mode != "individuals").cte("of_sides")
