"""Executes commands: loads a command's streams, decides, and appends events; retries if another writer was faster."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace
from psycopg import Connection

from league.application.club_logo import LogoRows
from league.application.decisions import (
    MEMBER_HANDLERS,
    CommandPart,
    DecidedEvents,
    Decision,
    Follows,
    Handler,
    MemberRows,
    RepeatedCommand,
    RowsOf,
    as_seated,
    check_unchanged,
    ending,
    entry_in_series,
    erase_player,
    merge_players,
    settling,
    undo_merge,
)
from league.application.registering import register_player, register_players
from league.application.storing import first_answer, retried
from league.application.stream_states import StateCache, StreamStates
from league.domain import (
    dispute_decider,
    disputes,
    house_rules,
    league,
    match,
    match_decider,
    members,
    player,
    rulebook,
)
from league.domain.collected_refusals import Faults
from league.domain.deciders import Command, Event
from league.domain.match_faults import NO_PHOTOS, faults_of_opening, settled_time
from league.domain.refusals import InvalidInput, Refusal
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.series import bounds
from league.domain.wrong_states import NoLeagueYet
from league.eventlog.recorder import Within
from league.eventlog.records import Append, AppendRequest
from league.eventlog.store import EventStore
from league.features import declared

Clock = Callable[[], datetime]


class _PlayerCommand(Protocol):
    @property
    def player(self) -> str: ...


class _MatchCommand(Protocol):
    @property
    def match(self) -> str: ...


InputPath = Callable[[int, str], str]
"""Returns the path in the input for a field of a command, given the command's number in the list and the field.

