"""Members: who is added, who waits, and who may not go."""

from __future__ import annotations

from typing import Any

import pytest

from league.domain.members import (
    LONGEST_SUBJECT,
    MOST_WAITING,
    AccessGranted,
    AccessRequested,
    AddMember,
    ChangeMember,
    DeclineAccess,
    GrantAccess,
    MemberAdded,
    MemberChanged,
    MemberRemoved,
    Members,
    MemberState,
    RemoveMember,
    RequestAccess,
    add_member,
    change_member,
    decline_access,
    evolve,
    grant_access,
    members_of,
    name_of,
    remove_member,
    request_access,
)
from league.domain.player import PlayerState
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, WrongState

ANA = PlayerState(registered=True, name="Ana")
KNOWN: Members = {
    "k": MemberState("kim", "member", ("admin",)),
    "a": MemberState("ana@club", "member", ("player",), "ana"),
    "w": MemberState("new", "waiting", name="Lee"),
    "d": MemberState("no", "declined"),
    "r": MemberState(None, "removed"),
}


def test_a_member_is_added_with_roles() -> None:
    """Each role once, in the order given; a player where one is named."""
    command = AddMember("m", " lee ", ("scorekeeper", "player", "scorekeeper"), "ana")
    assert add_member(command, KNOWN, ANA) == [MemberAdded("lee", "ana", ("scorekeeper", "player"))]


@pytest.mark.parametrize(
    ("command", "player", "refused", "field"),
    [
        (AddMember("m", "kim", ("admin",)), None, AlreadyExists, "subject"),
        (AddMember("m", "new", ("admin",)), None, AlreadyExists, "subject"),
        (AddMember("m", " ", ("admin",)), None, InvalidInput, "subject"),
        (AddMember("m", "s" * (LONGEST_SUBJECT + 1), ("admin",)), None, InvalidInput, "subject"),
        (AddMember("m", "lee\0", ("admin",)), None, InvalidInput, "subject"),
        (AddMember("k", "lee", ("admin",)), None, AlreadyExists, "member"),
        (AddMember("r", "lee", ("admin",)), None, AlreadyExists, "member"),
        (AddMember("m m", "lee", ("admin",)), None, InvalidInput, "member"),
        (AddMember("m", "lee", ()), None, InvalidInput, "roles"),
        (AddMember("m", "lee", ("player",)), None, InvalidInput, "player"),
        (AddMember("m", "lee", ("player",), "zoe"), PlayerState(), NotFound, "player"),
        (AddMember("m", "lee", ("player",), "ana"), PlayerState(registered=True, erased=True), WrongState, None),
    ],
)
def test_who_cannot_be_added(command: AddMember, player: Any, refused: Any, field: str | None) -> None:
    """A subject that is taken or none, no role, a player's role without a player, a player who is not there."""
    with pytest.raises(refused) as refusal:
        add_member(command, KNOWN, player)
    assert refusal.value.field == field


def test_somebody_unknown_asks_once() -> None:
    """A person who waits or was declined cannot ask again; the number of people who wait is limited."""
    assert request_access(RequestAccess("m", "lee", "Lee\0"), KNOWN) == [AccessRequested("lee", "Lee")]
    for subject in ("new", "no", "kim"):
        with pytest.raises(AlreadyExists):
            request_access(RequestAccess("m", subject), KNOWN)
    waiting = {str(number): MemberState(f"s{number}", "waiting") for number in range(MOST_WAITING)}
    with pytest.raises(WrongState):
        request_access(RequestAccess("m", "lee"), waiting)


def test_an_admin_answers() -> None:
    """People who wait can be let in or declined, declined people can be let in; members need no answer."""
    for member in ("w", "d"):
        granted = grant_access(GrantAccess(member, ("player",), "ana"), KNOWN, ANA)
        assert granted == [AccessGranted("ana", ("player",))]
    assert evolve(KNOWN["w"], granted[0]) == MemberState("new", "member", ("player",), "ana", "Lee")
    declined = decline_access(DeclineAccess("w"), KNOWN)
    assert evolve(KNOWN["w"], declined[0]) == MemberState("new", "declined", name="Lee")
    for member, refused in (("k", WrongState), ("d", WrongState), ("zoe", NotFound), ("r", NotFound)):
        with pytest.raises(refused):
            decline_access(DeclineAccess(member), KNOWN)
    with pytest.raises(WrongState):
        grant_access(GrantAccess("k", ("player",)), KNOWN, None)


def test_a_member_is_changed() -> None:
    """Only given fields change; a member without a player cannot have the role player."""
    assert change_member(ChangeMember("a", ("player", "auditor")), KNOWN, None, None) == [
        MemberChanged("ana", ("player", "auditor"))
    ]
    assert change_member(ChangeMember("a", ("auditor",), ""), KNOWN, None, None) == [MemberChanged(None, ("auditor",))]
    for command in (ChangeMember("a", player=""), ChangeMember("a"), ChangeMember("a", ())):
        with pytest.raises(InvalidInput):
            change_member(command, KNOWN, None, None)
    with pytest.raises(WrongState):
        change_member(ChangeMember("w", ("player",)), KNOWN, None, None)


def test_the_last_admin_does_not_lock_the_league_out() -> None:
    """They cannot remove themselves or give up the role, unless another member has it; others can do it to them."""
    last = name_of("k", KNOWN["k"])
    assert last == "member:k"
    for actor in ("cli", "another"):
        assert remove_member(RemoveMember("k"), KNOWN, actor) == [MemberRemoved()]
    with pytest.raises(WrongState):
        remove_member(RemoveMember("k"), KNOWN, last)
    with pytest.raises(WrongState):
        change_member(ChangeMember("k", ("auditor",)), KNOWN, None, last)
    assert change_member(ChangeMember("k", ("admin", "auditor")), KNOWN, None, last)
    assert remove_member(RemoveMember("k"), {**KNOWN, "l": MemberState("lee", "member", ("admin",))}, last)
    assert remove_member(RemoveMember("w"), KNOWN, last) == [MemberRemoved()]


def test_the_members_who_are_a_player() -> None:
    """Found by the player; such a member acts under the player's id."""
    assert members_of("ana", KNOWN) == ["a"]
    assert name_of("a", KNOWN["a"]) == "ana"
