"""Sentences about members. The log does not tell as whom they sign in."""

from collections.abc import Mapping

from league.domain import members
from league.domain.deciders import Event
from league.wording.language import _


def words_of_member(id_: str, event: Event, names: Mapping[str, str]) -> str:
    """What happened to a member, in a sentence without a full stop."""
    match event:
        case members.MemberAdded():
            return _("Member {id}: added, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
        case members.AccessRequested():
            return _("Member {id}: asked for access", id=id_)
        case members.AccessGranted():
            return _("Member {id}: let in, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
        case members.AccessDeclined():
            return _("Member {id}: access declined", id=id_)
        case members.MemberChanged():
            return _("Member {id}: changed, {rights}", id=id_, rights=_rights(event.roles, event.player, names))
    return _("Member {id}: removed; the key of their subject was destroyed", id=id_)


def _rights(roles: tuple[str, ...], player: str | None, names: Mapping[str, str]) -> str:
    listed = ", ".join(roles)
    if player is None:
        return _("with the roles {roles}", roles=listed)
    return _("as {player}, with the roles {roles}", player=names.get(player, player), roles=listed)
