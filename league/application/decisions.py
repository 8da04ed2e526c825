"""Decisions on commands: the result of a handler, and the handlers that need more than the decider of one stream.

A handler decides a command on the state of its streams and returns events by stream. `dispatch` has the table of
handlers, to which features add theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from league.application.stream_states import MEMBERS, StreamStates
from league.domain import dispute_decider, league, match, members, player, rulebook, series
from league.domain.deciders import Command, Event
from league.domain.disputes import ConfirmResult, DisputeResult, ResultConfirmed, WithdrawDispute
from league.domain.match import MatchEnded, MatchForfeited, MatchOpened, MatchState
from league.domain.player import PlayerState, SharedMatch, seats_of_both
from league.domain.refusals import ChangedSince
from league.domain.rules import Competition, Mode, SeriesRules
from league.domain.seating import sides_of
from league.domain.sentences import say
from league.domain.series import Encounter, bounds
from league.eventlog.recorder import Within
from league.eventlog.records import Append, LoggedEvent, Overtaken
from league.eventlog.store import EventStore
from league.features import declared
from league.projections.rows_again import write_member


class DecidedEvents(NamedTuple):
    """Events to append to a stream."""

    stream: str
    events: Sequence[Event]
    """None only if there are commands in `then`."""
    played_at: datetime | None = None
    """The time of play of the events; None: that of the command."""
    then: Sequence[Command] = ()
    """Commands of the core that follow from the events. They are decided next and stored in the same transaction."""


Decision = list[DecidedEvents]

C = TypeVar("C")
Handler = Callable[[C, StreamStates], Decision]
"""Decides a command on the state of its streams."""

Rule = Callable[[Handler[Any]], Handler[Any]]
"""A wrapper by which a feature changes the handler of a core command: it may refuse the command or add events."""

RowsOf = Callable[[Sequence[Append], StreamStates], Within | None]
"""Returns a function that writes the rows of some appends in their transaction; None if they need no rows."""


Follows = Callable[[Append, StreamStates], Sequence[Command]]
"""Returns the commands that follow from an append that was just decided."""

Concerns = Callable[[Any], bool]
"""Whether an event changes the data that a command overwrites."""
Overwritten = tuple[str, Concerns, str]
"""The data that a command overwrites: its stream, the events of the stream that change it, and its name in words."""


class CommandPart(Struct, frozen=True, kw_only=True):
    """The commands of a feature, and its rules for commands of the core."""

    place: ClassVar[str] = "commands"
    handlers: Mapping[type[Command], Handler[Any]]
    """The handler of each of its commands."""
    source: str | None = None
    """The source of the events of its commands, such as `live`; None: as for commands of the core."""
    rules: Mapping[type[Command], Rule] = {}
    """Its rule for each core command that it changes."""
    overwrites: Mapping[type[Command], Callable[[Any], Overwritten]] = {}
    """The data that each of its overwriting commands overwrites."""
    rows: RowsOf | None = None
    """Writes rows in the same transaction as events."""
    follows: Follows | None = None
    """Returns its commands that follow from events of others. They are stored in the same transaction."""
    takes_photos: bool = False
    """Whether its rules accept photos that a command names as evidence of a hand."""


class RepeatedCommand(Exception):
    """A command that was carried out before or changes nothing. `position` is that of the event that carried it out."""

    def __init__(self, position: int) -> None:
        super().__init__(f"done at position {position}")
        self.position = position


# ---------------------------------------------------------------- data that changed since the sender read it


def check_unchanged(command: Command, states: StreamStates, expected: int) -> None:
    """Raise ChangedSince if an event after the position `expected` has changed the data that a command overwrites."""
    if isinstance(command, members.ChangeMember):
        states.members()  # all members are loaded together
    stream, concerns, what = _overwritten(command)
    later = [one for one in states.events(stream) if one.position > expected and concerns(one.event)]
    if later:
        hand = command.hand if isinstance(command, match.CorrectHand) else None
        raise ChangedSince(stream, what, expected, later[-1].position, later[-1].recorded_at, hand)


def _overwritten(command: Command) -> Overwritten:  # noqa: PLR0911  # one for each command
    match command:
        case match.CorrectHand(match=match_id, hand=hand):
            records = is_one_of(match.HandRecorded, match.HandCorrected)
            what = say("the facts of hand {hand}", hand=hand)
            return f"match:{match_id}", lambda event: records(event) and event.hand == hand, what
        case match.CorrectResult(match=match_id):
            ends = is_one_of(match.MatchEnded, match.MatchForfeited, match.MatchReopened, match.MatchVoided)
            return f"match:{match_id}", ends, say("the result of the match")
        case player.RenamePlayer(player=id_):
            names = is_one_of(player.PlayerRegistered, player.PlayerRenamed)
            return f"player:{id_}", names, say("the player's name")
        case player.MovePlayer(player=id_):
            regions = is_one_of(player.PlayerRegistered, player.PlayerMoved)
            return f"player:{id_}", regions, say("the player's region")
        case league.ChangeSettings():
            changes = is_one_of(league.LeagueCreated, league.SettingsChanged)
            return "league", changes, say("the league's settings")
        case rulebook.PublishEdition() | rulebook.PublishChanges():
            return "rulebook", is_one_of(rulebook.EditionPublished), say("the editions of the rules")
        case members.ChangeMember(member=id_):
            return f"{MEMBERS}{id_}", is_one_of(object), say("the member")
    for part in declared(CommandPart):
        if type(command) in part.overwrites:
            return part.overwrites[type(command)](command)
    raise AssertionError(f"{type(command).__name__} overwrites nothing")


def is_one_of(*kinds: type) -> Concerns:
    """A function that tells whether an event is of one of these types."""
    return lambda event: isinstance(event, kinds)


# ---------------------------------------------------------------- matches: their entry in the series


def entry_in_series(
    match: str,
    mode: Mode,
    competition: Competition,
    seats: tuple[str, ...],
    began_at: datetime,
    rules: SeriesRules,
    states: StreamStates,
) -> Decision:
    """The entry of a new match in the series; empty if matches of its kind do not count. Raises SeriesLocked."""
    if not series.is_entered(mode, competition, rules):
        return []
    encounter = Encounter.of(mode, sides_of(mode, states.read_as(seats)), began_at, states.zone())
    _, free_at = bounds(encounter.month, states.zone())
    entered = series.enter_match(match, encounter, states.entered(encounter), rules, free_at)
    return [DecidedEvents(encounter.stream, entered)]


# ---------------------------------------------------------------- matches: confirmations and disputes


class _MatchCommand(Protocol):
    @property
    def match(self) -> str: ...


class _SettlingCommand(_MatchCommand, Protocol):
    @property
    def settles(self) -> int | None: ...


M = TypeVar("M", bound=_MatchCommand)
S = TypeVar("S", bound=_SettlingCommand)


def as_seated(command: M, state: MatchState, states: StreamStates) -> M:
    """The command, naming its player by the id that sits in the match."""
    match command:
        case (
            ConfirmResult(player=str(player)) | DisputeResult(player=str(player)) | WithdrawDispute(player=str(player))
        ):
            seats = () if state.played is None else state.played.seats
            return replace(command, player=states.seated_as(player, seats))
    return command


def ending(handle: Handler[M]) -> Handler[M]:
    """Wrap a handler that may end a match, which then awaits confirmation if the league requires it.

    If a player of the match ends it, this confirms the result for that player.
    """

    def awaiting(command: M, states: StreamStates) -> Decision:
        first, *others = handle(command, states)
        state = states.match(command.match)
        ends = any(isinstance(event, MatchEnded | MatchForfeited) for event in first.events)
        if not ends or state.played is None or state.live or not states.league().confirmation:
            return [first, *others]
        waiting = dispute_decider.awaiting_confirmation(first.events, states.now)  # type: ignore[arg-type]  # of a match
        recorder = states.actor and states.seated_as(states.actor, state.played.seats)
        if recorder in state.played.seats:
            # The confirmation is separate, since it has no time of play.
            return [first._replace(events=waiting), DecidedEvents(first.stream, [ResultConfirmed(recorder)]), *others]
        return [first._replace(events=waiting), *others]

    return awaiting


def settling(handle: Handler[S]) -> Handler[S]:
    """Wrap a handler of a command that changes a result and may name a dispute that it settles."""

    def settled(command: S, states: StreamStates) -> Decision:
        first, *others = handle(command, states)
        state = states.match(command.match)
        after = dispute_decider.settling(command.match, first.events, state, command.settles)  # type: ignore[arg-type]  # of a match
        return [first._replace(events=after), *others]

    return settled


# ---------------------------------------------------------------- merges of players


_OPENED = ("match-opened/1",)
_OPENINGS_AT_ONCE = 10_000
"""Limit on the openings of matches that are read at once."""


class SharedMatchSearch:
    """Looks for a match that seats an id of each of two groups.

    The log has no index of seats, so this reads all openings of matches. Under the lock of the log, `check` reads those
    that were added since.
    """

    def __init__(self, store: EventStore, some: frozenset[str], others: frozenset[str]) -> None:
        self._store, self._some, self._others = store, some, others
        self._until = store.head()

    def find(self, states: StreamStates) -> SharedMatch | None:
        """The first such match that is not voided."""
        return next((one for one in self._all(states) if not _is_voided(one, states)), None)

    def check(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Raise Overtaken if such a match was opened since.

        `before` is the position before the events that are being stored, `last` that of the last of them.
        """
        since = self._store.named_on(conn, self._until, before, _OPENED)
        if any(self._of(since)):
            raise Overtaken(player.MERGES_STREAM, "meets a match that was opened meanwhile")

    def _all(self, states: StreamStates) -> Iterator[SharedMatch]:
        position = 0
        while page := self._store.named_after(position, self._until, _OPENED, _OPENINGS_AT_ONCE):
            yield from self._of(page)
            position = page[-1].position
        yield from self._of(states.foreseen())

    def _of(self, events: Sequence[LoggedEvent]) -> Iterator[SharedMatch]:
        for stored in events:
            if isinstance(stored.event, MatchOpened):
                seated = seats_of_both(stored.event.seats, self._some, self._others)
                if seated is not None:
                    yield SharedMatch(stored.stream.partition(":")[2], seated)


