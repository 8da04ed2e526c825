"""Notices of the league and of a player; and what promotions moved."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Double, Text, case, column, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.timeline import Timeline, replaced_edition
from league.projections import tables as t
from league.projections.notices import NoticeBody, NoticeMove, body_of, moves_of
from league.projections.queries.catalogue import EditionRow
from league.projections.queries.pages import Order, Query, typed
from league.projections.queries.snapshot import Snapshot, short

n, np, a = t.notices.c, t.notice_players.c, t.player_aliases.c

# ---------------------------------------------------------------- notices


class NoticeRow(NamedTuple):
    """A notice; `position` is that of the event that it tells of."""

    notice: int
    kind: str
    position: int
    since: datetime
    until: datetime
    body: Any  # a JSON document: a NoticeBody

    @property
    def told(self) -> NoticeBody:
        """What its sentences are made of."""
        return body_of(self.body)


class PlayerNoticeRow(NamedTuple):
    """A notice with what it moved of a player."""

    notice: int
    kind: str
    position: int
    since: datetime
    until: datetime
    body: Any  # a JSON document: a NoticeBody
    player_id: str
    moves: Any  # a JSON document: NoticeMoves

    @property
    def moved(self) -> list[NoticeMove]:
        """The ratings that moved."""
        return moves_of(self.moves)


NOTICES_LATEST_FIRST = Order((n.position,), descending=True)
THEIRS_LATEST_FIRST = Order((n.position, np.player_id), descending=True)
PLAYERS_BY_MOVE = Order((column("smallness", Double()), column("player_id", t.Id)))


def _is_shown() -> Any:
    """Whether a notice has not ended. It is removed soon after, by a league that follows the log."""
    return n.until > func.now()


def notices(kinds: Sequence[str] | None = None) -> Query:
    """The notices that have not ended; `kinds`: only these."""
    query = select(t.notices).where(_is_shown())
    return query if kinds is None else query.where(n.kind.in_(kinds))


def notices_of(player: Any) -> Query:
    """The notices that concern the player in a column, also under ids that were merged into this one since."""
    merged = select(a.player_id).where(a.canonical_id == player).correlate(player.table)
    # An array, so that the index of players is used.
    ids = func.array_append(func.array(merged.scalar_subquery()), player, type_=ARRAY(t.Text))
    joined = t.notices.join(t.notice_players, np.notice == n.notice)
    return select(*n, np.player_id, np.moves).select_from(joined).where(np.player_id == func.any(ids), _is_shown())


@short
def notice_of_each(snapshot: Snapshot, position: int, players: Sequence[str]) -> dict[str, PlayerNoticeRow]:
    """What the notice of the event at a position tells each of these players; for merged ids the first of them."""
    now = func.coalesce(a.canonical_id, np.player_id).label("now")
    joined = t.notices.join(t.notice_players, np.notice == n.notice)
    joined = joined.outerjoin(t.player_aliases, a.player_id == np.player_id)
    query: Query = select(*n, np.player_id, np.moves, now).select_from(joined)
    query = query.where(n.position == position, now.in_(players), _is_shown()).order_by(np.player_id.desc())
    rows = snapshot.conn.execute(query).all()
    return {row.now: of_row for row, of_row in zip(rows, typed(PlayerNoticeRow, rows), strict=True)}


def players_moved(position: int) -> Query:
    """The players whom the notice of the event at a position concerns, the largest move first."""
    each = func.jsonb_array_elements(np.moves).table_valued("value").render_derived(name="each")
    value: Any = each.c.value
    before, after = (value.op("->>")(literal(name, Text)).cast(Double()) for name in ("before", "after"))
    mode = value.op("->>")(literal("mode", Text))
    size = select(func.max(case((mode != "overall", func.abs(after - before))))).select_from(each).scalar_subquery()
    smallness = (-func.coalesce(size, 0.0)).label("smallness")
    joined = t.notices.join(t.notice_players, np.notice == n.notice)
    rows = select(*n, np.player_id, np.moves, smallness).select_from(joined).where(n.position == position)
    return select(rows.subquery("listed"))


@short
def notices_by_position(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, NoticeRow]:
    """The notices of the events at these positions, also those that have ended."""
    return _by_position(snapshot, select(t.notices).where(n.position.in_(positions)))


@short
def shown_by_position(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, NoticeRow]:
    """The notices of the events at these positions that have not ended."""
    return _by_position(snapshot, notices().where(n.position.in_(positions)))


@short
def undone_by(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, NoticeRow]:
    """The rollback that undid the rules that each of these events adopted; without rules that stand or came back."""
    found: dict[int, NoticeRow] = {}
    rollbacks = select(t.notices).where(n.kind == "rollback").order_by(n.position)
    for rollback in typed(NoticeRow, snapshot.conn.execute(rollbacks)):
        restores = rollback.told.restores
        if restores is None:  # a rollback from before this was stored
            continue
        found.pop(restores, None)
        for position in positions:
            if restores < position < rollback.position:
                found.setdefault(position, rollback)
    return found


@short
def undone_rules(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, list[NoticeRow]]:
    """The notices of the rules that the rollbacks at these positions undid, the latest first."""
    adoptions = select(t.notices).where(n.kind != "correction").order_by(n.position.desc())
    rows = list(typed(NoticeRow, snapshot.conn.execute(adoptions)))
    by = undone_by(snapshot, [row.position for row in rows])
    undone: dict[int, list[NoticeRow]] = {position: [] for position in positions}
    for row in rows:
        if row.position in by and by[row.position].position in undone:
            undone[by[row.position].position].append(row)
    return undone


def _by_position(snapshot: Snapshot, query: Query) -> dict[int, NoticeRow]:
    return {row.position: row for row in typed(NoticeRow, snapshot.conn.execute(query))}


# ---------------------------------------------------------------- promotions


p, m = t.promotions.c, t.promotion_moves.c

PROMOTIONS_LATEST_FIRST = Order((p.position,), descending=True)
MOVES_LARGEST_FIRST = Order(
    (column("smallness", Double()), column("subject", t.Id), column("id", t.Id), column("mode", t.Id))
)


class PromotionRow(NamedTuple):
    """The figures of a promotion or a rollback; `position` is that of the adoption."""

    folded_to: int
    position: int
    players_moved: int
    teams_moved: int
    largest_move: float
    median_move: float
    mean_move: float
    mean_before: float | None
    mean_after: float | None
    matches_changed: int
    hands_changed: int
    standings_changed: int
    encounters_changed: int
    badges_gained: int
    badges_lost: int
    badges_earned_otherwise: int


class PromotionMoveRow(NamedTuple):
    """A rating that a promotion moved, with its rank on the board of its mode; None where there was or is none."""

    subject: str
    id: str
    mode: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None


def promotions() -> Query:
    """Every promotion and rollback whose figures are stored."""
    return select(t.promotions)


@short
def promotions_at(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, PromotionRow]:
    """Promotions by the position of the adoption."""
    rows = snapshot.conn.execute(promotions().where(p.position.in_(positions)))
    return {row.position: row for row in typed(PromotionRow, rows)}


def promotion_moves(folded_to: int, mode: str | None, subject: str | None) -> Query:
    """The ratings that a promotion moved."""
    smallness = (-func.coalesce(func.abs(m.after - m.before), 0.0)).label("smallness")
    query = select(t.promotion_moves, smallness).where(m.folded_to == folded_to)
    query = query if mode is None else query.where(m.mode == mode)
    query = query if subject is None else query.where(m.subject == subject)
    return select(query.subquery("listed"))


# ---------------------------------------------------------------- adoptions


class AdoptionRow(NamedTuple):
    """An adoption of rules, and the edition that it brought."""

    position: int
    adopted_at: datetime
    hash: str
    edition: int | None
    title: str


@short
def adoptions_by_position(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, AdoptionRow]:
    """The adoptions at these positions, each with the edition that it put in the place of another one."""
    d, e = t.adoptions.c, t.editions.c
    brought, before = dict[int, tuple[datetime, int]](), list[tuple[datetime | None, int]]()
    for position, adopted_at, timeline in snapshot.conn.execute(select(t.adoptions).order_by(d.position)):
        after = [(span.start, span.edition) for span in msgspec.convert(timeline, Timeline)]
        if position in positions:
            brought[position] = (adopted_at, replaced_edition(before, after)[1])
        before = after
    numbers = {number for _, number in brought.values()}
    query: Query = select(e.hash, e.edition, e.title).where(e.edition.in_(numbers))
    rows = snapshot.conn.execute(query)
    editions = {row.edition: row for row in typed(EditionRow, rows)}
    return {
        position: AdoptionRow(position, adopted_at, *editions[number])
        for position, (adopted_at, number) in brought.items()
        if number in editions
    }
