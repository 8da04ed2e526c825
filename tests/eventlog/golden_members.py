"""The events in the golden bodies of members."""

from __future__ import annotations

from typing import Any

from league.domain import members


def of_members() -> dict[str, list[Any]]:
    """The events of the golden bodies of members by stored name, in order."""
    return {
        "member-added/1": [
            members.MemberAdded("kim@club.example", "ana", ("player", "scorekeeper")),
            members.MemberAdded(None, None, ("admin",)),
        ],
        "access-requested/1": [
            members.AccessRequested("https://id.example#248289761001", "Kim R."),
            members.AccessRequested(None, None),
        ],
        "access-granted/1": [
            members.AccessGranted("ana", ("player",)),
            members.AccessGranted(None, ("auditor",)),
        ],
        "access-declined/1": [members.AccessDeclined()],
        "member-changed/1": [members.MemberChanged(None, ("admin", "scorekeeper"))],
        "member-removed/1": [members.MemberRemoved()],
    }
