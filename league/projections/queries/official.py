"""Which run a reader reads, and how it is protected from removal in the meantime."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, func, select

from league.domain.competitor import CompetitorId, players_of
from league.domain.player import displayed
from league.domain.refusals import NotFound
from league.domain.sentences import say
from league.projections import tables as t

LISTED_BY = "league replays"
NAMED = 10
"""How many of the latest runs an error names."""


def chosen_run(conn: Connection, run: int | None) -> int:
    """The requested run, or the official one; it cannot be removed until the transaction of `conn` ends.

    Call it before reading anything else in that transaction. Raises NotFound.
    """
    ready = select(t.runs.c.run).where(t.runs.c.run == run, t.runs.c.ready)
    while True:
        found: int | None = conn.scalar(select(t.official_run.c.run) if run is None else ready)
        if found is None:
            if run is None:
                raise NotFound("run", "run", say("of the league yet"))
            there = select(t.runs.c.run).where(t.runs.c.ready).order_by(t.runs.c.run.desc()).limit(NAMED)
            raise NotFound("run", "run", str(run), tuple(map(str, reversed(conn.scalars(there).all()))), LISTED_BY)
        if hold(conn, found):
            return found


def hold(conn: Connection, run: int) -> bool:
    """Protect a run from removal until the transaction ends; False, in a new transaction, if it is already gone.

    A transaction that sees a run also sees its rows, but a dropped table is gone for every transaction. `runs.sweep`
    locks the same table first.
    """
    held: bool = conn.execute(select(func.hold_run(run))).scalar_one()
    if not held:
        conn.rollback()
    return held


def names_of(conn: Connection, ids: Iterable[str], new: Mapping[str, str] | None = None) -> dict[str, str]:
    """The names of competitors by id; for a pair both players' names. An erased player has a pseudonym.

    `new`: the names of players who are not registered yet.
    """
    ids = set(ids)
    players = {player for id_ in ids for player in players_of(CompetitorId(id_))}
    p = t.players.c
    rows = conn.execute(select(p.player_id, p.name).where(p.player_id.in_(players)))
    names = {**(new or {}), **{row.player_id: displayed(row.player_id, row.name) for row in rows}}
    return {id_: " & ".join(names.get(player, player) for player in players_of(CompetitorId(id_))) for id_ in ids}
