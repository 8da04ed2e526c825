"""Registering, renaming and moving players."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FormPage, Look
from league.console.pages import Page

HERE = Path(__file__).parent


def _name_and_region(form: FormData, _request: Request) -> Mapping[str, Any]:
    region = str(form.get("region", "")).strip()
    return {"name": str(form.get("name", "")), "region": region or None}


def _registered(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    return url("register_player") + f"?registered={answer['playerId']}"


def _player_of_address(request: Request) -> Mapping[str, Any]:
    return {"id": request.path_params["id"]}


def _new_name(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"player": request.path_params["id"], "name": str(form.get("name", ""))}


def _new_region(form: FormData, request: Request) -> Mapping[str, Any]:
    return {"player": request.path_params["id"], "region": str(form.get("region", "")).strip() or None}


def _to_player(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    return url("player", id=answer["playerId"])


REGISTER = FormPage(
    path="/record/player",
    name="register_player",
    folder=HERE,
    document="register.graphql",
    template="register.html",
    variables=lambda request: {"registered": request.query_params.get("registered", "")},
    requires="registerPlayer",
    mutation="register.mutation.graphql",
    input=_name_and_region,
    then=_registered,
    look=Look(
        document="similar.graphql",
        variables=lambda given, _: {"name": given["name"][:100]},
        template="similar.html",
    ),
)

RENAME = FormPage(
    path="/players/{id}/rename",
    name="rename_player",
    folder=HERE,
    document="player.graphql",
    template="rename.html",
    variables=_player_of_address,
    needs="player",
    requires="renamePlayer",
    mutation="rename.mutation.graphql",
    input=_new_name,
    overwrites=True,
    then=_to_player,
)

MOVE = FormPage(
    path="/players/{id}/move",
    name="move_player",
    folder=HERE,
    document="player.graphql",
    template="move.html",
    variables=_player_of_address,
    needs="player",
    requires="movePlayer",
    mutation="move.mutation.graphql",
    input=_new_region,
    overwrites=True,
    then=_to_player,
)

FIND = Page(
    path="/record/players",
    name="find_players",
    folder=HERE,
    document="find.graphql",
    template="find.html",
    variables=lambda request: {"text": request.query_params.get("text", "")[:100]},
)
"""The players that a text may mean: `static/players.js` shows them under a control that names a player."""

PAGES = (REGISTER, FIND, RENAME, MOVE)
