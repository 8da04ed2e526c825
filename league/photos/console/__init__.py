"""The pages of photos of leftover tiles: a person takes a photo, the computer reads it, and the person settles it."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.console.asking import NoPage, Visitor
from league.console.controls import FieldErrors, number_in
from league.console.forms import SEE_OTHER, FormPage, NextPage
from league.console.pages import Console, PageFragment
from league.console.scorekeeping.hands import TILE
from league.console.sent_forms import uploaded
from league.console.site_part import SitePart
from league.domain.refusals import NotFound, NotSignedIn, Refusal
from league.domain.sentences import say
from league.photos.api.seen_photos import PhotoEndpoints
from league.wording.language import spoken

SETTLED = ("CONFIRMED", "CORRECTED", "TYPED")
"""States of photos whose count a person has settled."""
ERASED = "ERASED"

Photos = Sequence[Mapping[str, Any]]


def photos_of(match: Mapping[str, Any], hand: int) -> Photos:
    """The photos of a hand that are not erased."""
    return [photo for photo in match["photos"] or [] if photo["hand"] == hand and photo["status"] != ERASED]


def new_counts(photos: Photos, since: int = 0) -> Photos:
    """The photos whose count was settled after the log position `since`, when the facts were recorded.

    The form sends them as evidence.
    """
    return [photo for photo in photos if photo["status"] in SETTLED and int(photo["position"]) > since]


def counted_pips(counts: Photos, sides: Sequence[int]) -> Mapping[str, Any]:
    """The pips on photos, by the names of the form's controls for them. `sides`: the side of each seat."""
    found: dict[str, Any] = {}
    for photo in counts:
        if photo["seat"] is not None:
            found[f"facts.leftover.{photo['seat']}"] = photo["pips"]
            continue
        of_side = [seat for seat, side in enumerate(sides) if side == photo["side"]]
        found |= {f"facts.leftover.{seat}": "" for seat in of_side}  # earlier counts of single seats no longer hold
        found[f"facts.sideLeftover.{photo['side']}"] = photo["pips"]
    return found


def evidence(match: Mapping[str, Any], hand: int, recorded_at: int | None, sides: Sequence[int]) -> Mapping[str, Any]:
    """The photos of a hand and the counts settled since it was recorded; for a recorded hand also its new pips."""
    photos = photos_of(match, hand)
    counts = new_counts(photos, recorded_at or 0)
    return {
        "photos": photos,
        "new_counts": counts,
        "evidence": [photo["photoId"] for photo in counts],
        "counted_pips": {} if recorded_at is None else counted_pips(counts, sides),
    }


HERE = Path(__file__).parent


def _counted(form: FormData, request: Request) -> Mapping[str, Any]:
    """Read the tiles that a person names, or only their pips. Raises FieldErrors."""
    text, pips = str(form.get("tiles", "")).strip(), number_in(form, "pips")
    if not text and pips is None:
        raise FieldErrors({"tiles": say("Name the tiles, or give their pips.")})
    tiles: list[list[int]] | None = None
    if text:
        read = [TILE.fullmatch(part) for part in re.split(r"[\s,;]+", text)]
        if not all(read):
            raise FieldErrors({"tiles": say("Write the tiles as 6-3 5-5 1-0.")})
        tiles = [[int(one[1]), int(one[2])] for one in read if one]
    return {"photo": request.path_params["id"], "tiles": tiles, "pips": None if tiles else pips}


def _to_hand(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """The address of the form that records the hand of the photo, or corrects it."""
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
    then=NextPage("photo { matchId hand match { hands { number } } }", _to_hand),
)
CORRECT = of_photo(mutation="correctPhotoCount", path="/record/photos/{id}", name="photo", input=_counted)
CONFIRM = of_photo(mutation="confirmPhoto", path="/record/photos/{id}/confirm")


def _routes(console: Console) -> list[Route]:
    """The routes that take photos and show them to those who may see them."""

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
            context = console.executor.context(request, visitor)
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
    on_hand_forms=PageFragment("photos { photoId hand seat side status pips position }", "photos/console/take.html"),
    evidence=evidence,
    is_offered=lambda process: process.shared[PhotoEndpoints].are_taken,
)
