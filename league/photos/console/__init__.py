"""A photo of the tiles that were left: taken with the phone, read by the computer, settled by a person."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.console.asking import NoPage
from league.console.controls import FieldErrors, number_in
from league.console.forms import SEE_OTHER, FormPage, Then
from league.console.hand_forms.facts import TILE
from league.console.pages import Console
from league.console.shown import Shown
from league.console.site_part import SitePart
from league.console.uploading import uploaded
from league.console.visitors import Visitor
from league.domain.refusals import NotFound, NotSignedIn, Refusal
from league.photos.api.photo_endpoints import PhotoEndpoints
from league.photos.console.photographed import evidence
from league.wording.language import _, spoken

HERE = Path(__file__).parent


def _counted(form: FormData, request: Request) -> Mapping[str, Any]:
    """The tiles on a photo as a person names them, or their pips alone."""
    text, pips = str(form.get("tiles", "")).strip(), number_in(form, "pips")
    if not text and pips is None:
        raise FieldErrors({"tiles": _("Name the tiles, or give their pips.")})
    tiles: list[list[int]] | None = None
    if text:
        read = [TILE.fullmatch(part) for part in re.split(r"[\s,;]+", text)]
        if not all(read):
            raise FieldErrors({"tiles": _("Write the tiles as 6-3 5-5 1-0.")})
        tiles = [[int(one[1]), int(one[2])] for one in read if one]
    return {"photo": request.path_params["id"], "tiles": tiles, "pips": None if tiles else pips}


def _to_hand(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """To the form that records the hand of the photo, or corrects it."""
    photo = answer["photo"]
    match = photo["match"]
    if match is not None and photo["hand"] <= len(match["hands"]):
        return url("correct_hand", id=photo["matchId"], number=photo["hand"])
    return url("record_hand", id=photo["matchId"])


Show = Callable[[PhotoEndpoints, Request, Context], Awaitable[Response]]
"""Answers with a picture."""


of_photo = partial(
    FormPage,
    folder=HERE,
    document="photo.graphql",
    template="photo.html",
    needs="photo",
    address={"photo": "id"},
    overwrites=True,
    then=Then("photo { matchId hand match { hands { number } } }", _to_hand),
)
CORRECT = of_photo(mutation="correctPhotoCount", path="/record/photos/{id}", name="photo", input=_counted)
CONFIRM = of_photo(mutation="confirmPhoto", path="/record/photos/{id}/confirm")


def _routes(console: Console) -> list[Route]:
    """The routes by which photos come in, and by which those who may see them see them."""

    async def take(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            async with uploaded(console, request, visitor, "uploadPhoto", own=True) as (context, upload):
                try:
                    stored = await context.shared(PhotoEndpoints).stored(context, upload)
                except Refusal as refused:
                    raise NoPage(422, refused.said(spoken)) from None
            page = console.address_of(request, str(request.app.url_path_for("photo", id=stored["photoId"])))
            return RedirectResponse(page, SEE_OTHER)

        return await console.answer(request, make)

    async def shown(show: Show, request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            context = console.asking.context(request, visitor)
            try:
                return await show(context.shared(PhotoEndpoints), request, context)
            except (NotFound, NotSignedIn):
                raise NoPage(404) from None
            except Refusal as refused:
                raise NoPage(422, refused.said(spoken)) from None

        return await console.answer(request, make)

    return [
        Route("/record/photo", take, methods=["POST"], name="take_photo"),
        Route("/record/photos/{id}/picture", partial(shown, PhotoEndpoints.picture_for), name="photo_picture"),
        Route("/record/photos/{id}/overlay", partial(shown, PhotoEndpoints.overlay_for), name="photo_overlay"),
    ]


SITE = SitePart(
    pages=(CORRECT, CONFIRM),
    routes=_routes,
    on_hand_forms=Shown("photos { photoId hand seat side status pips position }", "photos/console/take.html"),
    evidence=evidence,
    is_offered=lambda process: process.shared[PhotoEndpoints].are_taken,
)
