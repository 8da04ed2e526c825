"""The page of the laboratory: a control for each number of the rating rules, and the ratings under these numbers."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from league.api.graphql.leaf_types import BoardKind
from league.console.asking import NoPage
from league.console.pages import Page, PageFragment
from league.console.present import edition_in_force
from league.console.site_part import MenuEntry, SitePart
from league.console.slopes import slope_chart
from league.domain.sentences import say
from league.lab.console.controls import calibration, controls_of, curve, typed_in
from league.lab.console.section_controls import named_setting, section_controls, typed_sections
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.projections.boards.definitions import BOARDS as BOARD_DEFINITIONS
from league.wording.numbers import rating

FOLDER = Path(__file__).parent
BOARDS = {
    "GLOBAL": (say("Global"), "TWO_ON_TWO", "PLAYERS"),
    "ONE_ON_ONE": (say("One on one"), "ONE_ON_ONE", "PLAYERS"),
    "TWO_ON_TWO": (say("Two on two"), "TWO_ON_TWO", "PLAYERS"),
    "TEAMS": (say("Pairs"), "TWO_ON_TWO", "TEAMS"),
}
"""The rating boards: the name of each, and the mode and subject whose mean rating is drawn beside it."""
SERIES_MODES = ("ONE_ON_ONE", "TWO_ON_TWO")
MONTH = re.compile("[0-9]{4}-(0[1-9]|1[0-2])")
BOARD_TITLES = {kind.name: BOARD_DEFINITIONS[kind.value].title for kind in BoardKind}
"""The title of each board, by the name that the API has for it."""


def _board(request: Request) -> str:
    board = request.query_params.get("board", "GLOBAL")
    return board if board in BOARDS else "GLOBAL"


def _variables(request: Request) -> Mapping[str, Any]:
    query = request.query_params
    _name, mode, of = BOARDS[_board(request)]
    season = query.get("season") or None
    period = None if season is None else {"season": season}
    return {
        "settings": f"{typed_in(query).settings}\n{typed_sections(query).settings}",
        "period": period,
        "board": _board(request),
        "mode": mode,
        "of": of,
        "ratingsToo": "all" in query,
        "month": _month(query),
        "inSeries": _series_mode(query),
    }


def _series_mode(query: QueryParams) -> str:
    """The mode of the standings that are shown."""
    mode = query.get("mode", SERIES_MODES[0])
    return mode if mode in SERIES_MODES else SERIES_MODES[0]


def _month(query: QueryParams) -> str | None:
    """The month whose standings are shown; None for the latest one."""
    month = query.get("month", "")
    return month if MONTH.fullmatch(month) else None


def _with(request: Request, **values: str) -> str:
    """The address of the page with other values."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in values]
    return f"{request.url.path}?{urlencode([*kept, *values.items()])}"


def _shown(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The controls and the charts. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition is None:
        raise NoPage(404, say("The league has no rules yet."))
    query, tried = request.query_params, data["whatIf"]
    typed = typed_in(query)
    changed = [control for control in controls_of(edition, query) if control.is_changed]
    others, typed_others = section_controls(edition, query), typed_sections(query)
    document = "\n".join(
        [
            *typed_in(query, only={control.setting for control in changed}).settings.splitlines(),
            *(line for key, line in typed_others.lines.items() if key in others.changed),
        ]
    )
    shown: dict[str, Any] = {
        "edition": edition,
        "controls": controls_of(edition, query),
        "faults_of_ratings": typed.faults,
        "changed": changed,
        "others": others,
        "named": named_setting,
        "ratings_shown": bool(changed) or not others.changed,
        "all_too": _with(request, all="yes"),
        "at_month": lambda month, mode: _with(request, month=month, mode=mode) + "#series",
        "mode": _series_mode(query),
        "board_titles": BOARD_TITLES,
        "document": document,
        "boards": [(kind, name) for kind, (name, _mode, _of) in BOARDS.items()],
        "board": _board(request),
        "named_seasons": [(one["seasonId"], one["name"]) for one in data["seasons"]["nodes"]],
        "replay_query": urlencode({"document": document, "season": query.get("season", "")}),
    }
    if tried["__typename"] == "WhatIf":
        whole, *months = tried["predictions"]
        beside = tried["difference"] or {}
        latest = [one["month"] for one in beside.get("months", {"nodes": []})["nodes"] if one["mode"] == shown["mode"]]
        shown["month"] = _month(query) or next(iter(latest), "")
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
    note = ", ".join(data["document"].splitlines())
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
SITE = SitePart(
    pages=(LAB,),
    admin=(MenuEntry("lab", say("Laboratory"), requires="whatIf"),),
    static=FOLDER / "static",
    on_admin=PageFragment(
        "rulesReview { month status sentences found { fit { settings } } }", "lab/console/rules_review.html"
    ),
)