def _is_voided(together: SharedMatch, states: StreamStates) -> bool:
    played = states.match(together.match).played
    return played is not None and played.voided


def merge_players(command: player.MergePlayers, states: StreamStates) -> Decision:
    """Merge two players, unless a match seats both."""
    known, both = states.merges(), (command.keep, command.drop)
    players = {id_: states.player(id_) for id_ in both}
    player.merge_players(command, known, players, None)  # refuses before the costly search, if it can
    search = SharedMatchSearch(states.store, known.ids_of(command.keep), known.ids_of(command.drop))
    states.checks.append(search.check)
    events = player.merge_players(command, known, players, search.find(states))
    return [DecidedEvents(player.MERGES_STREAM, events)]


def undo_merge(command: player.UndoMerge, states: StreamStates) -> Decision:
    """Take a merge back."""
    return [DecidedEvents(player.MERGES_STREAM, player.undo_merge(command, states.merges()))]


# ---------------------------------------------------------------- members


def _on(member: str, events: list[members.MemberEvent]) -> Decision:
    return [DecidedEvents(f"{MEMBERS}{member}", events)]


def _player(named: str | None, states: StreamStates) -> PlayerState | None:
    return states.player(named) if named else None


def erase_player(command: player.ErasePlayer, states: StreamStates) -> Decision:
    """Erase a player under all their ids, and remove the members who are this player."""
    events = player.erase_player(command, states.player(command.player))
    ids = sorted(states.merges().ids_of(command.player))
    others = [id_ for id_ in ids if id_ != command.player and not states.player(id_).erased]
    theirs = [member for id_ in ids for member in members.members_of(id_, states.members())]
    states.checks.append(MembersUnchanged(f"player:{command.player}", states.members_at).check)
    return [
        DecidedEvents(f"player:{command.player}", events),
        *(
            DecidedEvents(f"player:{id_}", player.erase_player(player.ErasePlayer(id_), states.player(id_)))
            for id_ in others
        ),
        *(DecidedEvents(f"{MEMBERS}{member}", [members.MemberRemoved()]) for member in theirs),
    ]


