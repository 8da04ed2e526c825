"""The page on which admins choose the logo and the colours of the club."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.server.logo_endpoint import change_logo
from league.console.asking import Visitor
from league.console.forms import SEE_OTHER, STORED, UNPROCESSABLE, FilledForm, FormPage, to
from league.console.pages import Console
from league.console.sent_forms import uploaded
from league.console.templates import new_key
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.wording.language import spoken

FILE = "file"


def _given(form: FormData, _request: Request) -> Mapping[str, Any]:
    if "removeLogo" in form:
        return {"removeLogo": True}
    is_own = form.get("own") == "yes"
    return {name: str(form.get(name, "")) if is_own else "" for name in ("colour", "secondColour")}


CLUB_LOOK = FormPage(
    mutation="changeSettings",
    path="/admin/look",
    name="club_look",
    document="query ClubLook { league { name timeZone colour secondColour logo position } }",
    folder=Path(__file__).parent,
    needs="league",
    input=_given,
    then=to("club_look", STORED),
)
PAGES = (CLUB_LOOK,)


def routes(console: Console) -> list[BaseRoute]:
    """The route that takes a logo."""
    return [Route("/admin/look/logo", partial(_take, console), methods=["POST"], name="take_logo")]


async def _take(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        async with uploaded(console, request, visitor, CLUB_LOOK.mutation) as (context, upload):
            try:
                if not upload.content:
                    raise InvalidInput(FILE, say("choose a picture first"))
                await change_logo(context, upload)
            except Refusal as refused:
                form = FilledForm({}, {FILE: refused.said(spoken)}, new_key())
                return await console.shown(CLUB_LOOK, request, visitor, {}, status=UNPROCESSABLE, form=form)
        return RedirectResponse(f"{console.url(request, CLUB_LOOK.name)}{STORED}", SEE_OTHER)

    return await console.answer(request, make)
