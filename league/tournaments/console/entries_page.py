"""Entering everybody in a sheet: who would enter is shown first, and nobody enters if there is a fault."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.console.asking import NoPage
from league.console.forms import Filled, new_key
from league.console.pages import Console, Page, check_rights
from league.console.sheet_forms.sheet_form import SheetForm
from league.console.visitors import Visitor
from league.tournaments.console.pages import FOLDER
from league.tournaments.entries_sheet import report_of
from league.wording.language import _

PAGE = Page(
    path="/record/entries",
    name="enter_sheet",
    folder=FOLDER,
    document="enter_sheet.graphql",
    template="enter_sheet.html",
    requires="enterTournament",
    needs="tournament",
)
ENTRIES = SheetForm(
    page=PAGE,
    fields=("tournament", "preview"),
    report_of=report_of,
    stored=lambda console, request, fields, report: (
        {"stored": report},
        console.url(request, "tournament", id=fields["tournament"]),
    ),
    variables=lambda fields: {"id": fields.get("tournament", "")},
)


def routes(console: Console) -> list[Route]:
    """The route of the page, which takes the file itself: no part of it is read before the right to send it is."""

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await ENTRIES.taken(console, request, visitor)
            check_rights(PAGE, visitor)
            if not visitor.may("enterTournament"):
                raise NoPage(403, _("Your role does not allow this."))
            fields = {"tournament": request.query_params.get("tournament", "")}
            return await ENTRIES.shown(console, request, visitor, fields, Filled(key=new_key()))

        return await console.answer(request, make)

    return [Route(PAGE.path, answer, methods=["GET", "POST"], name=PAGE.name)]
