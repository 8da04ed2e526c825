"""The commands of nights: who came and left, and the opening of the next match.

A match is opened by the core's own command. What this adds: players who are at another table are not seated by mistake,
also if two phones open a table for the same people at the same moment, and whoever sits down is here.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import psycopg
from msgspec import Struct

from league.application.decisions import CommandPart, DecidedEvents, Decision, RepeatedCommand
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import Faults
from league.domain.match import MatchOpened, OpenMatch
from league.domain.player import check_registered
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.result import MatchFacts, result_of
from league.domain.rules import Competition, Mode
from league.domain.sentences import say
from league.domain.wrong_states import MatchIsOpen
from league.eventlog.records import LoggedEvent, Overtaken
from league.infra.database import connect
from league.nights.events import STREAM, NightEvent, PlayerCame, PlayerLeft
from league.nights.night import (
    NotHere,
    PlayersAtTable,
    bounds_of,
    competition_of_rematch,
    night_of,
    said_last,
    turned,
)

MOST_AT_ONCE = 200
"""Limit on the players who come with one command."""


class NotePlayersCame(Struct, frozen=True):
    """Some players are here tonight."""

    players: tuple[str, ...]


class NotePlayerLeft(Struct, frozen=True):
    """A player has gone home."""

    player: str


class OpenMatchTonight(Struct, frozen=True):
    """Open a match that begins now."""

    match: str
    ruleset: str
    mode: Mode
    competition: Competition
    seats: tuple[str, ...]
    even_if_seated: bool = False
    """Whether players may sit at another table, too."""


class OpenRematch(Struct, frozen=True):
    """Open a match of the players of another match, by the same rules."""

    match: str
    of: str
    """The match that they have played."""
    is_turned: bool = False
    """Whether they sit in other seats, in matches of two pairs with other partners."""
    competition: Competition | None = None
    """None: that of the match before."""
    even_if_seated: bool = False


# ---------------------------------------------------------------- who is here


def _came(command: NotePlayersCame, states: StreamStates) -> Decision:
    """Raises NotFound, WrongState for an erased player, InvalidInput for too many."""
    if not 1 <= len(command.players) <= MOST_AT_ONCE:
        raise InvalidInput("players", say("there can be 1 to {most} players at once", most=MOST_AT_ONCE))
    players = _known(command.players, states)
    stream = _stream(states)
    events = _coming(players, stream, states)
    if not events:
        raise RepeatedCommand(states.events(stream)[-1].position)
    return [DecidedEvents(stream, events)]


def _left(command: NotePlayerLeft, states: StreamStates) -> Decision:
    """Raises NotFound, NotHere, WrongState for an erased player."""
    [player] = _known([command.player], states, at="player")
    stream = _stream(states)
    is_here = _said_last(stream, states).get(player)
    if is_here is None and not any(player in states.read_as(played.seats) for _, played in _tonight([player], states)):
        raise NotHere(say("the player"), say("not here"), say("only somebody who came can leave"), "player")
    if is_here is False:
        raise RepeatedCommand(states.events(stream)[-1].position)
    return [DecidedEvents(stream, [PlayerLeft(player)])]


def _known(players: Sequence[str], states: StreamStates, at: str | None = None) -> list[str]:
    """Players as they are read now, each once. `at`: the field of the only one. Raises all that is wrong with them."""
    states.prefetch(f"player:{player}" for player in players)
    faults: list[Refusal] = []
    for number, player in enumerate(players):
        try:
            check_registered(at or f"players.{number}", player, states.player(player))
        except Refusal as refusal:
            faults.append(refusal)
    if len(faults) == 1:
        raise faults[0]
    Faults.check(faults)
    return [*dict.fromkeys(states.read_as(players))]


def _stream(states: StreamStates) -> str:
    return f"{STREAM}{night_of(states.now, states.zone()).isoformat()}"


def _said_last(stream: str, states: StreamStates) -> dict[str, bool]:
    events: Iterator[Any] = (stored.event for stored in states.events(stream))
    return said_last(events, states.merges().aliases())


def _coming(players: Collection[str], stream: str, states: StreamStates) -> list[NightEvent]:
    """The events of those who are not here yet."""
    here = _said_last(stream, states)
    return [PlayerCame(player) for player in players if not here.get(player)]


# ---------------------------------------------------------------- the next match


def _open(command: OpenMatchTonight, states: StreamStates) -> Decision:
    """Raises PlayersAtTable, and what OpenMatch raises."""
    seats = command.seats
    if not command.even_if_seated:
        _check_free(seats, states)
    opened = OpenMatch(command.match, command.ruleset, command.mode, command.competition, seats)
    stream = _stream(states)
    known = [player for player in seats if states.player(player).registered and not states.player(player).erased]
    came = _coming(dict.fromkeys(states.read_as(known)), stream, states)
    return [DecidedEvents(stream, came, then=[opened])]


def _rematch(command: OpenRematch, states: StreamStates) -> Decision:
    """Raises NotFound, MatchIsOpen, PlayersAtTable, and what OpenMatch raises."""
    played = states.match(command.of).played
    if played is None:
        raise NotFound("of", "match", command.of)
    if _is_open(played, states):
        raise MatchIsOpen(say("the match"), say("open"), say("a rematch begins when it is over"), "of")
    seats = states.read_as(played.seats)
    return _open(
        OpenMatchTonight(
            command.match,
            played.ruleset,
            played.mode,
            command.competition or competition_of_rematch(played.competition),
            turned(played.mode, seats) if command.is_turned else seats,
            command.even_if_seated,
        ),
        states,
    )


def _check_free(seats: Sequence[str], states: StreamStates) -> None:
    """Raise PlayersAtTable if some of the players sit in an open match of tonight, or do so before this is stored."""
    wanted, until = {*seats, *states.read_as(seats)}, states.store.head()
    for match, played in _tonight(seats, states):
        if _is_open(played, states):
            busy = [one for one in played.seats if one in wanted or states.read_as([one])[0] in wanted]
            raise PlayersAtTable(match, tuple(busy), until)

    def check(conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        later = states.store.named_on(conn, until, before, _OPENED)
        if any(_seats_one_of(stored, wanted) for stored in later):
            raise Overtaken(STREAM, "a match with these players was opened meanwhile")

    states.checks.append(check)


_OPENED = ("match-opened/1",)
_FEW = 1_000
"""Limit on the openings of matches that the read side may not have yet. Later ones it has when they matter."""
_SEATED = "SELECT match_id FROM match_players WHERE began_at >= %s AND began_at < %s AND player_id = ANY(%s)"
_FOLDED = "SELECT position FROM runs JOIN official_run USING (run)"


def _tonight(players: Sequence[str], states: StreamStates) -> list[tuple[str, MatchFacts]]:
    """The matches of tonight in which some of these players sit, by their ids, without voided ones."""
    zone = states.zone()
    begins, ends = bounds_of(night_of(states.now, zone), zone)
    wanted = {*players, *states.read_as(players)}
    with connect(states.store.url) as conn:
        found = [row[0] for row in conn.execute(_SEATED, [begins, ends, sorted(wanted)])]
        folded = conn.execute(_FOLDED).fetchone()
    # The read side may not have the last matches yet.
    later = states.store.named_after(folded[0] if folded else 0, states.store.head(), _OPENED, _FEW)
    found += [
        stored.stream.removeprefix("match:")
        for stored in later
        if _seats_one_of(stored, wanted) and begins <= (stored.played_at or stored.recorded_at) < ends
    ]
    matches = [*dict.fromkeys(found)]
    states.prefetch(f"match:{match}" for match in matches)
    known = ((match, states.match(match).played) for match in matches)
    return [(match, played) for match, played in known if played is not None and not played.voided]


def _seats_one_of(stored: LoggedEvent, players: Collection[str]) -> bool:
    return isinstance(stored.event, MatchOpened) and any(seat in players for seat in stored.event.seats)


def _is_open(played: MatchFacts, states: StreamStates) -> bool:
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    return not played.voided and result_of(played, ruleset).status == "open"


COMMANDS = CommandPart(
    handlers={NotePlayersCame: _came, NotePlayerLeft: _left, OpenMatchTonight: _open, OpenRematch: _rematch},
)
