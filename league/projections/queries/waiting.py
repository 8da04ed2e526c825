"""What waits for somebody: results that their side has not confirmed, and how much there is to decide."""

from collections.abc import Sequence
from itertools import islice

import msgspec
from sqlalchemy import bindparam, func, select

from league.domain.match import MatchState
from league.domain.seating import side_of
from league.projections import tables as t
from league.projections.queries.matches import MatchRow
from league.projections.queries.pages import Query, typed
from league.projections.queries.players import members
from league.projections.queries.snapshot import Snapshot, short

RESULTS, DISPUTES, MEMBERS = "RESULTS_TO_CONFIRM", "DISPUTES", "ACCESS_REQUESTS"
"""The kinds of things of the core that wait for a decision."""
MOST = 20
"""Limit on the results that are listed."""

_p, _m, _f, _a = t.pending_matches.c, t.matches.c, t.match_facts.c, t.player_aliases.c
_SUB = bindparam("sub", type_=t.Id)
_player = func.coalesce(select(_a.canonical_id).where(_a.player_id == _SUB).scalar_subquery(), _SUB)
# Built once. Pending matches are few: those of the last week that nobody disputes. Each is found by its id.
_OF_PLAYER: Query = (
    select(*(column for column in t.matches.columns if column.name != "decided"), _f.state, _player.label("player"))
    .join(t.pending_matches, _p.match_id == _m.match_id)
    .join(t.match_facts, _f.match_id == _m.match_id)
    .where(_m.run == bindparam("run", type_=_m.run.type), _player == func.any(_m.seats))
    .order_by(_p.due_at, _p.match_id)
)
_COUNTS = select(
    select(func.count()).select_from(t.pending_matches).scalar_subquery().label(RESULTS),
    select(func.count())
    .select_from(t.disputes)
    .where(t.disputes.c.outcome.is_(None))
    .scalar_subquery()
    .label(DISPUTES),
    select(func.count()).select_from(members).where(members.c.standing == "waiting").scalar_subquery().label(MEMBERS),
)
_STATE = msgspec.msgpack.Decoder(MatchState)


@short
def counts_to_decide(snapshot: Snapshot) -> dict[str, int]:
    """How many things of the core wait for a decision, by kind: all, whoever may decide them."""
    return dict(snapshot.conn.execute(_COUNTS).mappings().one())


@short
def results_to_confirm(snapshot: Snapshot, sub: str) -> list[MatchRow]:
    """The results that await the confirmation of a player's side, the next deadline first. Disputed ones do not."""
    found = snapshot.conn.execute(_OF_PLAYER, {"run": snapshot.run, "sub": sub}).all()
    waiting = (row for row in found if not _has_confirmed(row.seats, _STATE.decode(row.state), row.player))
    return list(islice(typed(MatchRow, waiting), MOST))


def _has_confirmed(seats: Sequence[str], state: MatchState, player: str) -> bool:
    """Whether somebody on the player's side has confirmed the result.

    `seats`: as the run has them. A confirmation names its player as of then, who may have been merged since.
    """
    assert state.played is not None, "it has ended"
    mode, confirmed = state.played.mode, {one.player for one in state.review.confirmations}
    sides = {side_of(seat, mode) for seat, one in enumerate(seats) if one == player}
    known_as = zip(seats, state.played.seats, strict=True)
    return any(side_of(seat, mode) in sides and confirmed & {*names} for seat, names in enumerate(known_as))
