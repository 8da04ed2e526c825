"""Photos as their viewers see them: read from the log, listed on matches and hands, and as pictures at `/photos`."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, TypeAlias

import msgspec
import strawberry
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.graphql.executing.context import Context, Info, Process
from league.api.graphql.shaping.mutations import new_id_of
from league.api.graphql.shaping.object_fields import LazyReference, field_of
from league.api.graphql.shaping.relay import global_id, local_id
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.schema_part import FieldPart
from league.api.server.endpoints import NewContext, answer_with_token
from league.api.server.uploads import FILE, UploadedForm, UploadEndpoint
from league.domain.match import HandCorrected, HandPhotographed
from league.domain.refusals import InvalidInput, NotFound, NotSignedIn
from league.domain.sentences import say
from league.eventlog.records import LoggedEvent, state_after
from league.infra.database import connect
from league.infra.decoding import Undecodable
from league.infra.photo_store import PhotoStore, hash_of, is_installed, overlay_name, photo_place, picture_name
from league.infra.pictures import BadPicture, Picture, cleaning_of
from league.photos.domain.photo import PhotosAreOff, PhotoState, PhotoUploaded, UploadPhoto, check_shown, evolve
from league.photos.photo_commands import STREAM, photo_state
from league.photos.photo_jobs import PhotoJobs, store_photo

OF_MATCH = "SELECT photo_id FROM photos WHERE match_id = %s ORDER BY hand, photo_id"


class SeenPhoto(Struct, frozen=True):
    """A photo with its place in the log."""

    id: str
    uploaded: PhotoUploaded
    state: PhotoState
    position: int
    """Position of its last event."""
    is_evidence: bool
    """Whether the facts of the recorded hand are based on it."""


async def seen_photo(context: Context, id_: str) -> SeenPhoto | None:
    """A photo; None if it does not exist, or if the viewer may not see it."""
    return await in_thread(_seen_photo, context, id_)


async def photos_of_match(context: Context, match: str) -> list[SeenPhoto] | None:
    """The photos of a match in the order of its hands; None if the viewer may not see them."""
    return await in_thread(_photos_of_match, context, match)


async def photos_named(context: Context, match: str, photos: Sequence[str]) -> dict[str, SeenPhoto]:
    """The photos of a match that an input names, by id. Raises NotFound if the viewer may not see one of them."""
    seen = {photo.id: photo for photo in await photos_of_match(context, match) or []}
    ids = [local_id("Photo", photo) for photo in photos]
    for number, id_ in enumerate(ids):
        if id_ not in seen:
            raise NotFound(f"photos.{number}", "photo", id_)
    return {id_: seen[id_] for id_ in ids}


def seated(context: Context, id_: str) -> list[str]:
    """The players of the match of a photo. Blocks."""
    states = context.states()
    uploaded = photo_state(states, id_).uploaded
    played = None if uploaded is None else states.match(uploaded.match).played
    return [] if played is None else list(played.seats)


def may_see(context: Context, seats: Sequence[str]) -> bool:
    """Whether the viewer may see the photos of a match with these players. Blocks."""
    reach = context.viewer.reach("readPhoto")
    return reach == "any" or (reach == "own" and context.is_one_of(seats))


def _seen_photo(context: Context, id_: str) -> SeenPhoto | None:
    if context.viewer.reach("readPhoto") is None or not may_see(context, seated(context, id_)):
        return None
    events = context.states().events(f"{STREAM}{id_}")
    match = events[0].event.match if events and isinstance(events[0].event, PhotoUploaded) else ""
    return _seen(id_, events, evidence_in(context.states().events(f"match:{match}"))) if match else None


def _photos_of_match(context: Context, match: str) -> list[SeenPhoto] | None:
    if context.viewer.reach("readPhoto") is None:
        return None
    states = context.states()
    played = states.match(match).played
    if played is None or not may_see(context, played.seats):
        return None
    with connect(context.league.database.url) as conn:
        ids = [id_ for (id_,) in conn.execute(OF_MATCH, (match,))]
    states.prefetch(f"{STREAM}{id_}" for id_ in ids)
    evidence = evidence_in(states.events(f"match:{match}"))
    found = [_seen(id_, states.events(f"{STREAM}{id_}"), evidence) for id_ in ids]
    return [one for one in found if one is not None]


def _seen(id_: str, events: Sequence[LoggedEvent], evidence: dict[int, tuple[str, ...]]) -> SeenPhoto | None:
    state = state_after(events, evolve, PhotoState())
    if state.uploaded is None:
        return None
    is_evidence = id_ in evidence.get(state.uploaded.hand, ())
    return SeenPhoto(id_, state.uploaded, state, events[-1].position, is_evidence)


def evidence_in(events: Sequence[LoggedEvent]) -> dict[int, tuple[str, ...]]:
    """The photos on which the facts of each hand are based, by hand. A correction removes the earlier evidence."""
    found: dict[int, tuple[str, ...]] = {}
    for stored in events:
        match stored.event:
            case HandPhotographed(hand=hand, photos=photos):
                found[hand] = photos
            case HandCorrected(hand=hand):
                found.pop(hand, None)
    return found


# ---------------------------------------------------------------- on a match and a hand

PhotoRef: TypeAlias = Annotated["Any", LazyReference("Photo", "league.photos.api.photos")]


@strawberry.type
class PhotosOfMatch:
    match_id: strawberry.Private[str]

    @field_of(
        list[PhotoRef] | None,
        "Photos of leftover tiles, in the order of the hands, including the hand to record next. Null if the viewer "
        "may not see them.",
    )
    async def photos(self, info: Info) -> list[SeenPhoto] | None:
        return await photos_of_match(info.context, self.match_id)


@strawberry.type
class PhotosOfHand:
    match_id: strawberry.Private[str]
    number: strawberry.Private[int]

    @field_of(
        list[PhotoRef] | None,
        "Photos of the tiles left over in the hand. The facts are based on those with `isEvidence`. Null if the viewer "
        "may not see them.",
    )
    async def photos(self, info: Info) -> list[SeenPhoto] | None:
        found = await photos_of_match(info.context, self.match_id)
        return None if found is None else [photo for photo in found if photo.uploaded.hand == self.number]


FIELDS = FieldPart(match=PhotosOfMatch, hand=PhotosOfHand)


# ---------------------------------------------------------------- /photos

READING = 20
"""Cost points of a request for a picture."""
OVERLAY_TYPE = "image/jpeg"
HEADERS = {
    "Cache-Control": "private, no-cache",
    "Vary": "Authorization, Cookie",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Content-Disposition": "inline",
}
"""Headers of a picture. A browser asks every time, because the photo may be erased, or the viewer may have changed."""


class UploadForm(msgspec.Struct, frozen=True):
    """The fields of the upload form: the tiles that the photo shows."""

    match: str
    hand: int
    seat: int | None
    side: int | None


class PhotoEndpoints:
    """Takes photos and answers with pictures."""

    def __init__(self, new_context: NewContext, place: str | None) -> None:
        """`place`: where photos are stored; None if no place is configured."""
        self._new_context, self._place = new_context, place

    @property
    def are_taken(self) -> bool:
        """Whether this server has a place for photos and the packages to read them."""
        return self._place is not None and is_installed()

    async def take(self, context: Context, upload: UploadedForm) -> Response:
        """Store an uploaded photo and have it counted. Raises Refusal."""
        stored = await self.stored(context, upload)
        return JSONResponse(stored, status_code=201, headers={"Location": stored["picturePath"]})

    async def stored(self, context: Context, upload: UploadedForm) -> dict[str, Any]:
        """Store an uploaded photo, have it counted, and return its description for the client. Raises Refusal."""
        place = self._checked_place()
        shown = _shown(upload.fields)
        await in_thread(_check, context, shown)
        picture = await _cleaned(context, upload)
        stored = await in_writing_thread(_store, context, upload, shown, place, picture)
        context.jobs.of(PhotoJobs).hand_out(stored["photoId"])
        return stored

    async def picture(self, request: Request) -> Response:
        """The picture of a photo."""
        return await answer_with_token(request, self._new_context, READING, self.picture_for)

    async def overlay(self, request: Request) -> Response:
        """A copy of the picture with the tiles that the computer has read drawn on it."""
        return await answer_with_token(request, self._new_context, READING, self.overlay_for)

    async def picture_for(self, request: Request, context: Context) -> Response:
        """The picture for the viewer of the context. Raises Refusal."""
        photo, uploaded = await _found(request, context)
        return await self._sent(request, photo, picture_name(uploaded.sha256), uploaded.media_type)

    async def overlay_for(self, request: Request, context: Context) -> Response:
        """The copy with the read tiles drawn on it, for the viewer of the context. Raises Refusal."""
        photo, _ = await _found(request, context)
        return await self._sent(request, photo, overlay_name(photo), OVERLAY_TYPE)

    async def _sent(self, request: Request, photo: str, name: str, media_type: str) -> Response:
        store = PhotoStore(self._checked_place())
        content = await in_thread(store.get, name)
        if content is None:
            raise NotFound("id", "picture", photo)
        headers = {**HEADERS, "ETag": f'"{hash_of(content)}"'}
        if headers["ETag"] in _known_tags(request):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=media_type, headers=headers)

    def _checked_place(self) -> str:
        if self._place is None:
            reason = say("set LEAGUE_PHOTOS to a folder or to s3://BUCKET/FOLDER, and start the server again")
            raise PhotosAreOff(say("the place of photos"), say("not set"), reason)
        if not is_installed():
            reason = say("install it with `pip install 'domino-league[photos]'`; the server finds it by itself")
            raise PhotosAreOff(say("what reads photos"), say("not installed"), reason)
        return self._place


def shared(process: Process) -> PhotoEndpoints:
    """The photo endpoints, which all requests to a process share."""
    return PhotoEndpoints(partial(Context, process), photo_place(process.settings))


def endpoints(process: Process) -> list[BaseRoute]:
    """The addresses of pictures."""
    photos = process.shared[PhotoEndpoints]
    upload = UploadEndpoint(partial(Context, process), "/photos", "uploadPhoto", photos.take, own=True)
    return [
        Route("/photos", upload.answer, methods=["POST"]),
        Route("/photos/{id}", photos.picture),
        Route("/photos/{id}/overlay", photos.overlay),
    ]


async def _found(request: Request, context: Context) -> tuple[str, PhotoUploaded]:
    """A photo that the viewer may see. Raises NotSignedIn, NotFound."""
    if context.viewer.sub is None:
        raise NotSignedIn("readPhoto", ("scorekeeper", "admin", "auditor", "player"))
    photo = local_id("Photo", request.path_params["id"])
    seen = await seen_photo(context, photo)
    if seen is None or seen.state.erased:
        raise NotFound("id", "photo", photo)
    return photo, seen.uploaded


def _known_tags(request: Request) -> set[str]:
    """The ETags of the answers that the client has cached."""
    return {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}


def _shown(fields: dict[str, str]) -> UploadForm:
    """Read the upload form. Raises InvalidInput for the field at fault."""
    unknown = next((name for name in fields if name not in UploadForm.__struct_fields__), None)
    if unknown is not None:
        raise InvalidInput(unknown, say("the form of a photo has no such field"))
    if "match" not in fields:
        raise InvalidInput("match", say("name the match"))
    hand = _number(fields, "hand")
    if hand is None:
        raise InvalidInput("hand", say("name the hand by its number, from 1"))
    return UploadForm(local_id("Match", fields["match"]), hand, _number(fields, "seat"), _number(fields, "side"))


def _number(fields: dict[str, str], name: str) -> int | None:
    text = fields.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len("1000")):
        raise InvalidInput(name, say("{text!r} is not a number", text=text[:50]))
    return int(text)


def _check(context: Context, shown: UploadForm) -> None:
    """Check permission and input before the picture is decoded. Raises what storing it would raise. Blocks."""
    played = context.states().match(shown.match).played
    seats = () if played is None else played.seats
    context.viewer.require("uploadPhoto", own=context.is_one_of(seats))
    check_shown(shown.match, shown.hand, shown.seat, shown.side, played)


async def _cleaned(context: Context, upload: UploadedForm) -> Picture:
    """The picture of an upload in the form in which it is stored. Raises InvalidInput, ClientLeft."""
    try:
        answer = await context.decoders.answer(cleaning_of(upload.content), upload.place)
        picture: Picture = answer.value()
    except BadPicture as error:
        raise InvalidInput(FILE, error.args[0]) from None
    except Undecodable as error:
        raise InvalidInput(FILE, error.reason) from None
    return picture


def _store(context: Context, upload: UploadedForm, shown: UploadForm, place: str, picture: Picture) -> dict[str, Any]:
    """Store a picture and the event that it was uploaded. Blocks; raises Refusal."""
    assert context.viewer.sub is not None, "who may upload has a name"
    photo, sha256 = new_id_of(context.viewer.sub, upload.key), hash_of(picture.content)
    command = UploadPhoto(
        photo, shown.match, shown.hand, shown.seat, shown.side, sha256, len(picture.content), picture.media_type,
        picture.width, picture.height,
    )  # fmt: skip
    position = store_photo(context.league, place, picture.content, command, context.viewer.sub, upload.key)
    return {
        "id": global_id("Photo", photo),
        "photoId": photo,
        "position": str(position),
        "sha256": sha256,
        "mediaType": picture.media_type,
        "width": picture.width,
        "height": picture.height,
        "picturePath": f"/photos/{photo}",
    }
