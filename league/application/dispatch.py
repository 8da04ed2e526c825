"""From a command to events: load the streams it speaks of, decide, append; decide again when somebody was faster."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from league.application.world import World
from league.domain import league, match, match_decider, player, rulebook, season, series_entry
from league.domain.refusals import Conflict, InvalidInput, KeyReused, Refusal, WrongState
from league.domain.result import sides_of
from league.domain.series import bounds
from league.domain.series_entry import Encounter
from league.eventlog.codec import Event
from league.eventlog.store import Append, EventStore, KeyDestroyed, KeyTaken, Request, VersionConflict

Clock = Callable[[], datetime]
Command = Any
"""A frozen struct of league.domain; HANDLERS knows which."""
Decision = list[tuple[str, Sequence[Event]]]
"""The events that are to be appended, by stream."""

ATTEMPTS = 8
"""How often a command is decided anew when another writer was faster."""


def _rules_of(command: Any, world: World) -> tuple[match.MatchState, Any]:
    """A match, and the edition under which it is played."""
    state = world.match(command.match)
    return state, world.rulebook().at(state.played.began_at if state.played else world.now)


def _open_match(command: match.OpenMatch, world: World) -> Decision:
    player.check_id("match", command.match)
    if command.played_at is not None and command.played_at.tzinfo is None:
        # Said here too: the edition in force cannot be found by such a time.
        raise InvalidInput("played_at", "needs an offset from UTC")
    edition = world.rulebook().at(command.played_at or world.now)
    players = world.known_players(command.seats)
    events = match_decider.open_match(command, world.match(command.match), edition, players, world.now)
    decision: Decision = [(f"match:{command.match}", events)]
    if series_entry.is_entered(command.mode, command.competition, edition.series):
        sides, began_at = sides_of(command.mode, command.seats), command.played_at or world.now
        encounter = Encounter.of(command.mode, sides, began_at, world.zone())
        _, free_at = bounds(encounter.month, world.zone())
        entered = series_entry.enter_match(command.match, encounter, world.entered(encounter), edition.series, free_at)
        decision.append((encounter.stream, entered))
    return decision


def _on_match(decide: Callable[..., list[match.MatchEvent]], *, at_a_time: bool) -> Callable[[Any, World], Decision]:
    """A handler for a command on a match; `at_a_time`: its decider needs to know what time it is."""

    def handle(command: Any, world: World) -> Decision:
        state, edition = _rules_of(command, world)
        events = decide(command, state, edition, world.now) if at_a_time else decide(command, state, edition)
        return [(f"match:{command.match}", events)]

    return handle


def _create_league(command: league.CreateLeague, world: World) -> Decision:
    return [("league", league.create_league(command, world.league()))]


def _change_settings(command: league.ChangeSettings, world: World) -> Decision:
    return [("league", league.change_settings(command, world.league()))]


def _close_month(command: league.CloseMonth, world: World) -> Decision:
    world.rulebook().at(world.now)  # without rules no month has standings
    bounds(command.month, world.zone())  # nothing is looked for by what is no month
    entered = world.competed_in(command.month)
    return [("league", league.close_month(command, world.league(), world.now, entered=entered))]


def _check_league(world: World) -> None:
    if world.league().name is None:
        raise WrongState("the league", "not there", "create it first (`league init`)")


def _register_player(command: player.RegisterPlayer, world: World) -> Decision:
    _check_league(world)
    return [(f"player:{command.player}", player.register_player(command, world.player(command.player)))]


def _rename_player(command: player.RenamePlayer, world: World) -> Decision:
    return [(f"player:{command.player}", player.rename_player(command, world.player(command.player)))]


def _move_player(command: player.MovePlayer, world: World) -> Decision:
    return [(f"player:{command.player}", player.move_player(command, world.player(command.player)))]


def _erase_player(command: player.ErasePlayer, world: World) -> Decision:
    return [(f"player:{command.player}", player.erase_player(command, world.player(command.player)))]


def _open_season(command: season.OpenSeason, world: World) -> Decision:
    _check_league(world)
    return [("season", season.open_season(command, world.seasons()))]


def _close_season(command: season.CloseSeason, world: World) -> Decision:
    return [("season", season.close_season(command, world.seasons()))]


def _publish_edition(command: rulebook.PublishEdition, world: World) -> Decision:
    _check_league(world)
    return [("rulebook", rulebook.publish_edition(command, world.rulebook()))]


def _adopt_edition(command: rulebook.AdoptEdition, world: World) -> Decision:
    return [("rulebook", rulebook.adopt_edition(command, world.rulebook()))]


HANDLERS: dict[type[Any], Callable[[Any, World], Decision]] = {
    league.CreateLeague: _create_league,
    league.ChangeSettings: _change_settings,
    league.CloseMonth: _close_month,
    player.RegisterPlayer: _register_player,
    player.RenamePlayer: _rename_player,
    player.MovePlayer: _move_player,
    player.ErasePlayer: _erase_player,
    season.OpenSeason: _open_season,
    season.CloseSeason: _close_season,
    rulebook.PublishEdition: _publish_edition,
    rulebook.AdoptEdition: _adopt_edition,
    match.OpenMatch: _open_match,
    match.RecordHand: _on_match(match_decider.record_hand, at_a_time=True),
    match.CorrectHand: _on_match(match_decider.correct_hand, at_a_time=False),
    match.EndMatch: _on_match(match_decider.end_match, at_a_time=True),
    match.RecordResult: _on_match(match_decider.record_result, at_a_time=True),
    match.ReopenMatch: _on_match(match_decider.reopen_match, at_a_time=False),
    match.ForfeitMatch: _on_match(match_decider.forfeit_match, at_a_time=True),
    match.VoidMatch: _on_match(match_decider.void_match, at_a_time=False),
}


class Dispatcher:
    """Carries out commands. `clock` tells the time in UTC."""

    def __init__(self, store: EventStore, clock: Clock) -> None:
        self._store, self.clock = store, clock

    def send(self, command: Command, actor: str, source: str = "manual", key: str | None = None) -> int:
        """Carry out one command and return the log position at which it was.

        The same key with the same command gives the first position again and stores nothing. Raises Refusal.
        """
        return self.send_all([command], actor, source, key)

    def send_all(self, commands: Sequence[Command], actor: str, source: str = "manual", key: str | None = None) -> int:
        """Carry out commands together, in this order: all of them or none. Raises Refusal."""

        def request(*, accepted: bool = False) -> Request:
            return Request(actor, source, key, key and _hash_of(commands, self._store, accepted=accepted))

        if (answered := self._answered(request())) is not None:
            return answered
        stream = ""
        for _ in range(ATTEMPTS):
            try:
                appends = decide(commands, World(self._store, self.clock()))
            except Refusal:
                # The same request may have been carried out since: its own events are no reason to refuse it.
                if (answered := self._answered(request())) is not None:
                    return answered
                raise
            try:
                return self._store.append(appends, request(accepted=True))
            except (VersionConflict, KeyDestroyed) as overtaken:
                stream = overtaken.stream
            except KeyTaken as taken:
                raise KeyReused(taken.key) from None
        raise Conflict(stream)

    def _answered(self, request: Request) -> int | None:
        """The position at which this request was carried out, if it was. Raises KeyReused."""
        if request.key is None or (answer := self._store.answer_to(request.actor, request.key)) is None:
            return None
        if answer.input_hash != request.input_hash:
            raise KeyReused(request.key)
        return answer.position


def decide(commands: Sequence[Command], world: World) -> list[Append]:
    """What commands append, each decided on top of those before it; every command has an event. Raises Refusal."""
    appends: list[Append] = []
    for command in commands:
        for stream, events in HANDLERS[type(command)](command, world):
            append = Append(stream, len(world.events(stream)), tuple(events), _time_of_play(command, world))
            appends.append(append)
            world.foresee(append)
    return appends


def _time_of_play(command: Command, world: World) -> datetime | None:
    """When a match began is written down, so that the edition that decided is the one that scores it later."""
    given: datetime | None = getattr(command, "played_at", None)
    return world.now if given is None and isinstance(command, match.OpenMatch) else given


def _hash_of(commands: Sequence[Command], store: EventStore, *, accepted: bool) -> str:
    """What was asked, as a hash; where a name was said, one that only the player's key can make.

    `accepted`: it is going to be stored, so a new player gets a key.
    """
    named = [(type(command).__name__, command) for command in commands]
    asked = msgspec.json.encode(named, order="deterministic")
    for command in commands:
        if isinstance(command, player.RegisterPlayer | player.RenamePlayer) and player.is_id(command.player):
            return store.keyed_hash(command.player, asked, make=accepted)
    return hashlib.sha256(asked).hexdigest()
