"""What waits for an admin, and the league itself: settings, seasons, months and disputes."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import Control, Data, FieldErrors
from league.console.forms import LOOK, STORED, FormPage, Look, PageLink, PlainForm, to
from league.console.pages import Page
from league.console.scorekeeping.matches import DISPUTE, form_of_match, no_open_dispute
from league.domain.sentences import say
from league.domain.texts_and_times import LONGEST_REASON
from league.wording.numbers import date_of, month_of

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _settings(form: FormData, _request: Request) -> Mapping[str, Any]:
    zone = str(form.get("timeZone", "")).strip()
    if zone not in (form.get("timeZoneBefore"), form.get("seenTimeZone")) and LOOK not in form:
        raise FieldErrors(
            {"timeZone": say("Another time zone moves matches to other months: see what would change first.")}
        )
    given: dict[str, Any] = {
        "name": str(form.get("name", "")).strip(),
        "timeZone": zone,
        "confirmation": form.get("confirmation") == "yes",
    }
    confidence = str(form.get("photoConfidence", "")).strip().replace(",", ".")
    if confidence:
        try:
            given["photoConfidence"] = float(confidence)
        except ValueError:
            raise FieldErrors({"photoConfidence": say("Write a number from 0 to 1, such as 0.7.")}) from None
    return given


def _season(data: Data) -> Mapping[str, Any]:
    start = datetime.fromisoformat(data["season"]["start"])
    return {"name": data["season"]["name"], "day": date_of(start, ZoneInfo(data["league"]["timeZone"]))}


month_form = partial(
    PlainForm,
    folder=HERE,
    parts="admin/parts_of_admin.html",
    way=PageLink("months", say("Months of the series")),
    back=PageLink("months", say("Back")),
    then=to("months", STORED),
)
of_month = partial(
    month_form,
    document="month.graphql",
    address={"month": "month"},
    shows="about_month",
    values=lambda data: {"month": month_of(data["players"]["month"])},
)


def _asked(request: Request) -> Mapping[str, Any]:
    return {"open": True if request.query_params.get("all") != "1" else None}


PAGES = (
    page(path="/admin", name="admin", requires="readMembers"),
    FormPage(
        mutation="changeSettings",
        path="/admin/settings",
        name="settings",
        document="query Settings { league { name timeZone confirmation position } }",
        folder=HERE,
        needs="league",
        input=_settings,
        overwrites=True,
        look=Look(
            document="preview_time_zone.graphql",
            variables=lambda given, _request: {"timeZone": given["timeZone"]},
            template="preview_time_zone.html",
        ),
        then=to("settings", STORED),
    ),
    FormPage(
        mutation="openSeason",
        path="/admin/seasons",
        name="admin_seasons",
        folder=HERE,
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
        way=PageLink("admin_seasons", say("Seasons")),
        back=PageLink("admin_seasons", say("Back")),
        then=to("admin_seasons", STORED),
    ),
    page(path="/admin/months", name="months", requires="closeMonth"),
    month_form(
        mutation="closeEndedMonths",
        path="/admin/months/close-ended",
        document="""
          query EndedMonths {
            league { name timeZone }
            seriesMonths(first: 100) { pageInfo { hasNextPage } nodes { month closed series { endsAt } } }
            openMatches: matches(filter: { status: OPEN }, first: 1) { totalCount }
          }
        """,
        heading=say("Close all months that have ended"),
        button=say("Close these months"),
        words=say(
            "Closing publishes the standings of each month as they are now, and awards its badges. Later "
            "corrections are shown beside the published list."
        ),
        shows="ended_months",
    ),
    of_month(
        mutation="closeMonth",
        path="/admin/months/{month}/close",
        heading=say("Close {month}"),
        button=say("Close the month"),
        words=say(
            "Closing publishes the standings of the month as they are now, and awards its badges. Later "
            "corrections are shown beside the published list."
        ),
    ),
    of_month(
        mutation="reopenMonth",
        path="/admin/months/{month}/reopen",
        heading=say("Open {month} again"),
        button=say("Withdraw the list and open the month"),
        words=say("The published list and the badges of the month are withdrawn. The log keeps that they were there."),
        is_danger=True,
    ),
    page(path="/admin/disputes", name="disputes", variables=_asked, requires="readDisputes"),
    form_of_match(
        mutation="rejectDispute",
        path="/matches/{id}/dispute/reject",
        heading=say("Reject the dispute"),
        button=say("Let the result stand"),
        about="about_dispute",
        controls=(
            DISPUTE,
            Control(
                "reason", say("Why the result stands, for everybody to read"), attributes={"maxlength": LONGEST_REASON}
            ),
        ),
        nothing=no_open_dispute,
        way=PageLink("disputes", say("Disputes")),
        back=PageLink("disputes", say("Back")),
        then=to("disputes", STORED),
        is_live=False,
    ),
)
