"""The scorekeeper's desk, and the forms that register, rename and move players."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import Control
from league.console.forms import FormPage, Look, NextPage, PageLink, PlainForm, to
from league.console.pages import Page
from league.domain.sentences import say

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)
OF_NAMES = {"autocomplete": "off", "autocapitalize": "words", "maxlength": 100}

of_player = partial(
    PlainForm,
    folder=HERE,
    document="""
      query PlayerToChange($id: ID!) {
        league { name timeZone }
        regions
        player(id: $id) { playerId displayName region position }
      }
    """,
    needs="player",
    address={"player": "id"},
    parts="scorekeeping/form_parts.html",
    about="about_player",
    overwrites=True,
    then=to("player", id="playerId"),
    is_live=True,
)


def _new_player(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The `input` of `registerPlayer`. A name that somebody has is refused until a person says that it is another."""
    name, region = str(form.get("name", "")), str(form.get("region", ""))
    return {"name": name, "region": region or None, "isNamesake": form.get("isNamesake") == "yes"}


PAGES = (
    page(path="/record", name="record", requires="recordHand"),
    FormPage(
        mutation="registerPlayer",
        path="/record/player",
        document="""
          query Register($registered: ID! = "") {
            league { name timeZone }
            regions
            player(id: $registered) { playerId displayName region }
          }
        """,
        folder=HERE,
        input=_new_player,
        then=NextPage("playerId", lambda answer, url: url("register_player") + f"?registered={answer['playerId']}"),
        look=Look(
            document="similar.graphql",
            variables=lambda given, _request: {"name": given["name"][:100]},
            template="similar.html",
        ),
    ),
    # The players that a text may mean: `static/players.js` shows them under a control that names a player.
    page(
        path="/record/players",
        name="find_players",
        variables=lambda request: {"text": request.query_params.get("text", "")[:100]},
    ),
    of_player(
        mutation="renamePlayer",
        path="/players/{id}/rename",
        heading=say("Rename a player"),
        button=say("Rename"),
        controls=(
            Control("name", say("New name"), value=lambda data: data["player"]["displayName"], attributes=OF_NAMES),
        ),
        stored=lambda data: [data["player"]["displayName"]],
    ),
    of_player(
        mutation="erasePlayer",
        path="/players/{id}/erase",
        document="""
          query PlayerToErase($id: ID!) {
            league { name timeZone }
            player(id: $id) { playerId name displayName }
          }
        """,
        heading=say("Erase a player"),
        button=say("Erase {name} for good"),
        words=say(
            "The name of {name} becomes unreadable everywhere, for ever: nobody can undo it. Matches, ratings and "
            "badges stay, under a name that is made up. Whoever signs in as this player is signed out, and the player "
            "enters no new match. Backups that were made before still hold the name."
        ),
        values=lambda data: {"name": data["player"]["displayName"]},
        nothing=lambda data: None if data["player"]["name"] else say("This player has been erased already."),
        overwrites=False,
        is_danger=True,
        back=PageLink("player", say("Back to the player"), ("id",)),
    ),
    of_player(
        mutation="movePlayer",
        path="/players/{id}/move",
        heading=say("Move a player"),
        button=say("Move"),
        controls=(
            Control(
                "region",
                say("Region (may be empty)"),
                value=lambda data: data["player"]["region"],
                suggestions=lambda data: data["regions"],
                attributes={"autocomplete": "off", "maxlength": 100},
            ),
        ),
        stored=lambda data: [data["player"]["region"] or say("No region")],
    ),
)
