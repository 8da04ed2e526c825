"""Seasons: open one, and end one that is open."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from league.console.controls import Control, Data
from league.console.forms import STORED, FormPage, Link, PlainForm, to
from league.domain.sentences import say
from league.wording.numbers import date_of

HERE = Path(__file__).parent


def _season(data: Data) -> Mapping[str, Any]:
    start = datetime.fromisoformat(data["season"]["start"])
    return {"name": data["season"]["name"], "day": date_of(start, ZoneInfo(data["league"]["timeZone"]))}


PAGES = (
    FormPage(
        mutation="openSeason",
        path="/admin/seasons",
        name="admin_seasons",
        folder=HERE,
        document="seasons.graphql",
        template="seasons.html",
        needs="league",
        controls=(
            Control("name", say("Name"), attributes={"maxlength": 100, "autocomplete": "off"}),
            Control("start", say("From")),
            Control("end", say("To, exclusive (empty: it stays open)")),
        ),
        then=to("admin_seasons", STORED),
    ),
    PlainForm(
        mutation="closeSeason",
        path="/admin/seasons/{id}/close",
        document="query SeasonToClose($id: ID!) { league { name timeZone } season(id: $id) { name start } }",
        needs="season",
        address={"season": "id"},
        heading=say("End the season {name}"),
        button=say("End the season"),
        words=say("It began on {day}. A season that has an end keeps it."),
        values=_season,
        controls=(Control("end", say("First day that is not of the season")),),
        way=Link("admin_seasons", say("Seasons")),
        back=Link("admin_seasons", say("Back")),
        then=to("admin_seasons", STORED),
    ),
)
