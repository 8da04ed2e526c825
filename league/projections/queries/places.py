"""Places on a leaderboard: pages, the places around a competitor, how places moved, and which boards may have moved."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    bindparam,
    case,
    func,
    literal,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.seating import CompetitorId
from league.domain.series import month_of
from league.eventlog.kinds import KINDS
from league.projections import tables as t
from league.projections.boards.board import BoardKey, DisplayRules, known_rulebook
from league.projections.boards.dated_boards import RatingBoard
from league.projections.boards.definitions import BOARDS, in_order, rating_board, rating_boards, standings
from league.projections.queries.pages import Order, PageRequest, R, RowPage, bounds, limited, sliced, typed
from league.projections.queries.players import PlayerRow, regions
from league.projections.queries.snapshot import Snapshot, read_rulebook, short

MOST_EQUALS = 20
STATEMENTS = 64
"""The most statements of each kind that are cached. Building one takes longer than executing it."""


class PlaceRow(NamedTuple):
    """A place on a board of any kind. A place in the series can be read as a `StandingRow`, too."""

    rank: int | None
    """From 1, shared by equal values; None while provisional."""
    id: CompetitorId
    value: float
    matches: int
    provisional: bool
    last_decided_at: datetime
    below: float
    """`-value`, which orders the board."""


def read_places(snapshot: Snapshot, kind: type[R], board: BoardKey, page: PageRequest) -> RowPage[R]:
    """A page of a board, as `PlaceRow` or, in the series, also as `StandingRow`. Raises BadCursor."""
    return read_places_with_players(snapshot, kind, board, page)[0]


@short
def read_places_with_players(
    snapshot: Snapshot, kind: type[R], board: BoardKey, page: PageRequest
) -> tuple[RowPage[R], dict[str, PlayerRow]]:
    """As `read_places`, with the players on the page by id, and none for a board of pairs. Raises BadCursor."""
    shown = display_rules_for(snapshot, board)
    if shown is None:
        return RowPage(), {}
    # One cached statement serves all cursors.
    anywhere = replace(page, after=page.after and "", before=page.before and "")
    order, statement = _page_statement(snapshot.run, board, shown.at, shown.edition, anywhere)
    rows = snapshot.conn.execute(statement, bounds(order, page)).all()
    players = typed(PlayerRow, rows) if _is_of_players(board) else ()
    by_id = {player.player_id: player for player in players}
    return sliced(kind, rows[::-1] if page.backward else rows, order, page), by_id


def _is_of_players(board: BoardKey) -> bool:
    return BOARDS[board.kind].competitor(board.mode) == "player"


def _shown(at: datetime, edition: str) -> DisplayRules:
    """The display rules of a moment and an edition that the snapshot has read."""
    rulebook = known_rulebook(edition)
    assert rulebook is not None, "the snapshot has read it"
    return DisplayRules(at, rulebook, edition)


@lru_cache(STATEMENTS)
def _page_statement(
    run: int, board: BoardKey, at: datetime, edition: str, page: PageRequest
) -> tuple[Order, Select[Any]]:
    """The statement that reads a page of a board, on a board of players with these. `bounds` gives the parameters."""
    shown = _shown(at, edition)
    everybody = standings(run, board, shown)
    order = place_order(everybody)
    statement = _with_ranks(run, board, shown, everybody, limited(select(everybody), order, page))
    if _is_of_players(board):
        places = statement.subquery("places")
        of_players = [t.players.c[name] for name in PlayerRow._fields]
        joined = places.outerjoin(t.players, places.c.id == t.players.c.player_id)
        statement = select(places, *of_players).select_from(joined).order_by(*in_order(places))
    return order, statement


@short
def count_places(snapshot: Snapshot, board: BoardKey) -> int:
    """How many competitors are on a board."""
    shown = display_rules_for(snapshot, board)
    if shown is None:
        return 0
    return snapshot.conn.execute(_count_statement(snapshot.run, board, shown.at, shown.edition)).scalar_one()


@lru_cache(STATEMENTS)
def _count_statement(run: int, board: BoardKey, at: datetime, edition: str) -> Select[int]:
    return select(func.count()).select_from(standings(run, board, _shown(at, edition)))


@short
def read_around(snapshot: Snapshot, kind: type[R], board: BoardKey, id_: str, radius: int) -> Sequence[R]:
    """The place of a competitor and the `radius` places above and below; empty if the competitor is not listed."""
    shown = display_rules_for(snapshot, board)
    if shown is None:
        return ()
    everybody = standings(snapshot.run, board, shown)
    columns = place_order(everybody).columns
    own = snapshot.conn.execute(select(*columns).where(everybody.c.id == id_)).one_or_none()
    if own is None:
        return ()
    key, here = tuple_(*columns), tuple_(*(literal(v, c.type) for v, c in zip(own, columns, strict=True)))
    above = select(everybody).where(key < here).order_by(*(c.desc() for c in columns)).limit(radius)
    below = select(everybody).where(key >= here).order_by(*columns).limit(radius + 1)
    rows = union_all(*(select(part.subquery()) for part in (above, below)))
    return list(typed(kind, snapshot.conn.execute(_with_ranks(snapshot.run, board, shown, everybody, rows))))


Missing = Literal["inactive", "other_region", "nothing_counts"]
"""Why a competitor is not on a board."""


@short
def why_missing(snapshot: Snapshot, board: BoardKey, id_: str) -> Missing:
    """Why a competitor who is not on a board is not there."""
    everybody = replace(board, include_inactive=True)
    if read_around(snapshot, PlaceRow, everybody, id_, 0):
        return "inactive"
    if board.region is not None and read_around(snapshot, PlaceRow, replace(everybody, region=None), id_, 0):
        return "other_region"
    return "nothing_counts"


class EqualPlaces(Struct, frozen=True):
    """The other competitors who share a rank."""

    ids: Sequence[str]
    """The ids of at most `MOST_EQUALS` of them."""
    count: int
    """How many there are in all."""


def read_equals(snapshot: Snapshot, board: BoardKey, place: PlaceRow) -> EqualPlaces:
    """The other competitors with the rank of a place; empty while provisional."""
    shown = display_rules_for(snapshot, board)
    if shown is None or place.provisional:
        return EqualPlaces((), 0)
    e = standings(snapshot.run, board, shown).c
    same = (e.below == literal(place.below, e.below.type), ~e.provisional, e.id != place.id)
    query = select(e.id, func.count().over().label("total")).where(*same).order_by(e.id).limit(MOST_EQUALS)
    rows = snapshot.conn.execute(query).all()
    return EqualPlaces([row.id for row in rows], rows[0].total if rows else 0)


class RankAtMoment(NamedTuple):
    """A rank at a moment of play."""

    at: datetime
    rank: int


def ranks_on(snapshot: Snapshot, board: BoardKey, ids: Sequence[str]) -> Mapping[str, int]:
    """The ranks of these competitors on a board; those without a rank are left out."""
    shown = display_rules_for(snapshot, board)
    if shown is None:
        return {}
    statement = _ranks_statement(snapshot.run, board, shown.at, shown.edition)
    return {row.id: row.rank for row in snapshot.conn.execute(statement, {"ids": list(ids)})}


@lru_cache(STATEMENTS)
def _ranks_statement(
    run: int, board: BoardKey, at: datetime, edition: str, *, provisional: bool = False
) -> Select[Any]:
    """The statement that reads the ranks of some competitors among the established or the provisional ones.

    Its parameter is `ids`. It reads no further than the lowest of them.
    """
    everybody = standings(run, board, _shown(at, edition))
    e, ids = everybody.c, bindparam("ids", type_=ARRAY(t.Text))
    group = e.provisional if provisional else ~e.provisional
    lowest = select(func.max(e.below)).where(e.id == func.any(ids), group).scalar_subquery()
    rank = func.rank().over(order_by=e.below).label("rank")
    placed = select(e.id, rank).where(group, e.below <= lowest).subquery("placed")
    return select(placed).where(placed.c.id == func.any(ids))


class PlaceAmongProvisional(NamedTuple):
    """The place of a provisional competitor among the provisional ones of a board."""

    rank: int
    """From 1, shared by equal values."""
    matches_to_go: int
    """Rated matches until the competitor is established; on the overall board, in the mode that needs the fewest."""


def places_among_provisional(
    snapshot: Snapshot, board: BoardKey, ids: Sequence[str]
) -> Mapping[str, PlaceAmongProvisional]:
    """The provisional places of these competitors on a board of ratings; established ones are left out."""
    shown, definition = display_rules_for(snapshot, board), BOARDS[board.kind]
    if shown is None or not isinstance(definition, RatingBoard):
        return {}
    below = shown.rulebook.rating.provisional_below
    statement = _ranks_statement(snapshot.run, board, shown.at, shown.edition, provisional=True)
    ranks = {row.id: row.rank for row in snapshot.conn.execute(statement, {"ids": list(ids)})}
    to_go: dict[str, int] = {}
    for mode in definition.modes:
        of_mode = BoardKey(rating_board(definition.subject, mode).kind, include_inactive=True, as_of=board.as_of)
        rated = standings(snapshot.run, of_mode, shown).c
        for row in snapshot.conn.execute(select(rated.id, rated.matches).where(rated.id.in_(ranks))):
            to_go[row.id] = min(to_go.get(row.id, below), below - row.matches)
    return {id_: PlaceAmongProvisional(rank, to_go[id_]) for id_, rank in ranks.items()}


def ranks_before(snapshot: Snapshot, board: BoardKey, days: int, ids: Sequence[str]) -> Mapping[str, RankAtMoment]:
    """The ranks that these competitors had a number of 24-hour days before the moment that the board shows.

    Competitors who had no rank then are left out.
    """
    shown = snapshot.shown
    if shown is None:
        return {}
    try:
        moment = (board.as_of or shown.at) - timedelta(days=days)
    except OverflowError:
        return {}
    return {
        id_: RankAtMoment(moment, rank) for id_, rank in ranks_on(snapshot, replace(board, as_of=moment), ids).items()
    }


@short
def display_rules_for(snapshot: Snapshot, board: BoardKey) -> DisplayRules | None:
    """The moment and the edition for displaying a board; None if no match was decided by then."""
    return snapshot.shown_as_of(board.as_of)


def place_order(places: FromClause) -> Order:
    """The order of the places on a board."""
    # The key of a cursor is value and id, not rank: a rank changes whenever a competitor above comes or goes.
    return Order(in_order(places))


def _with_ranks(run: int, board: BoardKey, shown: DisplayRules, everybody: FromClause, rows: Any) -> Select[Any]:
    """Consecutive rows of a board, in its order, with their ranks."""
    page = rows.cte("page")
    p, e = page.c, everybody.c
    first = select(p.below, p.id).where(~p.provisional).order_by(p.below, p.id).limit(1).cte("first")
    f = first.c
    above = (
        select(func.count().label("all"), func.count().filter(e.below < f.below).label("better"))
        .select_from(everybody.join(first, tuple_(e.below, e.id) < tuple_(f.below, f.id)))
        .where(~e.provisional)
        .cte("above")
    )
    within = func.rank().over(partition_by=p.provisional, order_by=p.below)
    rank = case(
        (p.provisional, None),
        # Competitors with the value of the first row may be on the page before as well.
        (p.below == select(f.below).scalar_subquery(), above.c.better + 1),
        else_=above.c["all"] + within,
    )
    query = select(page, rank.label("rank"))
    if "last_decided_at" not in p:
        latest = BOARDS[board.kind].last_decided_at(run, board, p.id, shown.at)
        query = query.add_columns(latest.label("last_decided_at"))
    return query.select_from(page.join(above, literal(True))).order_by(p.provisional, p.below, p.id)


# ---------------------------------------------------------------- which boards may have moved


class BoardOfLeague(NamedTuple):
    """A board of the whole league."""

    kind: str
    month: str = ""
    """The month of a monthly board; empty: any month."""
    mode: str = ""
    """The mode of a monthly board; empty: any mode."""


Moved = dict[BoardOfLeague, set[str]]
"""The boards of the whole league that may have moved, each with the regions whose own board may have moved too."""

MOST_EVENTS = 5_000
"""After more events than this, such as an imported season, all boards are listed."""

SILENT = frozenset(kind.name for kind in KINDS if kind.boards == "none")
ADDS = SILENT.union(kind.name for kind in KINDS if kind.boards == "added")

_SINCE = text(
    "SELECT originator_id, array_agg(DISTINCT topic) AS topics, count(*) AS events FROM followed_events"
    " WHERE position > :since AND position <= :position GROUP BY originator_id"
)


class SeenState(Struct, frozen=True):
    """A state of the read side that a client has seen."""

    run: int
    position: int
    shown: DisplayRules | None
    """The display rules at that time."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> "SeenState":
        """The state that a snapshot shows."""
        return cls(snapshot.run, snapshot.position, snapshot.shown)


