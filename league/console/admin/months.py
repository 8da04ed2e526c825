"""The months of the series: close one that is over, or all of them, or open one again."""

from pathlib import Path

from league.console.forms import FormPage
from league.console.pages import Page

HERE = Path(__file__).parent

MONTHS = Page(
    path="/admin/months",
    name="months",
    folder=HERE,
    document="months.graphql",
    template="months.html",
    variables=lambda request: {"after": request.query_params.get("after")},
    requires="closeMonth",
)


CLOSE_ENDED = FormPage(
    path="/admin/months/close-ended",
    name="close_ended_months",
    folder=HERE,
    document="ended_months.graphql",
    template="close_ended_months.html",
    requires="closeEndedMonths",
    mutation="close_ended_months.mutation.graphql",
    input=lambda _form, _request: {},
    then=lambda _answer, url: url("months") + "?stored=1",
)


def _form(operation: str, name: str, path: str) -> FormPage:
    return FormPage(
        path=path,
        name=name,
        folder=HERE,
        document="month.graphql",
        template=f"{name}.html",
        variables=lambda request: {"month": request.path_params["month"]},
        requires=operation,
        mutation=f"{name}.mutation.graphql",
        input=lambda _form, request: {"month": request.path_params["month"]},
        then=lambda _answer, url: url("months") + "?stored=1",
    )


PAGES = (
    MONTHS,
    CLOSE_ENDED,
    _form("closeMonth", "close_month", "/admin/months/{month}/close"),
    _form("reopenMonth", "reopen_month", "/admin/months/{month}/reopen"),
)
