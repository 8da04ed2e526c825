"""Members: what decides their commands, and the rows that are saved with their events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from league.application.decision import Decided, Decision, Handler
from league.application.stream_states import MEMBERS, StreamStates
from league.domain import members, player
from league.domain.deciders import Command
from league.domain.player import PlayerState
from league.eventlog.recorder import Within
from league.eventlog.records import Append, Overtaken
from league.projections.rows_again import write_member


def _add(command: members.AddMember, states: StreamStates) -> Decision:
    named = _player(command.player, states)
    return _on(command.member, members.add_member(command, states.members(), named))


def _request(command: members.RequestAccess, states: StreamStates) -> Decision:
    return _on(command.member, members.request_access(command, states.members()))


def _grant(command: members.GrantAccess, states: StreamStates) -> Decision:
    named = _player(command.player, states)
    return _on(command.member, members.grant_access(command, states.members(), named))


def _decline(command: members.DeclineAccess, states: StreamStates) -> Decision:
    return _on(command.member, members.decline_access(command, states.members()))


def _change(command: members.ChangeMember, states: StreamStates) -> Decision:
    named = _player(command.player, states)
    return _on(command.member, members.change_member(command, states.members(), named, states.actor))


def _remove(command: members.RemoveMember, states: StreamStates) -> Decision:
    return _on(command.member, members.remove_member(command, states.members(), states.actor))


def _on(member: str, events: list[members.MemberEvent]) -> Decision:
    return [Decided(f"{MEMBERS}{member}", events)]


def _player(named: str | None, states: StreamStates) -> PlayerState | None:
    return states.player(named) if named else None


def erase_player(command: player.ErasePlayer, states: StreamStates) -> Decision:
    """Erase a player under all of their ids, and the subjects of the members who are this player."""
    events = player.erase_player(command, states.player(command.player))
    ids = sorted(states.merges().ids_of(command.player))
    others = [id_ for id_ in ids if id_ != command.player and not states.player(id_).erased]
    theirs = [member for id_ in ids for member in members.members_of(id_, states.members())]
    states.checks.append(MembersUnchanged(f"player:{command.player}", states.members_at).check)
    return [
        Decided(f"player:{command.player}", events),
        *(Decided(f"player:{id_}", player.erase_player(player.ErasePlayer(id_), states.player(id_))) for id_ in others),
        *(Decided(f"{MEMBERS}{member}", [members.MemberRemoved()]) for member in theirs),
    ]


MEMBER_HANDLERS: dict[type[Command], Handler[Any]] = {
    members.AddMember: _add,
    members.RequestAccess: _request,
    members.GrantAccess: _grant,
    members.DeclineAccess: _decline,
    members.ChangeMember: _change,
    members.RemoveMember: _remove,
}


SINCE = """
    SELECT FROM stored_events WHERE position > %s AND position <= %s AND starts_with(originator_id, %s) LIMIT 1
"""


class MembersUnchanged:
    """Whether a decision still rests on all members."""

    def __init__(self, stream: str, decided_at: int) -> None:
        """`stream`: which is decided again if not; `decided_at`: the position up to which members are known."""
        self._stream, self._decided_at = stream, decided_at

    def check(self, conn: psycopg.Connection[Any], before: int, _last: int) -> None:
        """Raise Overtaken where members have changed since."""
        if conn.execute(SINCE, (self._decided_at, before, MEMBERS)).rowcount:
            raise Overtaken(self._stream, "was decided before another member changed")


class MemberRows:
    """Writes the rows of the members that an append changes, in its transaction."""

    def __init__(self, appends: Sequence[Append], unchanged: MembersUnchanged) -> None:
        self._appends, self._unchanged = appends, unchanged

    @classmethod
    def of(cls, appends: Sequence[Append], states: StreamStates) -> Within | None:
        """What writes the rows of an append, if it has events of members."""
        ours = [append for append in appends if append.stream.startswith(MEMBERS)]
        return cls(ours, MembersUnchanged(ours[0].stream, states.members_at)).write if ours else None

    def write(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Write the rows. Raises Overtaken where members changed since this was decided: a subject is taken once."""
        self._unchanged.check(conn, before, last)
        for append in self._appends:
            for event in append.events:
                write_member(conn, append.stream, event)