def moved_boards(snapshot: Snapshot, seen: SeenState) -> Moved:
    """The boards that may have moved since a state, derived from the log in a few statements without reading a board.

    The list includes every board that moved; a listed board may be unchanged.
    """
    now, before = snapshot.shown, seen.shown
    if snapshot.run == seen.run and now is before is None:
        return {}
    if snapshot.run != seen.run or now is None or before is None or now.rulebook != before.rulebook:
        return _all(snapshot)
    streams = snapshot.conn.execute(_SINCE, {"since": seen.position, "position": snapshot.position}).all()
    spoken = [row for row in streams if not SILENT.issuperset(row.topics)]
    if any(not row.originator_id.startswith("match:") for row in spoken) or sum(r.events for r in spoken) > MOST_EVENTS:
        return _all(snapshot)
    moved: Moved = {}
    spoken_of = {row.originator_id.partition(":")[2]: set(row.topics) for row in spoken}
    added = {match for match, topics in spoken_of.items() if topics <= ADDS}
    matches = [row for row in _matches(snapshot, list(spoken_of)) if row.decided_at or row.match_id not in added]
    if matches:
        # A match that was taken back may have been decided at any time after it began.
        earliest = min(row.decided_at if row.match_id in added else row.began_at for row in matches)
        for subject, mode, region in _rated_since(snapshot, earliest):
            _add(
                moved,
                [BoardOfLeague(one.kind) for one in BOARDS.values() if one.is_moved_by_rating(subject, mode)],
                region,
            )
        zone = ZoneInfo(snapshot.zone)
        for row in matches:
            month, rules = month_of(row.began_at, zone), read_rulebook(snapshot, row.edition)
            boards = [
                BoardOfLeague(one.kind, month, row.mode) if one.monthly else BoardOfLeague(one.kind)
                for one in BOARDS.values()
                if one.is_moved_by(row.mode, row.competition, rules)
            ]
            for region in _regions(snapshot, row.seats):
                _add(moved, boards, region)
    for kind, region in _fallen_inactive(snapshot, before.active_since, now.active_since):
        _add(moved, [BoardOfLeague(kind)], region)
    return moved


