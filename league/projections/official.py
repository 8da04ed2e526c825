"""Which run a reader reads."""

from sqlalchemy import Connection, select

from league.domain.refusals import NotFound
from league.projections import tables as t


def chosen_run(conn: Connection, run: int | None) -> int:
    """The run that was asked for, or the official one. Raises NotFound."""
    ready = select(t.runs.c.run).where(t.runs.c.run == run, t.runs.c.ready)
    found: int | None = conn.scalar(select(t.official_run.c.run) if run is None else ready)
    if found is None:
        raise NotFound("run", "run", "of the league yet" if run is None else str(run))
    return found


def names_of(conn: Connection, ids: set[str]) -> dict[str, str]:
    """The names of players by id; of teams both partners' names. Who has no name any more goes by the id."""
    players = {player for id_ in ids for player in id_.split("+")}
    p = t.players.c
    rows = conn.execute(select(p.player_id, p.name).where(p.player_id.in_(players)))
    names = {row.player_id: row.name or row.player_id for row in rows}
    return {id_: " & ".join(names.get(player, player) for player in id_.split("+")) for id_ in ids}