Returns the field unchanged if it belongs to the whole input and not to an entry of the list.
"""

C = TypeVar("C")
P = TypeVar("P", bound=_PlayerCommand)
M = TypeVar("M", bound=_MatchCommand)
H = TypeVar("H", match.RecordHand, match.CorrectHand)

# ---------------------------------------------------------------- handlers


def _on_league(decide: Callable[[C, league.LeagueState], list[league.LeagueEvent]]) -> Handler[C]:
    return lambda command, states: [DecidedEvents("league", decide(command, states.league()))]


def _on_seasons(decide: Callable[[C, league.Seasons], list[league.SeasonEvent]]) -> Handler[C]:
    return lambda command, states: [DecidedEvents("season", decide(command, states.seasons()))]


def _on_rulebook(decide: Callable[[C, rulebook.RulebookState], list[rulebook.RulebookEvent]]) -> Handler[C]:
    return lambda command, states: [DecidedEvents("rulebook", decide(command, states.rulebook()))]


def _on_player(decide: Callable[[P, player.PlayerState], list[player.PlayerEvent]]) -> Handler[P]:
    return lambda command, states: [
        DecidedEvents(f"player:{command.player}", decide(command, states.player(command.player)))
    ]


def _on_match(decide: Callable[[M, match.MatchState, Rulebook], list[match.MatchEvent]]) -> Handler[M]:
    """A handler whose decider gets the edition of the match."""

    def handle(command: M, states: StreamStates) -> Decision:
        state = states.match(command.match)
        return [DecidedEvents(f"match:{command.match}", decide(command, state, _edition_of(state, states)))]

    return handle


def _on_match_at(decide: Callable[[M, match.MatchState, Rulebook, datetime], list[match.MatchEvent]]) -> Handler[M]:
    """A handler whose decider gets the edition of the match and the present time."""

    def handle(command: M, states: StreamStates) -> Decision:
        state = states.match(command.match)
        return [DecidedEvents(f"match:{command.match}", decide(command, state, _edition_of(state, states), states.now))]

    return handle


def _on_review(decide: Callable[[M, match.MatchState], list[match.MatchEvent]]) -> Handler[M]:
    """A handler of confirmations and disputes, which do not depend on the rules."""

    def handle(command: M, states: StreamStates) -> Decision:
        state = states.match(command.match)
        return [DecidedEvents(f"match:{command.match}", decide(as_seated(command, state, states), state))]

    return handle


def _confirm_by_time(command: disputes.ConfirmByTime, states: StreamStates) -> Decision:
    state = states.match(command.match)
    return [DecidedEvents(f"match:{command.match}", dispute_decider.confirm_by_time(command, state, states.now))]


def _edition_of(state: match.MatchState, states: StreamStates) -> Rulebook:
    """The edition under which a match is played."""
    return states.rulebook().at(state.played.began_at if state.played else states.now)


def _in_league(handle: Handler[C]) -> Handler[C]:
    """Wrap a handler that needs an existing league."""

    def checked(command: C, states: StreamStates) -> Decision:
        if states.league().name is None:
            raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
        return handle(command, states)

    return checked


def _publish_changes(command: rulebook.PublishChanges, states: StreamStates) -> Decision:
    return [DecidedEvents("rulebook", rulebook.publish_changes(command, states.rulebook(), states.now))]


def _close_month(command: league.CloseMonth, states: StreamStates) -> Decision:
    states.rulebook().at(states.now)  # refuses if there are no rules, since then no month has standings
    bounds(command.month, states.zone())  # refuses an invalid month before it is part of a stream's name
    entered = states.competed_in(command.month)
    return [
        DecidedEvents(
            "league", league.close_month(command, states.league(), states.store.time_reached(), entered=entered)
        )
    ]


def _close_ended_months(command: league.CloseEndedMonths, states: StreamStates) -> Decision:
    states.rulebook().at(states.now)  # refuses if there are no rules, since then no month has standings
    months, reached = states.months_competed_in(), states.store.time_reached()
    return [DecidedEvents("league", league.close_ended_months(command, states.league(), reached, months))]


def _open_match(command: match.OpenMatch, states: StreamStates) -> Decision:
    began_at = command.played_at or states.now
    # A time without an offset finds no edition. It is refused below.
    edition = states.rulebook().at(states.now if began_at.tzinfo is None else began_at)
    players = states.known_players(command.seats)
    faults = [*player.faults_of_id("match", command.match), *states.faults_of_seats(command.seats)]
    if faults:
        Faults.check([*faults, *faults_of_opening(command, edition, players, states.now)])
    events = match_decider.open_match(command, states.match(command.match), edition, players, states.now)
    entry = entry_in_series(
        command.match, command.mode, command.competition, command.seats, began_at, edition.series, states
    )
    return [DecidedEvents(f"match:{command.match}", events), *entry]


def _if_photos_are_taken(handle: Handler[H]) -> Handler[H]:
    """Wrap a handler that records or corrects a hand: it refuses photos if no feature takes them."""

    def checked(command: H, states: StreamStates) -> Decision:
        if command.photos and not any(part.takes_photos for part in declared(CommandPart)):
            raise InvalidInput("photos", NO_PHOTOS)
        return handle(command, states)

    return checked


def _with_rules(kind: type[Command], handle: Handler[C]) -> Handler[C]:
    """Wrap a handler of the core in the rules of features. The rule of the first feature is applied first."""
    for part in reversed(declared(CommandPart)):
        if kind in part.rules:
            handle = part.rules[kind](handle)
    return handle


HANDLERS: dict[type[Command], Handler[Any]] = {
    league.CreateLeague: _on_league(league.create_league),
    league.ChangeSettings: _on_league(league.change_settings),
    league.CloseMonth: _close_month,
    league.CloseEndedMonths: _close_ended_months,
    league.ReopenMonth: _on_league(league.reopen_month),
    league.OpenSeason: _in_league(_on_seasons(league.open_season)),
    league.CloseSeason: _on_seasons(league.close_season),
    player.RegisterPlayer: _in_league(register_player),
    player.RegisterPlayers: _in_league(register_players),
    player.RenamePlayer: _on_player(player.rename_player),
    player.MovePlayer: _on_player(player.move_player),
    player.ErasePlayer: _with_rules(player.ErasePlayer, erase_player),
    rulebook.PublishEdition: _in_league(_on_rulebook(rulebook.publish_edition)),
    rulebook.PublishChanges: _in_league(_publish_changes),
    rulebook.AdoptEdition: _on_rulebook(rulebook.adopt_edition),
    house_rules.AdoptHouseRules: _on_rulebook(house_rules.adopt_house_rules),
    match.OpenMatch: _with_rules(match.OpenMatch, _open_match),
    match.RecordHand: ending(
        _with_rules(match.RecordHand, _if_photos_are_taken(_on_match_at(match_decider.record_hand)))
    ),
    match.CorrectHand: settling(
        ending(_with_rules(match.CorrectHand, _if_photos_are_taken(_on_match(match_decider.correct_hand))))
    ),
    match.EndMatch: ending(_with_rules(match.EndMatch, _on_match_at(match_decider.end_match))),
    match.RecordResult: ending(_with_rules(match.RecordResult, _on_match_at(match_decider.record_result))),
    match.CorrectResult: settling(ending(_with_rules(match.CorrectResult, _on_match(match_decider.correct_result)))),
    match.ReopenMatch: settling(_with_rules(match.ReopenMatch, _on_match(match_decider.reopen_match))),
    match.ForfeitMatch: ending(_with_rules(match.ForfeitMatch, _on_match_at(match_decider.forfeit_match))),
    match.VoidMatch: settling(_with_rules(match.VoidMatch, _on_match(match_decider.void_match))),
    disputes.ConfirmResult: _on_review(dispute_decider.confirm_result),
    disputes.ConfirmByTime: _confirm_by_time,
    disputes.DisputeResult: _on_review(dispute_decider.dispute_result),
    disputes.WithdrawDispute: _on_review(dispute_decider.withdraw_dispute),
    disputes.RejectDispute: _on_review(dispute_decider.reject_dispute),
    **{kind: _in_league(handle) for kind, handle in MEMBER_HANDLERS.items()},
    player.MergePlayers: _with_rules(player.MergePlayers, merge_players),
    player.UndoMerge: undo_merge,
    **{kind: handle for part in declared(CommandPart) for kind, handle in part.handlers.items()},
}
UNDER_AN_EDITION = (
    match.RecordHand,
    match.CorrectHand,
    match.EndMatch,
    match.RecordResult,
    match.CorrectResult,
    match.ReopenMatch,
    match.ForfeitMatch,
    match.VoidMatch,
)
"""Commands that are decided on their match and on its edition. One query loads both."""
ROWS: tuple[RowsOf, ...] = (
    MemberRows.of,
    LogoRows.of,
    *(part.rows for part in declared(CommandPart) if part.rows is not None),
)
"""Functions that write rows in the same transaction as events."""
FOLLOWS: tuple[Follows, ...] = tuple(part.follows for part in declared(CommandPart) if part.follows is not None)
"""Functions that return the commands that follow from events."""

# ---------------------------------------------------------------- sending


class Dispatcher:
    """Executes commands. `clock` returns the time in UTC. Safe to share between threads."""

    def __init__(self, store: EventStore, clock: Clock) -> None:
        self._store, self.clock = store, clock
        self.state_cache = StateCache(store)

    def send(
        self,
        command: Command,
        actor: str,
        source: str = "manual",
        key: str | None = None,
        *,
        once: bool = False,
        expected: int | None = None,
    ) -> int:
        """Execute one command. Returns the log position of its last event.

        A repeated key with an equal command returns the first position and stores nothing. `once`: raise Conflict
        instead of deciding again if another writer was faster. `expected`: the position up to which the sender knows
        the data that the command overwrites; raises ChangedSince if it was changed later. Raises Refusal.
        """
        return self.send_all([command], actor, source, key, once=once, expected=expected)

    def send_all(
        self,
        commands: Sequence[Command],
        actor: str,
        source: str = "manual",
        key: str | None = None,
        *,
        once: bool = False,
        expected: int | None = None,
        place: InputPath | None = None,
    ) -> int:
        """Execute commands in this order, all of them or none. Raises Refusal, StoreUnavailable.

        `once`, `expected`: as in `send`; `place`: as in `decide`.
        """

        def request(*, accepted: bool = False) -> AppendRequest:
            return AppendRequest(
                actor, source, key, key and _hash_of(commands, expected, self._store, accepted=accepted)
            )

        def attempt() -> int:
            states = StreamStates(self._store, self.clock(), self.state_cache, actor)
            try:
                appends = decide(commands, states, expected, place)
            except RepeatedCommand as repeated:
                states.check_unchanged()
                return repeated.position
            except Refusal:
                # A repetition of this request may have succeeded meanwhile; its own events must not refuse it.
                if (answered := first_answer(self._store, request())) is not None:
                    return answered
                states.check_unchanged()  # decide again if the streams were read at different moments
                raise
            return store_decided(appends, states, request(accepted=True))

        if (answered := first_answer(self._store, request())) is not None:
            return answered
        return retried(attempt, once=once)


def decide(
    commands: Sequence[Command], states: StreamStates, expected: int | None = None, place: InputPath | None = None
) -> list[Append]:
    """The events of commands, each decided on top of the previous ones. Raises Refusal.

    `expected`: the position up to which the sender knows the data that the commands overwrite. `place`: the commands
    are a list that a client sent; every fault is raised, with its path in the list. Without it the first fault is
    raised unchanged.

    Every command has an event, except a command of a feature that was carried out before. Raises RepeatedCommand if
    all commands are such ones.
    """
    appends: list[Append] = []
    repeated: RepeatedCommand | None = None
    faults: list[Refusal] = []
    for number, command in enumerate(_on_our_clock(command, states.now) for command in commands):
        if expected is not None:
            check_unchanged(command, states, expected)
        try:
            if isinstance(command, UNDER_AN_EDITION):
                states.prefetch([f"match:{command.match}", "rulebook"])
            with states.telling_times():
                decision = HANDLERS[type(command)](command, states)
        except RepeatedCommand as done:
            repeated = done
            continue
        except Refusal as refused:
            if place is None:
                raise
            faults += _placed(refused, number, place)
            continue
        for stream, events, played_at, then in decision:
            if not events:
                appends += decide(then, states)
                continue
            when = played_at or _time_of_play(command, states, events)
            append = Append(stream, states.version(stream), tuple(events), when)
            appends.append(append)
            states.foresee(append)
            appends += decide([*then, *(one for follows in FOLLOWS for one in follows(append, states))], states)
    Faults.check(faults)
    if repeated is not None and not appends:
        raise repeated
    return appends


def _placed(refused: Refusal, number: int, place: InputPath) -> list[Refusal]:
    """The faults of a command of a list, with their paths in the input. Raises a fault of the whole input at once."""
    found = Faults.of(refused)
    for one in found:
        path = None if one.field is None else place(number, one.field)
        if path in (None, one.field):
            raise one
        one.at = path  # type: ignore[attr-defined]  # it has a field, as read above
    return [*found]


def store_decided(appends: Sequence[Append], states: StreamStates, request: AppendRequest) -> int:
    """Store the appends that were decided on `states` in one transaction. Returns the position of the last event.

    Raises Overtaken if a stream that was read has changed, and everything that `EventStore.append` raises.
    """
    return states.store.append(appends, request, _saved_with(appends, states), unchanged=states.read())


def _saved_with(appends: Sequence[Append], states: StreamStates) -> Within | None:
    """The checks and writes to be made in the transaction that stores these events."""
    works = [*states.checks, *(write for rows_of in ROWS if (write := rows_of(appends, states)) is not None)]

    def within(conn: Connection[Any], before: int, last: int) -> None:
        for work in works:
            work(conn, before, last)

    return within if works else None


def _on_our_clock(command: Command, now: datetime) -> Command:
    """The command; a time of play slightly in the future, as from a phone whose clock is ahead, becomes now."""
    match command:
        case match.OpenMatch() | match.RecordHand() | match.EndMatch() | match.RecordResult() | match.ForfeitMatch():
            return replace(command, played_at=settled_time(command.played_at, now))
    return command


def _time_of_play(command: Command, states: StreamStates, events: Sequence[Event]) -> datetime | None:
    """The time of play to store. A match always has one, so that the edition that decided it also scores it later."""
    if all(isinstance(event, disputes.ResultConfirmed) for event in events):
        return None
    match command:
        case match.OpenMatch():
            return command.played_at or states.now
        case match.RecordHand() | match.EndMatch() | match.RecordResult() | match.ForfeitMatch():
            return command.played_at
    return None


def _hash_of(commands: Sequence[Command], expected: int | None, store: EventStore, *, accepted: bool) -> str:
    """A hash of the request. If the input has a name or a subject, it is made with the sealing key of the stream.

    `accepted`: the request is about to be stored, so a new player or member gets a key.
    """
    named: list[Any] = [(type(command).__name__, command) for command in commands]
    if expected is not None:
        named.append(("expected", expected))
    asked = msgspec.json.encode(named, order="deterministic")
    for command in commands:
        stream = _named_in(command)
        if stream is not None:
            return store.keyed_hash(stream, asked, make=accepted)
    return hashlib.sha256(asked).hexdigest()


def _named_in(command: Command) -> str | None:
    """The stream whose key seals the personal data in a command; None if it has none."""
    match command:
        case player.RegisterPlayer() | player.RenamePlayer():
            kind, id_ = "player", command.player
        case player.RegisterPlayers(players=[first, *_]):
            kind, id_ = "player", first.player
        case members.AddMember() | members.RequestAccess():
            kind, id_ = "member", command.member
        case _:
            return None
    return f"{kind}:{id_}" if player.is_id(id_) else None