def _all(snapshot: Snapshot) -> Moved:
    everywhere = set(regions(snapshot))
    return {BoardOfLeague(kind): set(everywhere) for kind in BOARDS}


def _add(moved: Moved, boards: Sequence[BoardOfLeague], region: str | None) -> None:
    for board in boards:
        moved.setdefault(board, set()).update([] if region is None else [region])


def _matches(snapshot: Snapshot, ids: Sequence[str]) -> Sequence[Any]:
    m = t.matches.c
    columns = (m.match_id, m.began_at, m.decided_at, m.mode, m.competition, m.edition, m.seats)
    return snapshot.conn.execute(select(*columns).where(m.run == snapshot.run, m.match_id.in_(ids))).all()


def _rated_since(snapshot: Snapshot, earliest: datetime) -> Iterator[tuple[str, str, str | None]]:
    """The subject, mode and region of every rating change decided at a time or later."""
    c = t.changes.c
    later = (c.run == snapshot.run, c.decided_at >= earliest)
    yield from snapshot.conn.execute(select(c.subject, c.mode, _region(c.id)).where(*later).distinct())


def _fallen_inactive(snapshot: Snapshot, before: datetime, now: datetime) -> Iterator[tuple[str, str | None]]:
    """The boards and regions of competitors who were active at the time `before` and no longer are."""
    r = t.ratings.c
    for board in rating_boards():
        ours = (r.run == snapshot.run, r.subject == board.subject, r.mode == board.mode)
        fallen = (r.last_decided_at >= before, r.last_decided_at < now)
        for region in snapshot.conn.scalars(select(_region(r.id)).where(*ours, *fallen).distinct()):
            yield board.kind, region


def _region(id_: ColumnElement[str]) -> ColumnElement[Any]:
    """The region of a player, or the common region of both partners of a pair; null if there is none."""
    p = t.players.c
    players = select(p.region).where(p.player_id == func.any(t.players_of(id_)))
    same = func.count(p.region.distinct()) == 1
    return players.with_only_columns(func.min(p.region)).having(same).correlate_except(t.players).scalar_subquery()


def _regions(snapshot: Snapshot, players: Sequence[str]) -> Sequence[str | None]:
    p = t.players.c
    return snapshot.conn.scalars(select(p.region).where(p.player_id.in_(players)).distinct()).all()
