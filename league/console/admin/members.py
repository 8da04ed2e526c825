"""Members and the players who were merged: the lists, and the forms that change them."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import Visitor
from league.console.controls import Control, Data, FieldErrors, Options
from league.console.forms import STORED, FormPage, Look, NextPage, PageLink, PlainForm, to
from league.console.pages import FRAME, Page
from league.domain.sentences import say
from league.wording.language import spoken

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)

ROLES = {
    "PLAYER": (say("player"), say("player: confirms and disputes their own results, plays at live tables")),
    "SCOREKEEPER": (say("scorekeeper"), say("scorekeeper: registers players, records matches")),
    "ADMIN": (say("admin"), say("admin: everything")),
    "AUDITOR": (say("auditor"), say("auditor: reads who did what")),
}
"""Each role: its short name, and its name with what it may do."""


def _named(data: Data) -> Mapping[str, Any]:
    """The name of the member, for the words of a form."""
    member = data["member"]
    name = member["name"] or (member["player"] and member["player"]["displayName"]) or member["subject"]
    return {"name": Markup("<bdi>{}</bdi>").format(name)}


def _roles(_data: Data, _visitor: Visitor) -> Options:
    return [(role, spoken(words)) for role, (_name, words) in ROLES.items()]


def _player(data: Data) -> str:
    player = data["member"]["player"]
    return player["displayName"] if player else ""


def _stored(data: Data) -> list[str]:
    return [*(spoken(ROLES[role][0]) for role in data["member"]["roles"]), *filter(None, [_player(data)])]


WHICH_PLAYER = say("Which player they are (may be empty)")
ROLES_OF_NEW = Control("roles", say("Roles"), value=lambda _data: ("PLAYER",), options=_roles, is_fresh=True)

member_form = partial(
    PlainForm, way=PageLink("members", say("Members")), back=PageLink("members", say("Back")),
    then=to("members", STORED), parts="admin/parts_of_admin.html", styles=("admin.css",),
)  # fmt: skip
of_member = partial(member_form, document="member.graphql", folder=HERE, needs="member", address={"memberId": "id"})


def _two(form: FormData, _request: Request) -> Mapping[str, Any]:
    given = {name: str(form.get(name, "")).strip() for name in ("keep", "drop")}
    missing = [name for name, player in given.items() if not player]
    if missing:
        raise FieldErrors(dict.fromkeys(missing, say("Name a player.")))
    return given


PAGES = (
    page(path="/admin/members", name="members", requires="readMembers"),
    member_form(
        mutation="addMember",
        path="/admin/members/add",
        document=FRAME,
        heading=say("Add a member"),
        button=say("Add"),
        controls=(
            Control(
                "subject",
                say("As whom they sign in"),
                say("For a link any text that tells who it is, such as a mail address. It is stored encrypted."),
                attributes={"maxlength": 500, "autocomplete": "off"},
            ),
            ROLES_OF_NEW,
            Control("player", WHICH_PLAYER, is_fresh=True),
        ),
        then=to("sign_in_link", id="memberId"),
    ),
    of_member(
        mutation="changeMember",
        path="/admin/members/{id}",
        heading=say("Change a member"),
        button=say("Store"),
        about="about_member",
        controls=(
            Control("roles", say("Roles"), value=lambda data: data["member"]["roles"], options=_roles, is_fresh=True),
            Control("player", WHICH_PLAYER, value=_player, when_empty="", is_fresh=True),
        ),
        hint=say("It holds from their next request on, on every device."),
        overwrites=True,
        stored=_stored,
    ),
    of_member(
        mutation="grantAccess",
        path="/admin/members/{id}/grant",
        heading=say("Let somebody in"),
        button=say("Let in"),
        about="about_member",
        controls=(
            ROLES_OF_NEW,
            Control("player", WHICH_PLAYER, value=lambda data: data["member"]["name"], is_fresh=True),
        ),
    ),
    of_member(
        mutation="declineAccess",
        path="/admin/members/{id}/decline",
        heading=say("Decline access"),
        button=say("Decline"),
        words=say("{name} reads the league as everybody can, and is told so. You can let them in later."),
        values=_named,
    ),
    of_member(
        mutation="removeMember",
        path="/admin/members/{id}/remove",
        heading=say("Remove a member"),
        button=say("Remove"),
        words=say(
            "{name} is signed out everywhere, and their sign-in identity is erased. What they did stays in the log."
        ),
        values=_named,
        is_danger=True,
    ),
    # The link must not stand in an address that a browser remembers, so the page itself shows it.
    FormPage(
        mutation="makeSignInLink",
        path="/admin/members/{id}/link",
        name="sign_in_link",
        folder=HERE,
        document="member.graphql",
        needs="member",
        address={"memberId": "id"},
        then=NextPage("path expiresAt", None),
    ),
    page(path="/admin/merges", name="merges", requires="mergePlayers"),
    FormPage(
        mutation="mergePlayers",
        path="/admin/merges/merge",
        folder=HERE,
        document=FRAME,
        named=("keep", "drop"),
        input=_two,
        then=to("merges", STORED),
        look=Look(
            document="preview_merge.graphql",
            variables=lambda given, _request: {"keep": given["keep"], "drop": given["drop"]},
            template="preview_merge.html",
        ),
        filled_by=("keep", "drop"),
    ),
    FormPage(
        mutation="undoMerge",
        path="/admin/merges/{keep}/{drop}/undo",
        document="""
          query MergeToUndo($drop: ID!) {
            league { name timeZone }
            player(id: $drop) { playerId displayName formerIds }
          }
        """,
        folder=HERE,
        needs="player",
        address={"keep": "keep", "drop": "drop"},
        then=to("merges", STORED),
        look=Look(
            document="preview_undo_merge.graphql",
            variables=lambda given, _request: {"keep": given["keep"], "drop": given["drop"]},
            template="preview_undo_merge.html",
        ),
    ),
)
