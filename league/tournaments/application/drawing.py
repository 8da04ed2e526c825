"""Drawing a round, and publishing it: each is more than one save, and a crash between them loses nothing.

The drawing is stored first: the seed follows from the log with it. Then the log is signed, and the tables are computed
while no writer waits. Whoever asks next finishes what was left undone.
"""

import structlog
from msgspec import Struct

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.audit.head_signing import ChainBroken, NewKey
from league.audit.log_proofs import root_of
from league.audit.signed_heads import raw
from league.domain.match_refusals import SeriesLocked
from league.domain.refusals import Conflict, Refusal, WrongState
from league.eventlog.records import Stored
from league.infra.database import connect
from league.tournaments.application.locked_pairs import locked_pairs
from league.tournaments.application.tournament_states import STREAM, stored_tournament, tournament_state
from league.tournaments.domain import commands as c
from league.tournaments.domain.drawn import placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.refusals import DrawnAgain
from league.tournaments.domain.seed import seed_of
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.pairing.apart import pair_apart

log = structlog.get_logger()


class Root(Struct, frozen=True):
    """The root of the log up to a position."""

    hex: str
    signed: bool


def draw_round(league: League, command: c.DrawRound, actor: str, key: str | None = None) -> int:
    """Draw the next round and pair it. Returns the position of its tables. Raises Refusal."""
    if command.again is None:
        pair_drawn(league, command.tournament, actor)  # what a crash has left undone
    league.dispatcher.send(command, actor, key=key)
    return pair_drawn(league, command.tournament, actor)


def pair_drawn(league: League, tournament: str, actor: str) -> int:
    """Compute and store the tables of a round that is drawn and not paired yet. Returns the position to wait for."""
    while True:
        state = stored_tournament(league.dispatcher.kept_states, tournament)
        of = state.rounds[-1] if state.rounds else None
        if of is None or of.status != "drawn" or of.root is not None:
            return league.store.newest_position(STREAM + tournament)
        try:
            return _pair(league, state, of, actor)
        except (Conflict, WrongState):  # another process has paired it, or it was drawn again
            continue


def publish_round(league: League, command: c.PublishRound, actor: str, key: str | None = None) -> int:
    """Publish a round. Returns its position. Raises Refusal; DrawnAgain as `draw_apart` has it."""
    pair_drawn(league, command.tournament, actor)  # what a crash has left undone
    try:
        return league.dispatcher.send(command, actor, key=key)
    except SeriesLocked as locked:
        raise draw_apart(league, command, locked, actor) from None


def draw_apart(league: League, command: c.PublishRound, locked: SeriesLocked, actor: str) -> Refusal:
    """Draw a round again whose publication the series has refused: two have met elsewhere since it was drawn.

    Returns the refusal that says so; the same one where the drawing knew all that is locked.
    """
    states = StreamStates(league.store, league.dispatcher.clock(), league.dispatcher.kept_states)
    state = tournament_state(states, command.tournament)
    of = state.round(command.round)
    if state.plan is None or of is None or of.drawing is None:  # it was published meanwhile
        return locked
    if set(locked_pairs(state.plan, state.available(), states)) <= set(of.drawing.locked):
        return locked
    draw_round(league, c.DrawRound(command.tournament, again_without=(locked.a, locked.b)), actor)
    return DrawnAgain(command.tournament, command.round, locked.a, locked.b)


def _pair(league: League, state: TournamentState, of: RoundState, actor: str) -> int:
    assert state.plan is not None, "it is planned"
    assert of.drawing is not None, "it is drawn"
    position = _drawn(league, state.id, of).position
    root = _root_at(league, position)
    seed = seed_of(root.hex, state.id, of.number)
    first = state.rounds[0].order or tuple(one.id for one in placed(of.drawing.competitors, seed))
    paired = pair_apart(state.plan, of.drawing, seed, first)
    command = c.PairRound(state.id, of.number, of.drawings, position, root.hex, root.signed, paired)
    return league.dispatcher.send(command, actor)


def _drawn(league: League, tournament: str, of: RoundState) -> Stored:
    """The last drawing of a round in the log."""
    drawn = [
        stored
        for stored in league.store.load(STREAM + tournament)
        if isinstance(stored.event, RoundDrawn) and stored.event.round == of.number
    ]
    return drawn[of.drawings - 1]


def _root_at(league: League, position: int) -> Root:
    """The root of the log up to a position, which is signed now if the league has a key."""
    signed = False
    if league.key is not None:
        try:
            signed = league.sign_head(until=position) is not None
        except (ChainBroken, NewKey) as error:
            log.warning("drawing_not_signed", reason=str(error))
    public = b"" if league.key is None else raw(league.key.public_key())
    with connect(league.database.url) as conn:
        return Root(root_of(conn, public, 0, position).hex(), signed)
