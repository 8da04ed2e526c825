"""The months of the series: close one that is over, or all of them, or open one again."""

from functools import partial
from pathlib import Path

from league.console.forms import STORED, Link, PlainForm, to
from league.console.pages import Page
from league.domain.sentences import say
from league.wording.numbers import month_of

HERE = Path(__file__).parent

form = partial(
    PlainForm, folder=HERE, way=Link("months", say("Months of the series")), back=Link("months", say("Back")),
    then=to("months", STORED),
)  # fmt: skip
of_month = partial(
    form,
    document="month.graphql",
    address={"month": "month"},
    shows="admin/about_month.html",
    values=lambda data: {"month": month_of(data["players"]["month"])},
)

PAGES = (
    Page(
        path="/admin/months",
        name="months",
        folder=HERE,
        document="months.graphql",
        template="months.html",
        requires="closeMonth",
    ),
    form(
        mutation="closeEndedMonths",
        path="/admin/months/close-ended",
        document="ended_months.graphql",
        heading=say("Close all months that have ended"),
        button=say("Close these months"),
        words=say(
            "Closing publishes the standings of each month as they are now, and awards its badges. Later "
            "corrections are shown beside the published list."
        ),
        shows="admin/ended_months.html",
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
)
