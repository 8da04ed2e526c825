"""Members: the list, forms to add, change and remove them, to answer who asked for access, and a link to sign in."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import segno
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FormPage
from league.console.pages import Page

HERE = Path(__file__).parent
ROLES = ("PLAYER", "SCOREKEEPER", "ADMIN", "AUDITOR")


def qr_code(text: str) -> Markup:
    """A QR code as SVG, which has a size from the page."""
    drawn = io.BytesIO()
    segno.make(text, micro=False).save(drawn, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=1)
    return Markup(drawn.getvalue().decode())  # noqa: S704  # segno draws it, nothing in it is text


def _roles(form: FormData) -> list[str]:
    return [role for role in ROLES if form.get(f"roles.{role}") == "yes"]


def _player(form: FormData) -> str | None:
    return str(form.get("player", "")).strip() or None


def _new(form: FormData, _request: Request) -> Mapping[str, Any]:
    return {"subject": str(form.get("subject", "")).strip(), "roles": _roles(form), "player": _player(form)}


def _changed(form: FormData, request: Request) -> Mapping[str, Any]:
    # An empty player means none here.
    return {"memberId": request.path_params["id"], "roles": _roles(form), "player": _player(form) or ""}


def _granted(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"memberId": request.path_params["id"], "roles": _roles(form), "player": _player(form)}


def _only_member(_form: FormData, request: Request) -> Mapping[str, Any]:
    return {"memberId": request.path_params["id"]}


MEMBERS = Page(
    path="/admin/members",
    name="members",
    folder=HERE,
    document="members.graphql",
    template="members.html",
    variables=lambda request: {"after": request.query_params.get("after")},
    requires="readMembers",
)

ADD = FormPage(
    path="/admin/members/add",
    name="add_member",
    folder=HERE,
    document="add_member.graphql",
    template="add_member.html",
    requires="addMember",
    mutation="add_member.mutation.graphql",
    named=("player",),
    input=_new,
    then=lambda answer, url: url("sign_in_link", id=answer["memberId"]),
)


def _of_member(operation: str, name: str, path: str, read: Any, **more: Any) -> FormPage:
    """A form about one member."""
    return FormPage(
        path=f"/admin/members/{{id}}{path}",
        name=name,
        folder=HERE,
        document="member.graphql",
        template=f"{name}.html",
        variables=lambda request: {"id": request.path_params["id"]},
        needs="member",
        requires=operation,
        mutation=f"{name}.mutation.graphql",
        input=read,
        **{"then": lambda _answer, url: url("members") + "?stored=1", **more},
    )


PAGES = (
    MEMBERS,
    ADD,
    _of_member("changeMember", "change_member", "", _changed, named=("player",), overwrites=True),
    _of_member("grantAccess", "grant_access", "/grant", _granted, named=("player",)),
    _of_member("declineAccess", "decline_access", "/decline", _only_member),
    _of_member("removeMember", "remove_member", "/remove", _only_member),
    # The link must not stand in an address that a browser remembers, so the page itself shows it.
    _of_member(
        "makeSignInLink", "sign_in_link", "/link", _only_member, then=None,
        adds=lambda _data, _request: {"qr_code": qr_code},
    ),
)  # fmt: skip