MEMBER_HANDLERS: dict[type[Command], Handler[Any]] = {
    members.AddMember: lambda command, states: _on(
        command.member, members.add_member(command, states.members(), _player(command.player, states))
    ),
    members.RequestAccess: lambda command, states: _on(
        command.member, members.request_access(command, states.members())
    ),
    members.GrantAccess: lambda command, states: _on(
        command.member, members.grant_access(command, states.members(), _player(command.player, states))
    ),
    members.DeclineAccess: lambda command, states: _on(
        command.member, members.decline_access(command, states.members())
    ),
    members.ChangeMember: lambda command, states: _on(
        command.member, members.change_member(command, states.members(), _player(command.player, states), states.actor)
    ),
    members.RemoveMember: lambda command, states: _on(
        command.member, members.remove_member(command, states.members(), states.actor)
    ),
}


SINCE = """
    SELECT FROM stored_events WHERE position > %s AND position <= %s AND starts_with(originator_id, %s) LIMIT 1
"""


class MembersUnchanged:
    """Checks that no member has changed since a decision was made."""

    def __init__(self, stream: str, decided_at: int) -> None:
        """`stream`: the stream to decide again if one has; `decided_at`: the position up to which members were read."""
        self._stream, self._decided_at = stream, decided_at

    def check(self, conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        """Raise Overtaken if a member has changed since."""
        if conn.execute(SINCE, (self._decided_at, before, MEMBERS)).rowcount:
            raise Overtaken(self._stream, "was decided before another member changed")


class MemberRows:
    """Writes the rows of the members that an append changes, in its transaction."""

    def __init__(self, appends: Sequence[Append], unchanged: MembersUnchanged) -> None:
        self._appends, self._unchanged = appends, unchanged

    @classmethod
    def of(cls, appends: Sequence[Append], states: StreamStates) -> Within | None:
        """The function that writes rows of members; None if the appends have no events of members."""
        ours = [append for append in appends if append.stream.startswith(MEMBERS)]
        return cls(ours, MembersUnchanged(ours[0].stream, states.members_at)).write if ours else None

    def write(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Write the rows. Raises Overtaken if members changed since the decision: a subject belongs to one member."""
        self._unchanged.check(conn, before, last)
        for append in self._appends:
            for event in append.events:
                write_member(conn, append.stream, event)
