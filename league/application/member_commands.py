"""The commands on members, and the erasure of those who are an erased player."""

from typing import Any

from league.application.decision import Decided, Decision, Handler
from league.application.member_rows import MembersUnchanged
from league.application.stream_states import MEMBERS, StreamStates
from league.domain import members, player
from league.domain.deciders import Command
from league.domain.player import PlayerState


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
