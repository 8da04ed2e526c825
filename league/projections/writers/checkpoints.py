"""Checkpoints of fold 2: the states from which a correction folds the league again.

A checkpoint stores what has changed since the one before it. Once these differences are as large as the state, the next
checkpoint is whole. So checkpoints grow with the matches, not with matches times players, and to read one costs at most
twice what a whole one costs.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct, field
from psycopg import sql

from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds.careers import Careers
from league.projections.folds.league_fold import LedgerChange, RatingState, key_of
from league.projections.folds.match_fold import DecidedMatch
from league.projections.runs import Conn, table_of
from league.projections.writers.match_rows import Key

CHECKPOINT_EVERY = 2_000
"""Decided matches between two checkpoints: a correction folds at most this many again that did not change."""


class CarriedState(Struct):
    """The state that the folds carry over from match to match."""

    ratings: RatingState = field(default_factory=RatingState)
    careers: Careers = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many entries it has."""
        return len(self.ratings.standings) + len(self.ratings.last_seen) + len(self.careers)


class Checkpoint(CarriedState):
    """The content of a checkpoint: the whole state, or the entries that have changed since the checkpoint before."""

    whole: bool = True


class LeagueFoldState(Struct):
    """How far fold 2 has come in a run."""

    state: CarriedState = field(default_factory=CarriedState)
    last: Key | None = None
    """The last match that was applied."""
    since_checkpoint: int = 0
    """Matches that were applied since the last checkpoint."""
    standings: set[str] = field(default_factory=set)
    """The ratings that have changed since the last checkpoint, by their keys in the state."""
    players: set[str] = field(default_factory=set)
    """The players who have played since the last checkpoint."""
    since_whole: int = 0
    """Entries of the checkpoints after the last whole one."""

    def note(self, match: DecidedMatch, changes: Sequence[LedgerChange]) -> None:
        """Note that a match was applied, and what it has changed."""
        self.last = (match.decided_at, match.match)
        self.since_checkpoint += 1
        self.players.update(player for side in match.sides for player in side)
        self.standings.update(key_of((change.subject, change.id, change.mode)) for change in changes)


_PACK = msgspec.msgpack.Encoder()
_CONTENT = msgspec.msgpack.Decoder(Checkpoint)


def store_checkpoint(conn: Conn, run: int, reached: LeagueFoldState) -> None:
    """Store a checkpoint at the last match that was applied."""
    assert reached.last is not None
    content = _difference(reached)
    if reached.since_whole + content.size >= reached.state.size:
        content, reached.since_whole = Checkpoint(reached.state.ratings, reached.state.careers), 0
    else:
        reached.since_whole += content.size
    copy_rows(conn, t.checkpoints, [(run, *reached.last, _PACK.encode(content))], run)
    reached.since_checkpoint = 0
    reached.standings.clear()
    reached.players.clear()


def _difference(reached: LeagueFoldState) -> Checkpoint:
    """What has changed since the last checkpoint."""
    ratings, careers = reached.state.ratings, reached.state.careers
    standings = {key: ratings.standings[key] for key in reached.standings}
    last_seen = {player: ratings.last_seen[player] for player in reached.players}
    changed = {player: careers[player] for player in reached.players if player in careers}
    return Checkpoint(RatingState(standings, last_seen, ratings.edition), changed, whole=False)


def state_before(conn: Conn, run: int, key: Key) -> LeagueFoldState:
    """The state of the last checkpoint before a place in the rating order; the initial state if there is none."""
    reached = LeagueFoldState()
    for place, content in checkpoints_before(conn, run, key):
        ratings = reached.state.ratings
        ratings.standings.update(content.ratings.standings)
        ratings.last_seen.update(content.ratings.last_seen)
        ratings.edition = content.ratings.edition
        reached.state.careers.update(content.careers)
        reached.since_whole += 0 if content.whole else content.size
        reached.last = place
    return reached


def checkpoints_before(conn: Conn, run: int, key: Key) -> list[tuple[Key, Checkpoint]]:
    """The last whole checkpoint before a place in the rating order, and the checkpoints between them; oldest first."""
    query = sql.SQL(
        "SELECT decided_at, match_id, state FROM {} WHERE (decided_at, match_id) < (%s, %s)"
        " ORDER BY decided_at DESC, match_id DESC"
    )
    found: list[tuple[Key, Checkpoint]] = []
    with conn.cursor("checkpoints", binary=True) as cursor:  # of the database, because most are not read
        cursor.itersize = 1
        for decided_at, match_id, state in cursor.execute(query.format(table_of(run, "checkpoints")), key):
            found.append(((decided_at, match_id), _CONTENT.decode(state)))
            if found[-1][1].whole:
                break
    return found[::-1]
