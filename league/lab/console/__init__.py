"""The page of the laboratory: a control for each number of the rating rules, and the ratings under these numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from league.console.admin.rules import slope_chart
from league.console.asking import NoPage
from league.console.pages import Page
from league.console.present import edition_in_force
from league.console.site_part import MenuEntry, SitePart
from league.domain.sentences import say
from league.lab.console.controls import RuleControl, calibration, controls_of, curve, typed_in
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.wording.numbers import rating

FOLDER = Path(__file__).parent
BOARDS = {
    "GLOBAL": (say("Global"), "TWO_ON_TWO", "PLAYERS"),
    "ONE_ON_ONE": (say("One on one"), "ONE_ON_ONE", "PLAYERS"),
    "TWO_ON_TWO": (say("Two on two"), "TWO_ON_TWO", "PLAYERS"),
    "TEAMS": (say("Pairs"), "TWO_ON_TWO", "TEAMS"),
}
"""The rating boards: the name of each, and the mode and subject whose mean rating is drawn beside it."""


def _board(request: Request) -> str:
    board = request.query_params.get("board", "GLOBAL")
    return board if board in BOARDS else "GLOBAL"


def _variables(request: Request) -> Mapping[str, Any]:
    query = request.query_params
    _name, mode, of = BOARDS[_board(request)]
    season = query.get("season") or None
    period = None if season is None else {"season": season}
    return {"settings": typed_in(query).settings, "period": period, "board": _board(request), "mode": mode, "of": of}


def _shown(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The controls and the charts. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition is None:
        raise NoPage(404, say("The league has no rules yet."))
    query, tried = request.query_params, data["whatIf"]
    typed = typed_in(query)
    changed = [control for control in controls_of(edition, query) if control.is_changed]
    document = typed_in(query, only={control.setting for control in changed}).settings
    shown: dict[str, Any] = {
        "edition": edition,
        "controls": controls_of(edition, query),
        "faults": typed.faults,
        "changed": changed,
        "document": document,
        "boards": [(kind, name) for kind, (name, _mode, _of) in BOARDS.items()],
        "board": _board(request),
        "named_seasons": [(one["seasonId"], one["name"]) for one in data["seasons"]["nodes"]],
        "replay_query": urlencode({"document": document, "season": query.get("season", "")}),
    }
    if tried["__typename"] == "WhatIf":
        whole, *months = tried["predictions"]
        shown |= {
            "slopes": slope_chart(tried["board"]["nodes"]),
            "whole": whole,
            "losses": curve([{"month": one["month"], **one} for one in months], "logLoss"),
            "means": curve(tried["drift"], "mean"),
            "dots": {when: calibration(whole[when]) for when in ("before", "after")},
        }
    return shown


def lab_picture(data: Mapping[str, Any]) -> str:
    """The first places of the board under the tried rules, as SVG, with the changed settings below."""
    tried = data["whatIf"]
    nodes = tried["board"]["nodes"] if tried["__typename"] == "WhatIf" else []
    changed: list[RuleControl] = data["changed"]
    rows = [
        PictureRow(
            place["rankAfter"],
            place["competitor"]["displayName"],
            say("now {value}", value=rating(place["valueBefore"])),
            rating(place["valueAfter"]),
            None if None in (place["rankBefore"], place["rankAfter"]) else place["rankBefore"] - place["rankAfter"],
        )
        for place in nodes
    ]
    note = ", ".join(f"{control.setting} = {control.value}" for control in changed)
    name = data["league"]["name"] if data["league"] else ""
    board = dict(data["boards"])[data["board"]]
    return table_picture(
        PictureTable(
            say("What if"),
            say(board),
            say("Who"),
            say("rating"),
            rows,
            (name, ""),
            note or say("These are the rules in force."),
        )
    )


LAB = Page(
    path="/admin/lab",
    name="lab",
    folder=FOLDER,
    variables=_variables,
    requires="whatIf",
    adds=_shown,
    picture=lab_picture,
)
SITE = SitePart(pages=(LAB,), admin=(MenuEntry("lab", say("Laboratory"), requires="whatIf"),), static=FOLDER / "static")
