"""Tonight: what the page shows of it, and the forms behind its buttons."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import FieldErrors
from league.console.forms import FilledForm, FormPage, to
from league.console.present import rulesets_in_force
from league.console.site_part import leads_on
from league.domain.sentences import say

FOLDER = Path(__file__).parent
MODES = {2: "ONE_ON_ONE", 3: "INDIVIDUALS", 4: "TWO_ON_TWO"}
"""How so many players usually play."""
LAST = {"TWO_ON_TWO": "lastPairs", "ONE_ON_ONE": "lastSingles", "INDIVIDUALS": "lastIndividuals"}
"""Where the data has the last match of each mode."""
SEATS = tuple(f"seats.{seat}" for seat in range(4))


def about_tonight(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Who may sit down, who may come, and the usual rules."""
    here = data["night"]["here"]["nodes"]
    present = {one["playerId"] for one in here}
    before = data["night"]["previous"]
    last = [] if before is None else [_named(one) for one in before["players"]["nodes"]]
    regulars = [(one["playerId"], one["displayName"]) for one in data["regulars"]["nodes"]]
    away = {player: name for player, name in (*last, *regulars) if player not in present}
    busy = {one["playerId"] for one in here if one["match"] is not None}
    return {
        "blank": FilledForm(),
        "last_time": [player for player, _ in last if player not in present],
        "away": sorted(away.items(), key=lambda one: one[1].casefold()),
        "rules": {mode: _rules(data, mode) for mode in LAST},
        "competition": _competition(data),
        "rematches": _rematches(data["night"]["over"]["nodes"], busy),
    }


def _named(one: Mapping[str, Any]) -> tuple[str, str]:
    return one["playerId"], one["player"]["displayName"]


def _last(data: Mapping[str, Any]) -> Any:
    return lambda mode: next(iter(data[LAST[mode]]["nodes"]), None)


def _competition(data: Mapping[str, Any]) -> str:
    """What the last match counted for. A table that is opened from the chips belongs to no special tournament."""
    last = next((last["competition"] for last in map(_last(data), LAST) if last), "COMPETITIVE")
    return "COMPETITIVE" if last == "SPECIAL" else last


def _rules(data: Mapping[str, Any], mode: str) -> Mapping[str, Any]:
    """The rulesets that fit a mode, and the one that was used last."""
    fitting = [(one["name"], one["title"]) for one in rulesets_in_force(data["timeline"]) if mode in one["modes"]]
    last = _last(data)(mode)
    usual = last["ruleset"]["name"] if last and last["ruleset"]["name"] in dict(fitting) else None
    return {"fitting": fitting, "usual": usual or (fitting[0][0] if fitting else "")}


def _rematches(over: Sequence[Mapping[str, Any]], busy: set[str]) -> set[str]:
    """The matches after which a rematch is offered: the last one of its players, if nobody of them plays.

    No tournament leads on from it.
    """
    latest: dict[frozenset[str], Mapping[str, Any]] = {}
    for match in over:
        players = frozenset(seat["playerId"] for seat in match["seats"])
        if not players & busy:
            latest.setdefault(players, match)
    return {match["matchId"] for match in latest.values() if not leads_on(match)}


def _data_of_tonight(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    return {"tonight": {**data, **about_tonight(data)}}


def _came(form: FormData, _request: Request) -> Mapping[str, Any]:
    players = [str(player) for player in form.getlist("player")]
    if who := str(form.get("who", "")).strip():
        players.append(who)
    if not players:
        raise FieldErrors({"player": say("Choose who has come.")})
    return {"players": players}


def _left(form: FormData, _request: Request) -> Mapping[str, Any]:
    return {"player": str(form.get("player", ""))}


def _table(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The match that was put together on the first page, or on the page of the form."""
    if SEATS[0] in form:
        seats = [player for name in SEATS if (player := str(form.get(name, "")))]
    else:
        seats = str(form.get("order", "")).split()
    if not seats and any(name.startswith("player:") for name in form):
        # Without JavaScript the order in which they were tapped is not known.
        raise FieldErrors({SEATS[0]: say("Say who sits where, in the order of play.")})
    mode = str(form.get("mode", "")) or MODES.get(len(seats), "")
    if not mode:
        raise FieldErrors({SEATS[0]: say("Choose 2, 3 or 4 players.")})
    return {
        "ruleset": str(form.get(f"ruleset.{mode}", "")),
        "mode": mode,
        "competition": str(form.get("competition", "COMPETITIVE")),
        "seats": seats,
        "evenIfSeated": form.get("evenIfSeated") == "yes",
    }


def _rematch(form: FormData, request: Request) -> Mapping[str, Any]:
    competition = str(form.get("competition", "")) or None
    return {
        "match": request.path_params["id"],
        "seats": str(form.get("seats", "SAME")),
        "competition": competition,
        "evenIfSeated": form.get("evenIfSeated") == "yes",
    }


CAME = FormPage(
    mutation="playersCame",
    path="/tonight/came",
    folder=FOLDER,
    document="tonight.graphql",
    template="came.html",
    requires="openMatchTonight",
    adds=_data_of_tonight,
    named=("who",),
    input=_came,
    then=to("home"),
)
LEFT = FormPage(
    mutation="playerLeft",
    path="/tonight/left",
    folder=FOLDER,
    document="tonight.graphql",
    template="left.html",
    adds=_data_of_tonight,
    input=_left,
    then=to("home"),
)
TABLE = FormPage(
    mutation="openMatchTonight",
    path="/tonight/table",
    folder=FOLDER,
    document="tonight.graphql",
    template="table.html",
    adds=_data_of_tonight,
    input=_table,
    then=to("record_hand", id="matchId"),
)
REMATCH = FormPage(
    mutation="openRematch",
    path="/matches/{id}/rematch",
    folder=FOLDER,
    document="rematch.graphql",
    template="rematch.html",
    needs="match",
    input=_rematch,
    then=to("record_hand", id="matchId"),
)
FORMS = (CAME, LEFT, TABLE, REMATCH)
